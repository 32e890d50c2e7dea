"""Optimal recoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.criteria.class_sizes import KAnonymity
from ammg.criteria.criterion import Classes, Criteria, failing_in
from ammg.data.attribute import Attribute, Kind, Role
from ammg.data.block import Block, Column
from ammg.data.published import Published, Recoding, Suppression
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.key_method import KeyMethod
from ammg.methods.method import Plan
from ammg.methods.recoding.levels import KeyLevels, key_levels
from ammg.methods.recoding.recoding_loss import LossName, RecodingLoss
from ammg.methods.suppression.cell_patterns import blanked, coded
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.summary import Source

if TYPE_CHECKING:
    from ammg.kernels.recoding.roll_up import CellTable
    from ammg.methods.recoding.lattice import Found, Transformation

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class OptimalRecoding(KeyMethod):
    """Recode every key to one level of its hierarchy such that all criteria hold and least is lost.

    Records of classes that still break a criterion lose all keys, at most the share given. Of all transformations of
    the lattice the one with the least loss is found, and the result says so; a lattice of more than a million gets a
    heuristic. Keys without a hierarchy are kept or removed whole. Source: Samarati (2001); Kohlmayer et al. (2012) and
    Prasser et al. (2014) for the loss with suppression.
    """

    also_called: ClassVar[tuple[str, ...]] = ("FullDomainGeneralisation", "FullDomainGeneralization")
    recodes: ClassVar[bool] = True

    k: int = param(5, "Least number of records that look alike.", ge=1, search=(2, 20))
    criteria: Criteria = param((), "Further criteria, such as [{distinct_l_diversity: 3}, {equal_t_closeness: 0.2}].")
    suppression: float = param(
        0.05, "Greatest share of records that may lose all keys.", ge=0, le=1, search=[0.1, 0.05, 0.02, 0.0]
    )
    loss: LossName = param(
        "generalisation",
        "What is made small: shares of the domain, non-uniform entropy, discernibility, class size or cell loss.",
    )
    factor: float = param(
        0.5, "Below ½ suppression counts more than generalisation, above ½ less; for generalisation.", ge=0, le=1
    )
    importance: Mapping[str, float] = param({}, "How much the loss of each key counts; 1 for those not named.")
    greatest: Mapping[str, int] = param({}, "Greatest level of some keys.")
    budget: int = param(2000, "Most transformations that the heuristic counts.", ge=1)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for name, weight in self.importance.items():
            if not weight > 0:
                raise InputError(f"The importance of '{name}' is {weight:g}: it is a number above 0.")
        return self

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The keys, the sensitive attributes that criteria look at, and the weight if one needs it."""
        weight = [schema.weight] if schema.weight and self.criteria else []
        return tuple(dict.fromkeys((*self.chosen(schema), *self._sensitive(schema), *weight)))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Count classes, and treat them as classes."""
        return Usage(
            "Counts of the released classes are exact, but for records whose keys were suppressed.",
            "Tables and models of classes; shares of classes are those of the original file.",
            "Do not split classes, and do not treat suppressed keys as missing at random: rare people lost theirs.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations once, then search the lattice on the counts."""
        schema = source.schema
        names, sensitive = self.chosen(schema), self._sensitive(schema)
        self._check(schema, names)
        weight = schema.weight if self.criteria else None
        values = source.fold(CellCounts((*names, *sensitive), weight))
        keys = [
            key_levels(schema[name], numbers, self.greatest.get(name))
            for name, numbers in zip(names, values.numbers[: len(names)], strict=True)
        ]
        if not len(values):
            return Plan(schema.select(names), _Recoded((), (), (), None), notes=("there is no record to recode",))
        n = int(values.counts.sum())
        if n < self.k and self.suppression < 1:
            records = "1 record" if n == 1 else f"{n} records"
            raise InputError(f"k is {self.k} and the file has {records}: choose a smaller k or a larger file.")
        found = self._search(source, values, keys, sensitive)
        if found.best is None:
            raise InputError(
                f"No level of {', '.join(names)} meets the criteria when at most {self.suppression:.3g} of the records "
                "are suppressed: allow more suppression, a smaller k, or hierarchies that end in one value."
            )
        return self._plan(schema, keys, values, found)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Look each value up, and blank the keys of records whose class is suppressed."""
        from ammg.kernels.anonymity.lookup import find_rows

        state: _Recoded = plan.state
        if not state.names or not len(block):
            empty = {name: np.zeros(0, np.int32) for name in state.recoded if not len(block)}
            return block.with_columns(empty)
        codes = coded(block, state.names, state.numbers)
        for name, column in zip(state.names, codes, strict=True):
            if np.any(column < -1):
                raise InputError(f"'{name}' has a number that was not there when the recoding was planned.")
        classes = [table[column] for table, column in zip(state.tables, codes, strict=True)]
        gone = np.zeros(len(block), np.bool_)
        if state.suppressed is not None and len(state.suppressed):
            gone = find_rows(state.suppressed, classes) >= 0
        masked: dict[str, Column] = {}
        for name, before, column in zip(state.names, codes, classes, strict=True):
            if name in state.recoded:
                masked[name] = np.where(gone | (before < 0), np.int32(-1), column).astype(np.int32)
            else:
                masked[name] = blanked(block[name], gone)
        return block.with_columns(masked, plan.schema)

    @classmethod
    def search_columns(cls, schema: Schema) -> tuple[str, ...]:
        """Keys that have a hierarchy."""
        return tuple(a.name for a in schema if a.role is Role.KEY and a.hierarchy is not None)

    def _sensitive(self, schema: Schema) -> tuple[str, ...]:
        names: list[str] = []
        for criterion in self.criteria:
            about = criterion.is_about
            names += schema.with_role(Role.CONFIDENTIAL) if about is None else [schema[name].name for name in about]
        return tuple(dict.fromkeys(names))

    def _check(self, schema: Schema, names: tuple[str, ...]) -> None:
        for parameter in ("importance", "greatest"):
            for name in getattr(self, parameter):
                if name not in names:
                    raise InputError(f"{parameter}: '{name}' is not recoded.{did_you_mean(name, names)}")
        for name in self._sensitive(schema):
            if name in names:
                raise InputError(f"'{name}' is a key and a sensitive attribute of a criterion: it can be only one.")
        for criterion in self.criteria:
            if criterion.is_about is None and not schema.with_role(Role.CONFIDENTIAL):
                raise InputError(f"{criterion!r} needs a confidential attribute: give one that role, or name it.")

    def _search(
        self, source: Source, values: CellValues, keys: Sequence[KeyLevels], sensitive: tuple[str, ...]
    ) -> Found:
        from ammg.kernels.recoding.roll_up import CellTable
        from ammg.methods.recoding.lattice import LARGEST, Lattice, search_part, search_whole

        n_keys, n = len(keys), int(values.counts.sum())
        columns = [np.ascontiguousarray(column) for column in values.codes.T]
        table = CellTable(tuple(columns[:n_keys]), tuple(columns[n_keys:]), values.counts, values.weights)
        attributes = {
            name: _with_categories(source.schema[name], numbers)
            for name, numbers in zip(sensitive, values.numbers[n_keys:], strict=True)
        }
        margins = [
            np.bincount(column[column >= 0], values.counts[column >= 0], len(key.values)).astype(np.float64)
            for column, key in zip(columns, keys, strict=False)
        ]
        weights = np.array([self.importance.get(key.attribute.name, 1.0) for key in keys])
        lattice = Lattice(
            keys,
            table,
            [max(1, len(attribute.categories or ())) for attribute in attributes.values()],
            _Fails(self, attributes),
            RecodingLoss(self.loss, keys, margins, weights, self.factor, n),
            int(self.suppression * n + 1e-9),
            is_monotone=all(c.is_monotone for c in self.criteria),
        )
        size = 1
        for height in lattice.heights:
            size *= height + 1
        return search_whole(lattice) if size <= LARGEST else search_part(lattice, self.budget)

    def _plan(self, schema: Schema, keys: Sequence[KeyLevels], values: CellValues, found: Found) -> Plan:
        best = found.best
        assert best is not None
        attributes, tables, published = [], [], []
        for place, (key, level) in enumerate(zip(keys, best.levels, strict=True)):
            after, table = _recoded(key, level, values, place)
            attributes.append(after)
            tables.append(np.append(table, np.int32(key.of_missing(level))).astype(np.int32))
            if level:
                before = tuple(key.numbers.tolist()) if key.numbers is not None else key.attribute.categories or ()
                published.append(
                    Recoding(
                        (key.attribute.name,), tuple(after.categories or ()), before=before, codes=tuple(table.tolist())
                    )
                )
        names = tuple(key.attribute.name for key in keys)
        recoded = tuple(key.attribute.name for key, level in zip(keys, best.levels, strict=True) if level)
        facts: list[Published] = [*published, *([Suppression(names)] if best.suppressed else [])]
        state = _Recoded(names, values.numbers[: len(keys)], recoded, _failing(best, keys, tables), tuple(tables))
        return Plan(Schema(tuple(attributes)), state, tuple(facts), notes=(_said(keys, found),))


@dataclass(frozen=True, eq=False)
class _Recoded:
    names: tuple[str, ...]
    numbers: tuple[Floats | None, ...]
    recoded: tuple[str, ...]
    suppressed: Codes | None
    """Classes, as released codes, whose records lose all keys."""
    tables: tuple[Codes, ...] = ()
    """For each key the class of each old code, then that of a missing value."""


class _Fails:
    """Which classes break k-anonymity or another criterion."""

    def __init__(self, method: OptimalRecoding, attributes: Mapping[str, Attribute]) -> None:
        self.attributes = attributes
        self.criteria = (*([KAnonymity(k=method.k)] if method.k > 1 else []), *method.criteria)

    def __call__(self, table: CellTable, sizes: Sequence[int]) -> tuple[CellTable, Bools]:
        from ammg.criteria.distributions import tabulate_cells
        from ammg.kernels.anonymity.cells import count_cells
        from ammg.kernels.recoding.roll_up import CellTable

        classes, distributions = table, {}
        if table.sensitive:
            cells = count_cells(table.keys, sizes, n=len(table))
            counts = np.bincount(cells.index, table.counts, len(cells)).astype(np.int64)
            weights = table.weights
            if weights is not None:
                weights = np.bincount(cells.index, weights, len(cells)).astype(np.float64)
            classes = CellTable(tuple(column[cells.first] for column in table.keys), (), counts, weights)
            for (name, attribute), codes in zip(self.attributes.items(), table.sensitive, strict=True):
                size = max(1, len(attribute.categories or ()))
                distributions[name] = tabulate_cells(cells.index, len(cells), codes, size, table.counts)
        seen = Classes(classes.counts, classes.weights, distributions, self.attributes, classes.keys)
        return classes, failing_in(self.criteria, seen)


def _with_categories(attribute: Attribute, numbers: Floats | None) -> Attribute:
    return attribute if numbers is None else attribute.replace(categories=tuple(numbers.tolist()))


def _recoded(key: KeyLevels, level: int, values: CellValues, place: int) -> tuple[Attribute, Codes]:
    """The attribute after recoding, and the new code of each value.

    Classes of numbers that are intervals come in their order, each with the mean of its records as its score.
    """
    codes, labels = key.classes[level], key.labels[level]
    if level == 0:
        return key.attribute, np.arange(len(key.values), dtype=np.int32)
    if key.numbers is None:
        kind = key.attribute.kind if key.attribute.is_categorical else Kind.NOMINAL
        return key.attribute.replace(kind=kind, categories=labels, scores=None, hierarchy=None), codes
    column = values.codes[:, place]
    known = column >= 0
    records = np.bincount(column[known], values.counts[known], key.numbers.size)
    totals = np.bincount(codes, records, len(labels))
    means = np.bincount(codes, records * key.numbers, len(labels)) / np.maximum(totals, 1)
    is_ordered = bool(np.all(np.count_nonzero(np.diff(codes)) == len(labels) - 1))
    after = key.attribute.replace(
        kind=Kind.ORDINAL if is_ordered else Kind.NOMINAL,
        categories=labels,
        scores=tuple(means.tolist()),
        hierarchy=None,
    )
    return after, codes


def _failing(best: Transformation, keys: Sequence[KeyLevels], tables: Sequence[Codes]) -> Codes:
    """The suppressed classes, as released codes."""
    return np.stack([column[best.failing] for column in best.table.keys], axis=1).astype(np.int32)


def _said(keys: Sequence[KeyLevels], found: Found) -> str:
    assert found.best is not None
    levels = ", ".join(f"{key.attribute.name} {level}" for key, level in zip(keys, found.best.levels, strict=True))
    proof = (
        f"no other of the {found.size:,} transformations loses less ({found.counted:,} were counted)"
        if found.is_optimal
        else f"a heuristic: {found.counted:,} of {found.size:,} transformations were counted"
    )
    return f"levels {levels}; {found.best.suppressed:,} records suppressed; loss {found.best.loss:.6g}; {proof}"
