"""Shared base of methods that change categories at random: which categories, with which probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block
from ammg.data.dictionary import match_categories
from ammg.data.published import Transition
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.kernels.pram.transition_matrices import (
    block_shares,
    neighbour_shares,
    proportional_shares,
    uniform_shares,
)
from ammg.methods.method import Method, Plan
from ammg.methods.pram.combinations import Combinations, observed
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.counts import Counts
from ammg.summaries.summary import Source

Floats = NDArray[np.float64]
Matrix = dict[str, dict[str, float]] | tuple[tuple[float, ...], ...]
MOST = 3_000
"""Most categories in one group; a matrix of more has too many entries."""


class Changes(NamedTuple):
    """Columns that change together, their combinations, and one transition matrix per group of these."""

    names: tuple[str, ...]
    cells: Combinations
    matrices: tuple[Floats, ...]


class CategoryChanges(Method):
    """Base of methods that change categories by a matrix of transition probabilities.

    A subclass makes the matrix of a group of categories (`matrix_of`) from their counts and from where a changed value
    may go.
    """

    accepts: ClassVar[Kind] = Kind.CATEGORICAL

    stay: float = param(0.8, "Probability that a value stays unchanged.", ge=0, le=1, search=(0.95, 0.6))
    pattern: Literal["proportional", "uniform", "neighbours", "blocks"] = param(
        "proportional",
        "Where a changed value goes: to other categories by their frequency (proportional), to all "
        "alike (uniform), at most `reach` places away among ordered categories (neighbours), or within "
        "its class of a hierarchy (blocks).",
        search=["proportional", "uniform"],
    )
    reach: int = param(1, "How many places a value may move among ordered categories; for neighbours.", ge=1)
    level: int = param(1, "Level of the hierarchy whose classes a value does not leave; for blocks.", ge=1)
    matrix: Matrix | None = param(
        None,
        "Transition probabilities instead of a pattern: {original: {released: probability}}, or rows "
        "in the order of the categories. Categories not in the mapping stay unchanged.",
    )
    within: tuple[str, ...] = param((), "Change values only within each combination of these columns.")
    compound: bool = param(
        False, "Treat the columns as one attribute whose categories are the combinations that occur in the file."
    )

    @property
    def joint(self) -> bool:  # type: ignore[override]
        """Whether columns change together."""
        return self.compound

    @model_validator(mode="after")
    def _one_attribute_has_an_order(self) -> Self:
        if self.compound and self.matrix is None and self.pattern in ("neighbours", "blocks"):
            raise ValueError(f"{self.pattern} belong to a single attribute: drop compound, or choose another pattern")
        if self.compound and self.matrix is not None:
            raise ValueError("a matrix belongs to a single attribute: drop either compound or the matrix")
        return self

    @abstractmethod
    def matrix_of(self, shares: Floats | None, given: Floats | None, counts: Floats) -> Floats:
        """Transition probabilities of one group of categories with these counts.

        Exactly one of `shares` (where a changed value goes) and `given` (a matrix) is set.
        """

    @property
    def weighted(self) -> bool:
        """Whether counts are sums of weights, if there is a weight."""
        return True

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The columns to change, those that make groups, and the weight."""
        weight = [schema.weight] if self.weighted and schema.weight else []
        groups = [schema[name].name for name in self.within]
        return tuple(dict.fromkeys((*self.chosen(schema), *groups, *weight)))

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to change, none of which makes groups; those of `within` are no default."""
        names = super().chosen(schema)
        if self.columns is None:
            return tuple(name for name in names if name not in self.within) or names
        for name in self.within:
            if name in names:
                raise InputError(f"'{name}' cannot be both changed and named in `within`: name another column.")
        return names

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Frequencies hold; associations between attributes are weakened."""
        return Usage(
            "How often each category occurs, in the whole file.",
            "The usual estimators for one attribute at a time.",
            "In tables and models of several attributes, trust only the direction of effects: random "
            "changes weaken them.",
            f"print(file[{quoted(columns[0])}].value_counts())" if columns else "",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations that occur, and make the matrix of each group."""
        names = self.chosen(source.schema)
        units = [names] if self.compound else [(name,) for name in names]
        changes = [self._changes(source, unit) for unit in units]
        told = tuple(fact for change in changes for fact in self._told(source.schema, change))
        state, notes = tuple(map(self.prepared, changes)), tuple(note for c in changes for note in self.notes_on(c))
        return Plan(source.schema.select(names), state=state, published=told, notes=notes)

    def notes_on(self, changes: Changes) -> tuple[str, ...]:
        """Notes for the data owner about the matrices of some columns."""
        return ()

    def prepared(self, changes: Changes) -> Any:
        """What `mask` needs of the changes of some columns."""
        return changes

    def _changes(self, source: Source, names: tuple[str, ...]) -> Changes:
        weight = source.schema.weight if self.weighted else None
        if self.within or len(names) > 1:
            counted = source.fold(CellCounts((*self.within, *names), weight))
        else:
            counted = _categories(source, names[0], weight)
        every = None if self.matrix is None else len(source.schema[names[0]].categories or ())
        cells = observed(counted, len(self.within), every)
        given = None if self.matrix is None else self._given(source.schema[names[0]])
        matrices = []
        for rows in cells.groups():
            counts, codes = cells.counts[rows], cells.codes[rows]
            if len(codes) > MOST:
                raise InputError(
                    f"{' × '.join(names)} has {len(codes):,} categories, too many for a transition matrix: name "
                    "columns in `within`, or recode first."
                )
            free = ~_margins(source.schema, names, codes)
            if given is not None:
                _refuse_moving(names[0], given, free)
                matrices.append(self.matrix_of(None, given, counts))
                continue
            matrix = np.eye(len(codes))
            if free.any():
                shares = self._shares(source.schema[names[0]], codes[free, 0], counts[free])
                matrix[np.ix_(free, free)] = self.matrix_of(shares, None, counts[free])
            matrices.append(matrix)
        return Changes(names, cells, tuple(matrices))

    def _shares(self, attribute: Attribute, codes: NDArray[np.int32], counts: Floats) -> Floats:
        if self.pattern == "uniform":
            return uniform_shares(len(counts))
        if self.pattern == "proportional":
            return proportional_shares(counts)
        if self.pattern == "neighbours":
            if attribute.kind is not Kind.ORDINAL:
                raise InputError(
                    f"'{attribute.name}' is {attribute.kind.label}; only ordered categories have neighbours: give "
                    "it the kind ordinal, or choose another pattern."
                )
            return neighbour_shares(len(counts), self.reach)
        if attribute.hierarchy is None:
            raise InputError(
                f"'{attribute.name}' has no hierarchy: give it one, or choose another pattern than blocks."
            )
        classes = attribute.hierarchy.level(self.level)
        values = [str((attribute.categories or ())[code]) for code in codes]
        for value in values:
            if value not in classes:
                raise InputError(f"The hierarchy of '{attribute.name}' lacks the value '{value}': add a row for it.")
        return block_shares(np.unique([classes[value] for value in values], return_inverse=True)[1])

    def _given(self, attribute: Attribute) -> Floats:
        """The given matrix in the order of the categories of a column, checked."""
        categories, name = attribute.categories or (), attribute.name
        if isinstance(self.matrix, Mapping):
            matrix = np.eye(len(categories))
            for origin, row in self.matrix.items():
                place = _place(origin, categories, name)
                matrix[place] = 0.0
                for target, chance in row.items():
                    matrix[place, _place(target, categories, name)] += chance
        else:
            assert self.matrix is not None
            sizes = {len(self.matrix), *map(len, self.matrix)}
            if sizes != {len(categories)}:
                raise InputError(
                    f"'{name}' has {len(categories)} categories, but the matrix has {len(self.matrix)} rows of "
                    f"{', '.join(str(size) for size in sorted(set(map(len, self.matrix))))} probabilities: give "
                    f"a row and a column for each of {', '.join(map(str, categories[:10]))}."
                )
            matrix = np.array(self.matrix, dtype=np.float64)
        for category, chances in zip(categories, matrix, strict=True):
            if (chances < 0).any() or abs(float(chances.sum()) - 1.0) > 1e-9:
                raise InputError(
                    f"The probabilities of '{category}' in the matrix of '{name}' must lie between 0 and 1 and add "
                    f"up to 1; they add up to {float(chances.sum()):.10g}."
                )
        return matrix

    def _told(self, schema: Schema, changes: Changes) -> Iterator[Transition]:
        """What a published description reveals: one matrix per group."""
        dictionaries = [schema[name].categories or () for name in changes.names]
        groups = [schema[name].categories for name in self.within]
        for rows, matrix in zip(changes.cells.groups(), changes.matrices, strict=True):
            values = [
                tuple(None if code < 0 else words[code] for code, words in zip(codes, dictionaries, strict=True))
                for codes in changes.cells.codes[rows].tolist()
            ]
            categories = tuple(values) if len(changes.names) > 1 else tuple(value for (value,) in values)
            group = tuple(changes.cells.group_values(rows.start, groups))
            yield Transition(changes.names, matrix, categories, self.within, group)


def _margins(schema: Schema, names: tuple[str, ...], codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which combinations are totals of a table: totals stay, and nothing else becomes one."""
    found = np.zeros(len(codes), dtype=bool)
    for name, column in zip(names, codes.T, strict=True):
        if (margin := schema[name].margin) is not None:
            found |= column == (schema[name].categories or ()).index(margin)
    return found


def _refuse_moving(name: str, matrix: Floats, free: NDArray[np.bool_]) -> None:
    if matrix[np.ix_(~free, free)].any() or matrix[np.ix_(free, ~free)].any():
        raise InputError(f"The matrix of '{name}' moves cells to or from the total: leave the total out.")


def _categories(source: Source, name: str, weight: str | None) -> CellValues:
    """Frequencies of the categories that occur in one column."""
    size = len(source.schema[name].categories or ())
    numbers = source.fold(Counts(name, size)).counts
    occurring = np.flatnonzero(numbers > 0)
    weights = None if weight is None else source.fold(Counts(name, size, weight)).counts[occurring]
    codes = occurring.astype(np.int32)[:, None]
    return CellValues(codes, numbers[occurring].astype(np.int64), weights, (None,))


def _place(value: str, categories: tuple[Any, ...], name: str) -> int:
    place = int(match_categories([value], categories)[0])
    if place < 0:
        raise InputError(
            f"The matrix names '{value}', which is not a category of "
            f"'{name}'.{did_you_mean(value, [str(category) for category in categories])}"
        )
    return place


def written_back(changes: Changes, block: Block, rows: NDArray[np.int32]) -> dict[str, NDArray[np.int32]]:
    """The columns of a block after its records got these rows of the combinations; -1 leaves a record unchanged."""
    masked = {}
    for position, name in enumerate(changes.names):
        before: NDArray[np.int32] = block[name]  # type: ignore[assignment]
        table = np.append(changes.cells.codes[:, position], np.int32(-1)).astype(np.int32)
        masked[name] = np.where(rows >= 0, table[rows], before).astype(np.int32)
    return masked
