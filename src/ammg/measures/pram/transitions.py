"""Published transitions as an intruder uses them: one matrix per group, in codes that both files share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import Transition
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
    codes: tuple[list[Codes], list[Codes]] = ([], [])
    layers: tuple[list[Ints], list[Ints]] = ([], [])
    matrices: list[Floats] = []
    for change in changes:
        tables = [_numbering(pair, known, change, name) for name in (*change.within, *change.columns)]
        states = [(*layer.group, *category) for layer in change.layers for category in layer.categories]
        sizes = [len(layer.categories) for layer in change.layers]
        ids = np.column_stack([_ids([s[j] for s in states], table.values) for j, table in enumerate(tables)])
        local = np.concatenate([np.arange(size) for size in sizes]).astype(np.int32)
        layer = np.repeat(np.arange(len(sizes)), sizes) + len(matrices)
        for side, file in enumerate((known.original, known.masked)):
            row = _found(ids, np.column_stack([table.of(file) for table in tables]))
            codes[side].append(np.where(row >= 0, local[row], -1).astype(np.int32))
            layers[side].append(np.where(row >= 0, layer[row], -1).astype(np.int64))
        matrices += [_with_error(layer.matrix, known, change) for layer in change.layers]
    first, second = (np.column_stack(side) for side in codes)
    return Coded((first, second), (np.column_stack(layers[0]), np.column_stack(layers[1])), matrices)


@dataclass(frozen=True, eq=False)
class _Numbering:
    """Values of a column as small numbers: common codes of categories, or places among the numbers of groups."""

    place: int
    values: tuple[Any, ...]
    categorical: bool

    def of(self, file: Floats) -> Ints:
        column = file[:, self.place]
        if self.categorical:
            return np.nan_to_num(column, nan=-1).astype(np.int64)
        numbers = np.array(self.values, dtype=np.float64)
        place = np.searchsorted(numbers, column)
        same = np.append(numbers, np.nan)[np.minimum(place, len(numbers))] == column
        return np.where(same, place, -1).astype(np.int64)


def _numbering(pair: Pair, known: Knowledge, change: Change, name: str) -> _Numbering:
    place = known.names.index(name)
    if known.categorical[place]:
        return _Numbering(place, pair.common_codes(name)[2], True)
    groups = [layer.group[change.within.index(name)] for layer in change.layers]
    return _Numbering(place, tuple(sorted({float(value) for value in groups if value is not None})), False)


def _ids(values: Sequence[Any], dictionary: Sequence[Any]) -> Ints:
    distinct = list(dict.fromkeys(values))
    place = dict(zip(distinct, match_categories(distinct, dictionary).tolist(), strict=True))
    return np.array(
        [-2 if place[value] < 0 and value is not None else place[value] for value in values], dtype=np.int64
    )


def _found(states: Ints, records: Ints) -> Ints:
    """The state of each record, -1 if it is none."""
    both = np.concatenate([states, records])
    _, number = np.unique(both, axis=0, return_inverse=True)
    number = number.reshape(-1)
    place = np.full(number.max(initial=0) + 1, -1, dtype=np.int64)
    place[number[: len(states)]] = np.arange(len(states))
    return place[number[len(states) :]]


def chances_to_stay(cells: Coded) -> Floats:
    """The chance that each released record would be shown as it is if that were the truth."""
    stays = [np.diagonal(matrix) for matrix in cells.matrices]
    begins = np.cumsum([0, *map(len, stays)])[:-1]
    flat = np.append(np.concatenate(stays), 1.0)
    codes, layers = cells.codes[1], cells.layers[1]
    rows = np.where(layers >= 0, begins[layers] + codes, len(flat) - 1)
    return np.asarray(flat[rows].prod(axis=1))


def more_stayed_than_told(cells: Coded, link: Ints) -> bool:
    """Whether clearly more records show what their person has than the published chances allow."""
    flat = np.append(np.concatenate([np.diagonal(matrix) for matrix in cells.matrices]), 1.0)
    begins = np.cumsum([0, *map(len, cells.matrices)])[:-1]
    own, layers, shown = cells.codes[0][link[link >= 0]], cells.layers[0][link[link >= 0]], cells.codes[1][link >= 0]
    chance = flat[np.where(layers >= 0, begins[layers] + own, len(flat) - 1)].prod(axis=1)
    stayed = np.count_nonzero((own == shown).all(axis=1))
    return bool(stayed > chance.sum() + 1 + 4 * np.sqrt((chance * (1 - chance)).sum()))


def _with_error(matrix: Floats, known: Knowledge, change: Change) -> Floats:
    """What is released for a category that the intruder holds, which may be wrong itself."""
    if len(change.columns) > 1:
        return matrix
    error, size = known.error[known.names.index(change.columns[0])], len(matrix)
    held = (1 - error) * np.eye(size) + error / size
    return np.asarray(held @ matrix)
