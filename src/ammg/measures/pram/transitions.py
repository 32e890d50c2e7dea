"""Published transitions as an intruder uses them: one matrix per group, in codes that both files share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import PIECE
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import Knowledge, untouched

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layer:
    """The matrix of one group: the values of its group columns, and the combinations that its rows stand for."""

    group: tuple[Any, ...]
    categories: tuple[tuple[Any, ...], ...]
    matrix: Floats


@dataclass(frozen=True, eq=False)
class Change:
    """Columns that changed together, within groups by other columns: one layer per group."""

    columns: tuple[str, ...]
    within: tuple[str, ...]
    layers: tuple[Layer, ...]

    def then(self, later: Change) -> Change:
        """Two changes of the same columns, one after the other; only the later one where they cannot be combined."""
        if self.within == later.within and len(self.layers) == len(later.layers):
            pairs = list(zip(self.layers, later.layers, strict=True))
            if all(a.group == b.group and a.categories == b.categories for a, b in pairs):
                layers = tuple(Layer(b.group, b.categories, a.matrix @ b.matrix) for a, b in pairs)
                return Change(self.columns, self.within, layers)
        first, second = (next(alone(change, change.columns)) for change in (self, later))
        if first.layers[0].categories != second.layers[0].categories:
            return second
        return first.then(second)


def transitions(pair: Pair) -> list[Transition]:
    """What the steps published about changes of categories."""
    return [published for published in pair.published if isinstance(published, Transition)]


def changes_known(pair: Pair, known: Knowledge) -> list[Change]:
    """The changes of what an intruder knows; no column is in two of them.

    Columns that changed together are taken apart, and groups averaged, where the intruder does not know all of them or
    another step has changed the groups.
    """
    same = set(untouched(pair, known))
    sure = {name for name, error in zip(known.names, known.error, strict=True) if not error}
    combined: dict[tuple[str, ...], Change] = {}
    for step in _steps(transitions(pair)):
        names = [name for name in step.columns if name in known.names]
        whole = len(names) == len(step.columns) and (len(names) == 1 or sure.issuperset(names))
        parts = [step] if whole and same.issuperset(step.within) else [p for n in names for p in alone(step, (n,))]
        clash = {name for part in parts for name in part.columns}
        for columns in [columns for columns in combined if clash.intersection(columns)]:
            if columns not in [part.columns for part in parts]:  # changed together once and alone once: take it apart
                before = combined.pop(columns)
                combined |= {(name,): next(alone(before, (name,))) for name in columns}
                parts = [piece for part in parts for name in part.columns for piece in alone(part, (name,))]
        for part in parts:
            combined[part.columns] = combined[part.columns].then(part) if part.columns in combined else part
    return list(combined.values())


def alone(change: Change, columns: tuple[str, ...]) -> Iterator[Change]:
    """The change of some of the columns without groups: every combination and group counts alike."""
    places = [change.columns.index(name) for name in columns]
    states: dict[tuple[Any, ...], int] = {}
    for layer in change.layers:
        for category in layer.categories:
            states.setdefault(tuple(category[place] for place in places), len(states))
    sums, rows = np.zeros((len(states), len(states))), np.zeros(len(states))
    for layer in change.layers:
        of = [states[tuple(category[place] for place in places)] for category in layer.categories]
        np.add.at(sums, (np.repeat(of, len(of)), np.tile(of, len(of))), layer.matrix.ravel())
        np.add.at(rows, of, 1.0)
    yield Change(columns, (), (Layer((), tuple(states), sums / rows[:, None]),))


def _steps(published: Sequence[Transition]) -> list[Change]:
    """Facts of one step together: a group that comes again belongs to the next step."""
    steps: list[Change] = []
    for fact in published:
        together = len(fact.columns) > 1 and all(isinstance(value, tuple) for value in fact.categories)
        categories = tuple(value if together else (value,) for value in fact.categories)
        if any(None in category for category in categories):
            continue  # a missing value may come from a later suppression: such combinations tell nothing
        layer = Layer(fact.group, categories, fact.matrix)
        for columns in [fact.columns] if together else [(name,) for name in fact.columns]:
            last = steps[-1] if steps else None
            if (
                last is not None
                and (last.columns, last.within) == (columns, fact.within)
                and fact.group not in [known.group for known in last.layers]
            ):
                steps[-1] = Change(columns, fact.within, (*last.layers, layer))
            else:
                steps.append(Change(columns, fact.within, (layer,)))
    return steps


@dataclass(frozen=True, eq=False)
class Coded:
    """Both files in the rows of matrices: code and number of the matrix of each cell, -1 where nothing is known."""

    codes: tuple[Codes, Codes]
    layers: tuple[Ints, Ints]
    matrices: list[Floats]


def coded(pair: Pair, known: Knowledge, changes: Sequence[Change]) -> Coded:
    """The known columns of both files as codes of the changes, one column per change."""
    files = known.original, known.masked
    codes = [np.empty((len(file), len(changes)), dtype=np.int32) for file in files]
    layers = [np.empty((len(file), len(changes)), dtype=np.int64) for file in files]
    states: list[_States] = []
    matrices: list[Floats] = []
    for change in changes:
        states.append(_States.of(pair, known, change, len(matrices)))
        matrices += [_with_error(layer.matrix, known, change) for layer in change.layers]

    def code(work: tuple[int, int]) -> None:
        place, side = work
        codes[side][:, place], layers[side][:, place] = states[place].code(files[side])

    in_threads(code, product(range(len(changes)), range(2)), codes[0].size + codes[1].size)
    return Coded((codes[0], codes[1]), (layers[0], layers[1]), matrices)


@dataclass(frozen=True, eq=False)
class _States:
    """The rows of the matrices of a change: values as numbers, and code and matrix, which end with -1 for no row."""

    tables: list[_Numbering]
    rows: Codes
    codes: Codes
    layers: Ints

    @classmethod
    def of(cls, pair: Pair, known: Knowledge, change: Change, first: int) -> _States:
        """The rows of a change whose matrices are numbered from `first`."""
        tables = [_numbering(pair, known, change, name) for name in (*change.within, *change.columns)]
        states = [(*layer.group, *category) for layer in change.layers for category in layer.categories]
        sizes = [len(layer.categories) for layer in change.layers]
        rows = np.column_stack([_ids([s[j] for s in states], table.values) for j, table in enumerate(tables)])
        local = np.concatenate([*map(np.arange, sizes), [-1]])
        layers = np.append(np.repeat(np.arange(len(sizes)), sizes) + first, -1)
        return cls(tables, rows, local.astype(np.int32), layers)

    def code(self, file: Floats) -> tuple[Codes, Ints]:
        """Code and matrix of each record."""
        from ammg.kernels.anonymity.lookup import find_rows

        row = find_rows(self.rows, [table.of(file) for table in self.tables])
        return self.codes[row], self.layers[row]


@dataclass(frozen=True, eq=False)
class _Numbering:
    """Values of a column as small numbers: common codes of categories, or places among the numbers of groups."""

    place: int
    values: tuple[Any, ...]
    categorical: bool

    def of(self, file: Floats) -> Codes:
        column = file[:, self.place]
        if self.categorical:
            return np.nan_to_num(column, nan=-1).astype(np.int32)
        numbers = np.array(self.values, dtype=np.float64)
        place = np.searchsorted(numbers, column)
        same = np.append(numbers, np.nan)[np.minimum(place, len(numbers))] == column
        return np.where(same, place, -1).astype(np.int32)


def _numbering(pair: Pair, known: Knowledge, change: Change, name: str) -> _Numbering:
    place = known.names.index(name)
    if known.categorical[place]:
        return _Numbering(place, pair.common_codes(name)[2], True)
    groups = [layer.group[change.within.index(name)] for layer in change.layers]
    return _Numbering(place, tuple(sorted({float(value) for value in groups if value is not None})), False)


def _ids(values: Sequence[Any], dictionary: Sequence[Any]) -> Codes:
    distinct = list(dict.fromkeys(values))
    place = dict(zip(distinct, match_categories(distinct, dictionary).tolist(), strict=True))
    return np.array(
        [-2 if place[value] < 0 and value is not None else place[value] for value in values], dtype=np.int32
    )


def chances_to_stay(cells: Coded) -> Floats:
    """The chance that each released record would be shown as it is if that were the truth."""
    return _stays(cells, 1)


def more_stayed_than_told(cells: Coded, link: Ints) -> bool:
    """Whether clearly more records show what their person has than the published chances allow."""
    real = np.flatnonzero(link >= 0)
    own, shown = cells.codes[0], cells.codes[1]
    chance, stayed = _stays(cells, 0)[link[real]], np.ones(len(real), dtype=bool)
    for place in range(own.shape[1]):
        stayed &= own[link[real], place] == shown[real, place]
    return bool(stayed.sum() > chance.sum() + 1 + 4 * np.sqrt((chance * (1 - chance)).sum()))


def _stays(cells: Coded, side: int) -> Floats:
    """The chance of each record of a file to be released as it is."""
    begins = np.cumsum([0, *map(len, cells.matrices)])[:-1]
    flat = np.append(np.concatenate([np.diagonal(matrix) for matrix in cells.matrices]), 1.0)
    codes, layers = cells.codes[side], cells.layers[side]
    chance = np.ones(len(codes))

    def multiply(start: int, stop: int) -> None:
        for place in range(codes.shape[1]):
            code, layer = codes[start:stop, place], layers[start:stop, place]
            chance[start:stop] *= flat[np.where(layer >= 0, begins[layer] + code, len(flat) - 1)]

    over_blocks(multiply, len(codes), block=PIECE, brief=True)
    return chance


def _with_error(matrix: Floats, known: Knowledge, change: Change) -> Floats:
    """What is released for a category that the intruder holds, which may be wrong itself."""
    if len(change.columns) > 1:
        return matrix
    error, size = known.error[known.names.index(change.columns[0])], len(matrix)
    held = (1 - error) * np.eye(size) + error / size
    return np.asarray(held @ matrix)
