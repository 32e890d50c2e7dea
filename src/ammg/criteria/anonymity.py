"""k-anonymity, k-map and δ-presence: how many people share the keys of a record, and who is known to be in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import Cells, count_cells
from ammg.kernels.anonymity.missing_patterns import missing_patterns


def violates_anonymity(frequencies: NDArray[np.float64] | NDArray[np.int64], k: float) -> NDArray[np.bool_]:
    """Whether fewer than k records share the keys of a record (Samarati and Sweeney 1998).

    Applied to population instead of sample frequencies, the same test is k-map (Sweeney 2001).
    """
    return np.asarray(frequencies < k)


def population_frequencies(
    sample: Sequence[NDArray[np.int32]], population: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> NDArray[np.int64]:
    """How many population units share the keys of each sample record; 0 where the population lacks the combination.

    Both files use the same dictionaries; a missing value matches any value.
    """
    records, units = np.column_stack(sample), np.column_stack(population)
    found = np.zeros(len(records), dtype=np.int64)
    patterns = missing_patterns(units)
    for gaps, rows in missing_patterns(records):
        for holes, people in patterns:
            used = np.flatnonzero(~gaps & ~holes).tolist()
            codes = np.concatenate([records[rows], units[people]])[:, used]
            cells = count_cells(list(codes.T), [sizes[j] for j in used], len(codes))
            found[rows] += np.bincount(cells.index[len(rows) :], minlength=len(cells))[cells.index[: len(rows)]]
    return found


@dataclass(frozen=True)
class Presence:
    """Share of each population class that is in the file: the belief that a member of the class is in it.

    `lowest` and `highest` are the δmin and δmax that the file satisfies; `by_record` is the belief for each record of
    the file.
    """

    lowest: float
    highest: float
    by_record: NDArray[np.float64]


def presence(
    sample: Sequence[NDArray[np.int32]], population: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> Presence:
    """δ-presence of a file within a population that contains it (Nergiz, Atzori and Clifton 2007, SIGMOD).

    Every class of the population counts; a class without records in the file has belief 0, so that δmin is 0.
    """
    from ammg.criteria.class_sizes import DeltaPresence

    cells, n = _pool(sample, population, sizes)
    in_sample = np.bincount(cells.index[:n], minlength=len(cells))
    in_population = np.bincount(cells.index[n:], minlength=len(cells))
    if np.any(in_sample > in_population):
        outside = int(np.argmax(in_sample > in_population))
        raise ValueError(
            f"A class has {in_population[outside]} records in the population but "
            f"{in_sample[outside]} in the file: the population must contain the file."
        )
    belief = DeltaPresence.share(in_sample, in_population)
    return Presence(float(belief.min(initial=1.0)), float(belief.max(initial=0.0)), belief[cells.index[:n]])


def safe_class_size(k: int, fraction: float, significance: float = 0.01) -> int:
    """Least sample class size whose population class reaches k with probability 1 - significance.

    A class of size f in a sample with this fraction has F - f other members in the population, Poisson with mean
    f (1 - fraction) / fraction: k-map if only the sampling fraction is known (El Emam and Dankar 2008, JAMIA 15).
    """
    from scipy.stats import poisson

    sizes = np.arange(1, k + 1)
    missing = k - sizes  # number of others still needed
    too_few = poisson.cdf(missing - 1, sizes * (1.0 - fraction) / fraction)
    return int(sizes[too_few <= significance][0])


def _pool(
    sample: Sequence[NDArray[np.int32]], population: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> tuple[Cells, int]:
    pooled = [np.concatenate(pair) for pair in zip(sample, population, strict=True)]
    return count_cells(pooled, sizes), sample[0].size
