"""The lattice of all recodings of some keys, one level each, and the search for the one that loses least."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.methods.recoding.levels import KeyLevels
from ammg.methods.recoding.recoding_loss import RecodingLoss
from ammg.progress import tick

if TYPE_CHECKING:
    from ammg.kernels.recoding.roll_up import CellTable

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Levels = tuple[int, ...]

LARGEST = 1_000_000
"""Transformations of a lattice that is searched whole."""
_CACHED_CELLS = 8_000_000


@dataclass(frozen=True, eq=False)
class Transformation:
    """One node of the lattice, counted: its classes, which of them fail, and its loss.

    The loss is infinite if too many records fail or there are too many classes.
    """

    levels: Levels
    table: CellTable
    failing: Bools
    suppressed: int
    loss: float


@dataclass(frozen=True, eq=False)
class Found:
    """The best transformation, whether no other loses less, and how many of how many were counted."""

    best: Transformation | None
    is_optimal: bool
    counted: int
    size: int


@dataclass(eq=False)
class Lattice:
    """Counts the classes of transformations, each from the smallest finer table available."""

    keys: Sequence[KeyLevels]
    table: CellTable
    sensitive_sizes: Sequence[int]
    fails: Callable[[CellTable, Sequence[int]], tuple[CellTable, Bools]]
    """Classes of a table (its sensitive columns gone) and which of them break a criterion."""
    loss: RecodingLoss
    most_suppressed: int
    most_classes: int
    is_monotone: bool
    """Whether a coarser transformation never has more records in failing classes."""
    counted: int = 0
    _tables: dict[Levels, CellTable] = field(default_factory=dict)
    _known: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    """Levels and size of each table at hand."""
    _cells: int = 0

    def __post_init__(self) -> None:
        self._tables[(0,) * len(self.keys)] = self.table
        self._known = np.zeros((64, len(self.keys) + 1), np.int64)
        self._known[0, -1] = self._cells = len(self.table)

    @property
    def heights(self) -> list[int]:
        """The greatest level of each key."""
        return [key.height for key in self.keys]

    def count(self, levels: Levels) -> Transformation:
        """Count one transformation."""
        self.counted += 1
        table = self._rolled_up(levels)
        classes, failing = self.fails(table, self._sizes(levels))
        suppressed = int(classes.counts[failing].sum())
        is_safe = suppressed <= self.most_suppressed and len(classes.counts) <= self.most_classes
        loss = self.loss(levels, classes.keys, classes.counts, failing) if is_safe else np.inf
        return Transformation(levels, classes, failing, suppressed, loss)

    def is_safe(self, node: Transformation) -> bool:
        """Whether few enough records fail, and the classes are few enough."""
        return node.loss < np.inf

    def prepare(self, levels: Levels) -> None:
        """Keep the table of these levels: all that will be counted is at least as coarse."""
        self._rolled_up(levels)

    def _rolled_up(self, levels: Levels) -> CellTable:
        """One key after the other is made coarser, in an order of its own, so that neighbours share most of the way."""
        from ammg.kernels.recoding.roll_up import roll_up

        if levels in self._tables:
            return self._tables[levels]
        known = self._known[: len(self._tables)]
        finer = np.all(known[:, :-1] <= np.array(levels), axis=1)
        here: Levels = tuple(known[np.argmin(np.where(finer, known[:, -1], np.iinfo(np.int64).max)), :-1].tolist())
        table = self._tables[here]
        for place in self.order:
            if here[place] == levels[place]:
                continue
            step = self.keys[place].between(here[place], levels[place])
            here = (*here[:place], levels[place], *here[place + 1 :])
            if here in self._tables:
                table = self._tables[here]
                continue
            table = roll_up(table, {place: step}, [*self._sizes(here), *self.sensitive_sizes])
            self._keep(here, table)
        return table

    def _keep(self, levels: Levels, table: CellTable) -> None:
        self._cells += len(table)
        if self._cells > _CACHED_CELLS:
            bottom = (0,) * len(self.keys)
            self._tables = {bottom: self.table}
            self._cells = len(self.table) + len(table)
        if len(self._tables) == len(self._known):
            self._known = np.concatenate([self._known, np.zeros_like(self._known)])
        self._known[len(self._tables)] = (*levels, len(table))
        self._tables[levels] = table

    @cached_property
    def order(self) -> list[int]:
        """Keys whose classes shrink most come first."""
        shrink = [len(key.labels[-1]) / max(1, len(key.values)) for key in self.keys]
        return sorted(range(len(self.keys)), key=lambda place: shrink[place])

    def _sizes(self, levels: Levels) -> list[int]:
        return [max(1, len(key.labels[level])) for key, level in zip(self.keys, levels, strict=True)]


def search_whole(lattice: Lattice) -> Found:
    """The transformation of least loss among all: coarse ones first, pruned by bounds and where monotonicity holds.

    Transformations whose lower bound exceeds the best loss are never counted. Where criteria are monotone, everything
    finer than a transformation with too many failing records has too many as well.
    """
    heights = np.array(lattice.heights)
    nodes = np.stack(np.unravel_index(np.arange(int(np.prod(heights + 1))), heights + 1), axis=1).astype(np.int64)
    bounds = lattice.loss.bounds(nodes)
    open_ = np.ones(len(nodes), np.bool_)
    open_there, bounds_there = open_.reshape(heights + 1), bounds.reshape(heights + 1)  # the same, by levels
    best = _descend(lattice, len(nodes))
    limit = np.inf if best is None else best.loss
    if best is not None:
        open_there[best.levels] = False
    left = np.flatnonzero(open_ & (bounds < limit))
    if left.size:
        lattice.prepare(tuple(nodes[left].min(axis=0).tolist()))
    # In one sweep, whatever is coarser before what is finer, and neighbours that share tables one after the other; what
    # the sweep learns shortens the rest of it.
    sweep = left[np.lexsort(-nodes[left][:, lattice.order[::-1]].T)]
    for done, place in enumerate(sweep.tolist()):
        if not open_[place] or not bounds[place] < limit:
            continue
        levels: Levels = tuple(nodes[place].tolist())
        node = lattice.count(levels)
        tick(done, left.size)
        if lattice.is_safe(node):
            if node.loss < limit:
                best, limit = node, node.loss
        elif lattice.is_monotone:
            open_there[tuple(slice(0, level + 1) for level in levels)] = False
        if floor := lattice.loss.bound_of(node.table.counts):
            coarser = bounds_there[tuple(slice(level, None) for level in levels)]
            np.maximum(coarser, floor, out=coarser)
    return Found(best, True, lattice.counted, len(nodes))


def search_part(lattice: Lattice, budget: int) -> Found:
    """A good transformation after counting at most `budget`: down from the top, then exchanges between keys."""
    size = 1
    for height in lattice.heights:
        size *= height + 1
    best = _descend(lattice, budget)
    seen: set[Levels] = set()
    while best is not None:
        better = None
        for levels in _exchanges(best.levels, lattice.heights):
            if levels in seen or lattice.counted >= budget:
                continue
            seen.add(levels)
            if float(lattice.loss.bounds(np.array([levels]))[0]) >= best.loss:
                continue
            node = lattice.count(levels)
            if lattice.is_safe(node) and node.loss < best.loss:
                better = node
                break
        if better is None:
            break
        best = better
    return Found(best, False, lattice.counted, size)


def _descend(lattice: Lattice, budget: int) -> Transformation | None:
    """From the coarsest transformation to finer ones as long as that loses less and stays safe."""
    here = lattice.count(tuple(lattice.heights))
    best = here if lattice.is_safe(here) else None
    if best is None and lattice.is_monotone:
        return None
    while lattice.counted < budget:
        finer = [
            (*here.levels[:place], level - 1, *here.levels[place + 1 :])
            for place, level in enumerate(here.levels)
            if level
        ]
        counted = [lattice.count(levels) for levels in finer]
        safe = [node for node in counted if lattice.is_safe(node)]
        step = min(safe, key=lambda node: node.loss, default=None)
        if step is None or (best is not None and step.loss >= best.loss):
            return best
        here = best = step
    return best


def _exchanges(levels: Levels, heights: Sequence[int]) -> list[Levels]:
    """One key up or down, or one up and another down."""
    found = []
    for one in range(len(levels)):
        for change in (-1, 1, -2, 2):
            if 0 <= levels[one] + change <= heights[one]:
                moved = (*levels[:one], levels[one] + change, *levels[one + 1 :])
                found.append(moved)
                for other in range(len(levels)):
                    step = 1 if change < 0 else -1
                    if other != one and 0 <= levels[other] + step <= heights[other]:
                        found.append((*moved[:other], moved[other] + step, *moved[other + 1 :]))
    return found
