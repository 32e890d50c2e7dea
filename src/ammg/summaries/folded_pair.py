"""Original and masked records that are not in memory: measures that add up over chunks still work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.data.schema import Schema
from ammg.summaries.summary import State, Value

Numbers = NDArray[np.float64]


class PairSummary(ABC, Generic[State, Value]):
    """Partial results over chunks of both files, merged from the left in the order of the chunks.

    A chunk of originals comes with its masked records: some may have been dropped, others added.
    """

    original: tuple[str, ...] = ()
    """Columns of the original file that `add` needs."""
    released: tuple[str, ...] = ()
    """Columns of the masked file that `add` needs."""

    @abstractmethod
    def add(self, original: Block, released: Block) -> State:
        """The partial result of one chunk."""

    @abstractmethod
    def merge(self, left: State, right: State) -> State:
        """Merge two partial results."""

    @abstractmethod
    def finish(self, state: State | None) -> Value:
        """The final value; the state is None if there were no records."""


class FoldedPair(Pair, ABC):
    """A pair for measures that add up over chunks; other measures read the records into memory."""

    is_at_hand = False

    @property
    @abstractmethod
    def released_schema(self) -> Schema:
        """The attributes of the masked file, known without reading it."""

    @abstractmethod
    def fold(self, summary: PairSummary[State, Value]) -> Value:
        """Compute a summary over both files."""


def released_numbers(block: Block, names: tuple[str, ...]) -> Numbers:
    """Released values as numbers; NaN for columns that were dropped or are no longer numeric."""
    out = np.full((len(block), len(names)), np.nan, order="F")
    for position, name in enumerate(names):
        if name not in block.columns:
            continue
        attribute = block.schema[name]
        if attribute.is_numeric:
            out[:, position] = block.numbers(name)
        elif attribute.scores is not None:
            out[:, position] = np.array([*attribute.scores, np.nan])[block[name]]
    return out


def aligned_numbers(original: Block, released: Block, names: tuple[str, ...]) -> tuple[Numbers, Numbers]:
    """Originals and released values beside them; NaN where a value or record was removed."""
    shown = released_numbers(released, names)
    before = original.matrix(names)
    place = np.searchsorted(released.ids, original.ids)
    place[place == len(released)] = 0
    there = released.ids[place] == original.ids if len(released) else np.zeros(len(original), dtype=bool)
    after = np.full(before.shape, np.nan, order="F")
    after[there] = shown[place[there]]
    return before, after
