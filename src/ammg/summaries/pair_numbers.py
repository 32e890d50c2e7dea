"""Numbers before and after masking: moments of both files, and means over the cells of the original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.kernels.loss.cell_changes import CellChange
from ammg.kernels.pairwise import Moments as PairwiseMoments
from ammg.summaries.extremes import Extremes, ExtremeValues
from ammg.summaries.folded_pair import PairSummary, aligned_numbers, released_numbers
from ammg.summaries.moments import Moments, MomentState

Numbers = NDArray[np.float64]
FileState = tuple[MomentState, ExtremeValues]


class PairMoments(PairSummary[tuple[FileState, FileState], tuple[PairwiseMoments, PairwiseMoments]]):
    """Moments of the original and of the masked file, including simulated records, as in `pairwise_moments`."""

    def __init__(self, names: tuple[str, ...], released: tuple[str, ...]) -> None:
        self.original, self.released = names, released
        self.moments, self.extremes = Moments(names), Extremes(names)

    def add(self, original: Block, released: Block) -> tuple[FileState, FileState]:
        """Moments of a chunk."""
        shown = released_numbers(released, self.original)
        columns = {name: np.ascontiguousarray(shown[:, j]) for j, name in enumerate(self.original)}
        return self._file(original), self._file(Block(released.ids, columns, original.schema))

    def _file(self, block: Block) -> FileState:
        return self.moments.add(block), self.extremes.add(block)

    def merge(
        self, left: tuple[FileState, FileState], right: tuple[FileState, FileState]
    ) -> tuple[FileState, FileState]:
        """Merge the moments of more chunks."""
        return self._merged(left[0], right[0]), self._merged(left[1], right[1])

    def _merged(self, left: FileState, right: FileState) -> FileState:
        return self.moments.merge(left[0], right[0]), self.extremes.merge(left[1], right[1])

    def finish(self, state: tuple[FileState, FileState] | None) -> tuple[PairwiseMoments, PairwiseMoments]:
        """Moments of both files."""
        if state is None:
            size = len(self.original)
            nothing = PairwiseMoments(np.full(size, np.nan), np.full((size, size), np.nan))
            return nothing, nothing
        return _finished(*state[0]), _finished(*state[1])


def _finished(moments: MomentState, extremes: ExtremeValues) -> PairwiseMoments:
    """NaN for moments without observations, or with one; the variance of a constant is zero despite rounding."""
    mean = np.where(np.diag(moments.count) > 0, np.diag(moments.mean), np.nan)
    covariance = np.where(moments.count > 1, moments.cross / np.maximum(moments.count - 1, 1), np.nan)
    constant = extremes.lowest == extremes.highest
    still = constant[:, None] | constant[None, :]
    covariance = np.where(still & ~np.isnan(covariance), 0.0, covariance)
    return PairwiseMoments(np.where(constant, extremes.lowest, mean), covariance)


@dataclass(frozen=True, eq=False)
class CellMeans:
    """Sums over the cells of the original, one entry per column, and over records."""

    sums: Numbers
    defined: NDArray[np.int64]
    undefined: int
    record_means: float
    """Sum over records of the mean of their defined cells."""
    records: int
    """Records with a defined cell."""


class PairCells(PairSummary[CellMeans, CellMeans]):
    """Sums of `entries` over the cells of the original; `entries` must be picklable, because it is sent to workers."""

    def __init__(self, names: tuple[str, ...], released: tuple[str, ...], entries: CellChange) -> None:
        self.original, self.released, self.entries = names, released, entries

    def add(self, original: Block, released: Block) -> CellMeans:
        """Sums of a chunk."""
        entries = self.entries(*aligned_numbers(original, released, self.original))
        seen = ~np.isnan(entries)
        values = np.where(seen, entries, 0.0)
        kept = seen.sum(axis=1)
        means = values.sum(axis=1)[kept > 0] / kept[kept > 0]
        undefined = int(seen.size - np.count_nonzero(seen))
        return CellMeans(values.sum(axis=0), seen.sum(axis=0), undefined, float(means.sum()), len(means))

    def merge(self, left: CellMeans, right: CellMeans) -> CellMeans:
        """Sums add."""
        return CellMeans(
            left.sums + right.sums,
            left.defined + right.defined,
            left.undefined + right.undefined,
            left.record_means + right.record_means,
            left.records + right.records,
        )

    def finish(self, state: CellMeans | None) -> CellMeans:
        """The sums themselves."""
        size = len(self.original)
        return state or CellMeans(np.zeros(size), np.zeros(size, dtype=np.int64), 0, 0.0, 0)
