"""Shared base of methods that release the intervals and classes of groups of similar records."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.criteria.class_sizes import KAnonymity
from ammg.criteria.criterion import Criteria, ValueCriterion
from ammg.data.attribute import Attribute, Kind, Role
from ammg.data.block import Block, Column
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.finite import refuse_infinite
from ammg.methods.key_method import KeyMethod
from ammg.methods.method import Plan
from ammg.methods.recoding.class_criteria import ClassCriteria, check_criteria, sensitive_in, with_categories
from ammg.methods.recoding.joined_groups import Grouped, joined_until_met
from ammg.methods.recoding.shared_values import KeyValues, key_values
from ammg.methods.suppression.cell_patterns import CellPatterns, choose_records, coded
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.summary import Source

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import KeySpans

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


class LocalClassMethod(KeyMethod):
    """Base of the methods that group at least k records and release the interval or class that covers each group.

    A key with a hierarchy shows the smallest class that contains all values of the group. Numbers, dates and ordered
    categories without a hierarchy show the interval from smallest to largest; other categories show `*` where they
    differ. A missing value stays missing and matches any value. Groups are found from counts of combinations, and a
    subclass says which (`grouped`).
    """

    recodes: ClassVar[bool] = True

    k: int = param(5, "Smallest number of records in an equivalence class.", ge=2, search=(2, 20))
    importance: Mapping[str, float] = param({}, "Weight of each key in the loss; 1 for keys not named.")
    criteria: Criteria = param(
        (),
        "Further criteria that every group must meet, such as [{distinct_l_diversity: 3}, {equal_t_closeness: 0.2}].",
    )
    within: tuple[str, ...] = param(
        (),
        "Columns that stay unchanged and on which the records of a group agree, so that they are "
        "k-anonymous on these as well.",
    )

    intervals: bool = param(
        False,
        "Show numbers, dates and ordered categories as intervals even where they have a hierarchy: that loses less.",
        search=[False, True],
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for name, weight in self.importance.items():
            if not weight > 0:
                raise InputError(f"The importance of '{name}' is {weight:g}; it must be a number above 0.")
        for criterion in self.criteria:
            if not isinstance(criterion, KAnonymity | ValueCriterion):
                raise InputError(
                    f"{self.name} can only meet criteria on the records of a group, but {criterion!r} is about the "
                    "population or the whole file: use optimal_recoding for it."
                )
        return self

    @abstractmethod
    def grouped(self, keys: KeySpans, counts: Ints, draws: Draws) -> Grouped:
        """Groups of at least k records; row i of `keys` is a combination that `counts[i]` records have."""

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The keys, the columns that groups share, and the sensitive attributes of the criteria."""
        others = (*self._shared(schema), *sensitive_in(self.criteria, schema))
        return tuple(dict.fromkeys((*self.chosen(schema), *others)))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Every value is true; classes of different records overlap."""
        return Usage(
            "Every released interval or class contains the original value.",
            "Tables of coarser classes that no released interval crosses; for means and models of numbers, "
            "the midpoint of the interval, with half its width as the largest error.",
            "Do not treat the labels as a partition: intervals and classes of different records overlap.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations once and group them."""
        schema = source.schema
        names = self.chosen(schema)
        self._check(source, names)
        shared, sensitive = self._shared(schema), sensitive_in(self.criteria, schema)
        check_criteria(self.criteria, schema, (*names, *shared))
        values = source.fold(CellCounts((*names, *shared, *sensitive)))
        n = int(values.counts.sum())
        if not n:
            return Plan(schema.select(names), notes=("there is no record to recode",))
        if n < self.k:
            records = "1 record" if n == 1 else f"{n} records"
            raise InputError(f"k is {self.k}, but the file has only {records}: choose a smaller k.")
        keys = [
            key_values(self._shown(schema[name]), values, place, self.importance.get(name, 1.0))
            for place, name in enumerate(names)
        ]
        spans = _spans(keys, len(values))
        found = self._grouped(spans, values, shared, len(names), draws)
        if self.criteria:
            numbers = values.numbers[len(names) + len(shared) :]
            attributes = {n: with_categories(schema[n], known) for n, known in zip(sensitive, numbers, strict=True)}
            tested = ClassCriteria(self.criteria, attributes)
            found = found._replace(groups=joined_until_met(tested, spans, values.codes, found, len(names), len(shared)))
        return self._plan(source, draws, keys, values, found)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Give each record the interval or class of its group; missing values stay missing."""
        state: _Recoded | None = plan.state
        if state is None or not state.released:
            return block
        group = state.groups.of(block, draws) - 1
        if np.any(group < 0):
            raise InputError("A record has values that did not occur when the recoding was planned: plan it again.")
        before = dict(zip(state.groups.columns, coded(block, state.groups.columns, state.groups.numbers), strict=True))
        masked: dict[str, Column] = {}
        for name, codes in state.released.items():
            masked[name] = np.where(before[name] < 0, np.int32(-1), codes[group]).astype(np.int32)
        return block.with_columns(masked, plan.schema)

    @classmethod
    def search_columns(cls, schema: Schema) -> tuple[str, ...]:
        """Keys."""
        return tuple(a.name for a in schema if a.role is Role.KEY and a.kind & cls.accepts)

    def _shown(self, attribute: Attribute) -> Attribute:
        """The attribute without its hierarchy where intervals are to be shown."""
        return attribute.replace(hierarchy=None) if self.intervals and attribute.kind is not Kind.NOMINAL else attribute

    def _shared(self, schema: Schema) -> tuple[str, ...]:
        """The columns that groups share: those named, and household-level keys, which the step cannot change."""
        return tuple(dict.fromkeys((*(schema[name].name for name in self.within), *self.beside(schema))))

    def _grouped(
        self, spans: KeySpans, values: CellValues, shared: tuple[str, ...], first: int, draws: Draws
    ) -> Grouped:
        """Groups of the whole file, or of each stratum apart."""
        from ammg.kernels.recoding.key_spans import taken

        if not shared:
            return self.grouped(spans, values.counts, draws)
        _, stratum = np.unique(values.codes[:, first : first + len(shared)], axis=0, return_inverse=True)
        sizes = np.bincount(stratum.reshape(-1), values.counts)
        if np.any(small := sizes < self.k):
            homes = [name for name in shared if name not in self.within]
            way = (
                "mask these household-level keys in an earlier step, or name the columns"
                if homes
                else f"lower k, or recode {shared[0]} more coarsely first"
            )
            raise InputError(
                f"{int(small.sum()):,} of {len(sizes):,} strata by {', '.join(shared)} have fewer than k = "
                f"{self.k} records: {way}."
            )
        order = np.argsort(stratum.reshape(-1), kind="stable")
        parts, groups = [], 0
        for number, cells in enumerate(np.split(order, np.cumsum(np.bincount(stratum.reshape(-1)))[:-1])):
            part = self.grouped(taken(spans, cells), values.counts[cells], draws.at(f"stratum {number}"))
            parts.append(Grouped(cells[part.cells], part.groups + groups, part.counts))
            groups += int(part.groups.max()) + 1
        joined = Grouped(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        by_cell = np.argsort(joined.cells, kind="stable")
        return Grouped(joined.cells[by_cell], joined.groups[by_cell], joined.counts[by_cell])

    def _check(self, source: Source, names: tuple[str, ...]) -> None:
        for name in self.importance:
            if name not in names:
                raise InputError(f"importance: '{name}' is not recoded.{did_you_mean(name, names)}")
        for name in self._shared(source.schema):
            if name in names:
                raise InputError(
                    f"'{name}' cannot be both recoded and kept: name it either in `columns` or in `within`."
                )
        numbers = tuple(name for name in names if source.schema[name].is_numeric)
        if numbers:
            refuse_infinite(source, numbers)

    def _plan(
        self, source: Source, draws: Draws, keys: Sequence[KeyValues], values: CellValues, found: Grouped
    ) -> Plan:
        attributes, published, released, lost = [], [], {}, []
        for place, key in enumerate(keys):
            shared = key.shared(values.codes[found.cells, place], found.groups, found.counts)
            attributes.append(shared.attribute)
            lost.append(shared.loss)
            if shared.told is not None:
                published.append(shared.told)
                released[key.attribute.name] = shared.codes
        schema = source.schema
        named = (*(key.attribute.name for key in keys), *self._shared(schema))
        names = (*named, *sensitive_in(self.criteria, schema))
        suppressed = (found.cells, found.groups + 1, found.counts)
        state = _Recoded(choose_records(source, draws, values, names, suppressed), released)
        sizes = np.bincount(found.groups, found.counts)
        note = (
            f"{len(sizes):,} groups of {int(sizes.min())} to {int(sizes.max())} records; on average a "
            f"value covers {np.mean(lost):.2%} of its key's range"
        )
        notes = (note, *self.not_counted(source.schema))
        return Plan(Schema(tuple(attributes)), state, tuple(published), notes=notes)


@dataclass(frozen=True, eq=False)
class _Recoded:
    groups: CellPatterns
    """The number of each record's group, plus one."""
    released: Mapping[str, Codes]
    """For each key that changes what each group shows."""


def _spans(keys: Sequence[KeyValues], rows: int) -> KeySpans:
    from ammg.kernels.recoding.key_spans import key_spans

    numbers = [key.number for key in keys if key.number is not None]
    columns = np.column_stack(numbers) if numbers else np.zeros((rows, 0))
    return key_spans(columns, [key.tree for key in keys if key.tree is not None])
