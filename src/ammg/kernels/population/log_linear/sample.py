"""A sample as a table: its non-empty cells, and the sampling fraction of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import group_keys
from ammg.kernels.population.log_linear.layout import Layout


@dataclass(frozen=True)
class TableSample:
    """Counts of a sample in the cells of a layout, with sampling fractions.

    Without survey weights all fractions equal `fraction`. With weights, F̂ is the sum of weights in a cell and
    the cell's fraction is f / F̂ (Skinner and Shlomo 2008, section on complex designs); cells empty in the sample have
    the overall fraction n / Σw.
    """

    layout: Layout
    index: NDArray[np.int32]  # of each record, into the arrays below
    cells: NDArray[np.int64]
    counts: NDArray[np.float64]
    fractions: NDArray[np.float64]
    fraction: float

    @property
    def uniques(self) -> NDArray[np.int64]:
        """Positions (in `cells`) of the sample uniques."""
        return np.flatnonzero(self.counts == 1)

    @property
    def population_counts(self) -> NDArray[np.float64]:
        """The estimated population of each cell: f / π, or the sum of the weights."""
        return self.counts / self.fractions


def table_sample(
    layout: Layout,
    codes: Sequence[NDArray[np.int32]],
    fraction: float | None = None,
    weights: NDArray[np.float64] | None = None,
) -> TableSample:
    """Tabulate a sample drawn with one fraction, or with survey weights.

    Args:
        layout: The table.
        codes: One array per key.
        fraction: Sampling fraction; not needed with weights.
        weights: Survey weights; they should sum to the population.
    """
    located = layout.locate(codes)
    cells = group_keys(located, layout.size)
    counts = cells.counts.astype(np.float64)
    if weights is not None:
        sums = cells.sums(weights)
        if not np.all(sums >= counts * (1.0 - 1e-12)):
            worst = int(np.argmin(sums - counts))
            raise ValueError(
                f"{counts[worst]:g} records stand for {sums[worst]:g} people: survey weights below one (or missing) "
                "cannot be used. Rescale the weights to the population."
            )
        fractions = np.minimum(counts / sums, 1.0)
        overall = min(1.0, located.size / float(weights.sum()))
    elif fraction is not None and 0 < fraction <= 1:
        fractions, overall = np.full(counts.size, fraction), fraction
    else:
        raise ValueError(f"The sampling fraction must lie in (0, 1]; it is {fraction}.")
    return TableSample(layout, cells.index, located[cells.first], counts, fractions, overall)
