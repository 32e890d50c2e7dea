"""Optimal recoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.criteria.class_sizes import KAnonymity
from ammg.criteria.criterion import Classes, Criteria
from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block, Column
from ammg.data.published import Published, Recoding, Suppression
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.key_method import KeyMethod
from ammg.methods.method import Plan
from ammg.methods.recoding.class_criteria import ClassCriteria, check_criteria, sensitive_in, with_categories
from ammg.methods.recoding.levels import KeyLevels, fixed_key, key_levels
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
    """Recode every key variable to one level of its hierarchy so that all criteria hold at the least loss.

    Records in classes that still break a criterion have all keys suppressed, up to the share allowed. The
    transformation with the least loss of the whole lattice is found; lattices of more than a million get a heuristic,
    and a note says which was used. Keys without a hierarchy are kept or suppressed as a whole. An intruder recodes the
    known keys the same way and re-identifies a person with probability one over the size of the class; attributes
    beyond the keys are not protected. Source: Samarati (2001); Kohlmayer et al. (2012) and Prasser et al. (2014) for
    the loss with suppression.
    """

    also_called: ClassVar[tuple[str, ...]] = ("FullDomainGeneralisation", "FullDomainGeneralization")
    recodes: ClassVar[bool] = True

    k: int = param(5, "Smallest number of records in an equivalence class.", ge=1, search=(1, 20))
    criteria: Criteria = param((), "Further criteria, such as [{distinct_l_diversity: 3}, {equal_t_closeness: 0.2}].")
    mean_size: float = param(
        1.0,
        "Smallest mean number of records per class: with 20, linkage by keys re-identifies at most one in 20.",
        ge=1,
        search=(1.5, 60),
        log=True,
    )
    suppression: float = param(
        0.05, "Largest share of records whose keys may all be suppressed.", ge=0, le=1, search=[0.1, 0.05, 0.02, 0.0]
    )
    loss: LossName = param(
        "generalisation",
        "The loss to minimise: generalisation (share of the domain), non-uniform entropy, "
        "discernibility, class size or cell loss.",
        search=["cells"],
    )
    factor: float = param(
        0.5, "For generalisation: below ½, suppression costs more than generalisation; above ½, less.", ge=0, le=1
    )
    importance: Mapping[str, float] = param({}, "Weight of each key in the loss; 1 for keys not named.")
    greatest: Mapping[str, int] = param({}, "Highest level of some keys.")
    budget: int = param(2000, "Largest number of transformations that the heuristic examines.", ge=1)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for name, weight in self.importance.items():
            if not weight > 0:
                raise InputError(f"The importance of '{name}' is {weight:g}; it must be a number above 0.")
        return self

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The keys, the sensitive attributes that criteria look at, and the weight if one needs it."""
        weight = [schema.weight] if schema.weight and self.criteria else []
        return tuple(
            dict.fromkeys((*self.chosen(schema), *self.beside(schema), *sensitive_in(self.criteria, schema), *weight))
        )

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Count classes, and treat them as classes."""
        return Usage(
            "Counts of the released classes are exact, but for records whose keys were suppressed.",
            "Tables and models of classes; shares of classes are those of the original file.",
            "Do not split classes, and do not treat suppressed keys as missing at random: rare people lost theirs.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def acts_on(self, schema: Schema) -> Level:
        """Recoding treats equal values alike, so it may name keys of both levels; suppression may not."""
        return Level.PERSON if not self.suppression and self._is_mixed(schema) else super().acts_on(schema)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations once, then search the lattice on the counts."""
        schema = source.schema
        names, beside, sensitive = self.chosen(schema), self.beside(schema), sensitive_in(self.criteria, schema)
        self._check(schema, names, beside)
        weight = schema.weight if self.criteria else None
        values = source.fold(CellCounts((*names, *beside, *sensitive), weight))
        keys = [
            key_levels(schema[name], numbers, self.greatest.get(name))
            for name, numbers in zip(names, values.numbers[: len(names)], strict=True)
        ]
        keys += [
            fixed_key(schema[name], numbers)
            for name, numbers in zip(beside, values.numbers[len(names) : len(names) + len(beside)], strict=True)
        ]
        if not len(values):
            return Plan(schema.select(names), _Recoded((), (), (), None), notes=("there is no record to recode",))
        n = int(values.counts.sum())
        if n < self.k:
            records = "1 record" if n == 1 else f"{n} records"
            raise InputError(f"k is {self.k}, but the file has only {records}: choose a smaller k.")
        found = self._search(source, values, keys, sensitive, len(names))
        if found.best is None:
            raise InputError(
                f"No level of {', '.join(names)} meets the criteria with at most {self.suppression:.3g} of the "
                "records suppressed: allow more suppression, choose a smaller k or mean_size, or let "
                "hierarchies end in one value."
            )
        return self._plan(schema, keys, values, found, len(names))

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
                raise InputError(f"'{name}' has a number that did not occur when the recoding was planned.")
        classes = [table[column] for table, column in zip(state.tables, codes, strict=True)]
        gone = np.zeros(len(block), np.bool_)
        if state.suppressed is not None and len(state.suppressed):
            gone = find_rows(state.suppressed, classes) >= 0
        masked: dict[str, Column] = {}
        for name, before, column in zip(plan.schema.names, codes, classes, strict=False):  # keys beside them stay
            if name in state.recoded:
                masked[name] = np.where(gone | (before < 0), np.int32(-1), column).astype(np.int32)
            else:
                masked[name] = blanked(block[name], gone)
        return block.with_columns(masked, plan.schema)

    @classmethod
    def search_columns(cls, schema: Schema) -> tuple[str, ...]:
        """Keys that have a hierarchy."""
        return tuple(a.name for a in schema if a.role is Role.KEY and a.hierarchy is not None)

    def _is_mixed(self, schema: Schema) -> bool:
        return len({schema[name].level for name in self.chosen(schema)}) > 1

    def _check(self, schema: Schema, names: tuple[str, ...], beside: tuple[str, ...]) -> None:
        for parameter in ("importance", "greatest"):
            for name in getattr(self, parameter):
                if name not in names:
                    raise InputError(f"{parameter}: '{name}' is not recoded.{did_you_mean(name, names)}")
        check_criteria(self.criteria, schema, (*names, *beside))

    def _search(
        self,
        source: Source,
        values: CellValues,
        keys: Sequence[KeyLevels],
        sensitive: tuple[str, ...],
        changed: int,
    ) -> Found:
        """The first `changed` keys are recoded; the others stay, and what is lost is lost of the first."""
        from ammg.kernels.recoding.roll_up import CellTable
        from ammg.methods.recoding.lattice import LARGEST, Lattice, search_part, search_whole

        n_keys, n = len(keys), int(values.counts.sum())
        columns = [np.ascontiguousarray(column) for column in values.codes.T]
        table = CellTable(tuple(columns[:n_keys]), tuple(columns[n_keys:]), values.counts, values.weights)
        attributes = {
            name: with_categories(source.schema[name], numbers)
            for name, numbers in zip(sensitive, values.numbers[n_keys:], strict=True)
        }
        fails = _Fails(self, attributes)
        self._refuse_rare(table, keys, changed, fails)
        margins = [
            np.bincount(column[column >= 0], values.counts[column >= 0], len(key.values)).astype(np.float64)
            for column, key in zip(columns, keys[:changed], strict=False)
        ]
        weights = np.array([self.importance.get(key.attribute.name, 1.0) for key in keys[:changed]])
        lattice = Lattice(
            keys,
            table,
            fails.tested.sizes,
            fails,
            RecodingLoss(self.loss, keys[:changed], margins, weights, self.factor, n),
            int(self.suppression * n + 1e-9),
            int(n / self.mean_size + 1e-9),
            is_monotone=all(c.is_monotone for c in self.criteria),
        )
        size = 1
        for height in lattice.heights:
            size *= height + 1
        return search_whole(lattice) if size <= LARGEST else search_part(lattice, self.budget)

    def _refuse_rare(self, table: CellTable, keys: Sequence[KeyLevels], changed: int, fails: _Fails) -> None:
        """Records that lose all keys of the step look like all others, or like those that share the keys that stay."""
        from ammg.kernels.recoding.roll_up import CellTable, roll_up

        sizes = [max(1, len(key.values)) for key in keys[changed:]]
        beside = CellTable(table.keys[changed:], table.sensitive, table.counts, table.weights)
        beside = roll_up(beside, {}, [*sizes, *fails.tested.sizes])
        classes, failing = fails(beside, sizes)
        if not fails.tested.criteria or not failing.any():
            return
        if changed == len(keys):
            asked = ", ".join(map(repr, fails.tested.criteria))
            raise InputError(f"Even with all keys suppressed, the records break {asked}: relax the criterion.")
        names = ", ".join(key.attribute.name for key in keys[changed:])
        records = int(classes.counts[failing].sum())
        raise InputError(
            f"{records:,} records break the criteria by their values of {names} alone, which a step on "
            "persons leaves unchanged: mask these household-level keys in an earlier step, or name the "
            "columns."
        )

    def _plan(self, schema: Schema, keys: Sequence[KeyLevels], values: CellValues, found: Found, changed: int) -> Plan:
        best = found.best
        assert best is not None
        attributes, tables, published = [], [], []
        for place, (key, level) in enumerate(zip(keys, best.levels, strict=True)):
            after, table = _recoded(key, level, values, place)
            if place < changed:
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
        lost = [Suppression(names[:changed])] if best.suppressed else []
        recoded = tuple(key.attribute.name for key, level in zip(keys, best.levels, strict=True) if level)
        facts: list[Published] = [*published, *lost]
        state = _Recoded(names, values.numbers[: len(keys)], recoded, _failing(best, keys, tables), tuple(tables))
        notes = (_said(keys[:changed], found), *self.not_counted(schema))
        return Plan(Schema(tuple(attributes)), state, tuple(facts), notes=notes)


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
        criteria = (*([KAnonymity(k=method.k)] if method.k > 1 else []), *method.criteria)
        self.tested = ClassCriteria(criteria, attributes)

    def __call__(self, table: CellTable, sizes: Sequence[int]) -> tuple[CellTable, Bools]:
        from ammg.kernels.anonymity.cells import count_cells
        from ammg.kernels.recoding.roll_up import CellTable

        if not table.sensitive:
            seen = Classes(table.counts, table.weights, keys=table.keys)
            return table, self.tested.failing(seen)
        cells = count_cells(table.keys, sizes, n=len(table))
        keys = tuple(column[cells.first] for column in table.keys)
        seen = self.tested.classes(cells.index, len(cells), table.counts, table.weights, table.sensitive, keys)
        return CellTable(keys, (), seen.counts, seen.weights), self.tested.failing(seen)


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
    levels = ", ".join(f"{key.attribute.name} {level}" for key, level in zip(keys, found.best.levels, strict=False))
    proof = (
        f"optimal among {found.size:,} transformations ({found.counted:,} were examined)"
        if found.is_optimal
        else f"heuristic: {found.counted:,} of {found.size:,} transformations were examined"
    )
    return f"levels {levels}; {found.best.suppressed:,} records suppressed; loss {found.best.loss:.6g}; {proof}"
