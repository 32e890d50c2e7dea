"""Iterative proportional fitting of hierarchical log-linear models on a dense table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.population.log_linear.layout import Layout, Margin

Generators = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Fit:
    """Fitted means of all cells (in the layout's order) of the model with these generators."""

    means: NDArray[np.float64]
    generators: Generators
    cycles: int
    converged: bool


def fit_model(
    layout: Layout,
    cells: NDArray[np.int64],
    counts: NDArray[np.float64],
    generators: Iterable[Sequence[int]],
    start: NDArray[np.float64] | None = None,
    tolerance: float = 1e-6,
    most_cycles: int = 200,
) -> Fit:
    """Maximum likelihood fit of a hierarchical log-linear model to counts.

    Args:
        layout: The table.
        cells: The cells that are not empty.
        counts: Their counts (or sums of weights: pseudo maximum likelihood).
        generators: The largest interactions, as sets of keys: [(0,), (1, 2)] is the model 0 + 1*2.
        start: Means to start from: a fit of a model that this one contains (not modified), or an array of ones with
            structural zeros. Default: ones.
        tolerance: Stop when no fitted margin is off by more than this share of the total.
        most_cycles: Give up after this many rounds.
    """
    generators = maximal(generators)
    margins = [layout.margin(axes) for axes in generators]
    targets = [margin_counts(layout, margin, cells, counts) for margin in margins]
    means = np.ones(layout.size) if start is None else start.copy()
    impossible = np.count_nonzero(means[cells] == 0)
    if impossible:
        raise ValueError(f"{impossible} cells that were declared impossible (structural zeros) have records.")
    return Fit(means, generators, *fit_margins(layout, means, margins, targets, tolerance, most_cycles))


def fit_margins(
    layout: Layout,
    means: NDArray[np.float64],
    margins: Sequence[Margin],
    targets: Sequence[NDArray[np.float64]],
    tolerance: float = 1e-6,
    most_cycles: int = 200,
) -> tuple[int, bool]:
    """Scale `means` in place until its margins equal the targets (Deming and Stephan 1940).

    Keeps the interactions of the start that the margins do not determine: with a fitted table as start and known
    population margins as targets, this is calibration.

    Returns:
        The number of cycles, and whether the margins were met.
    """
    limit = tolerance * max(1.0, max(float(target.sum()) for target in targets))
    current = [np.empty(margin.size) for margin in margins]
    sum_margin(means, margins[0].bases, margins[0].step, layout.length, current[0])
    for cycle in range(1, most_cycles + 1):
        worst = 0.0
        for g, (margin, target) in enumerate(zip(margins, targets, strict=True)):
            worst = max(worst, float(np.max(np.abs(current[g] - target))))
            ratio = np.divide(target, current[g], out=np.zeros_like(target), where=current[g] > 0)
            after = margins[(g + 1) % len(margins)]
            _scale_and_sum(
                means,
                margin.bases,
                margin.step,
                ratio,
                after.bases,
                after.step,
                layout.length,
                current[(g + 1) % len(margins)],
            )
        if worst <= limit:
            return cycle, True
    return most_cycles, False


def margin_counts(
    layout: Layout, margin: Margin, cells: NDArray[np.int64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum of the counts of some cells in each cell of a margin."""
    rows, places = np.divmod(cells, layout.length)
    index = margin.bases[rows] + margin.step * places
    return np.asarray(np.bincount(index, weights=counts, minlength=margin.size), np.float64)


def maximal(generators: Iterable[Sequence[int]]) -> Generators:
    """Sorted generators without those contained in another."""
    sets = {tuple(sorted(set(axes))) for axes in generators}
    kept = [axes for axes in sets if not any(set(axes) < set(other) for other in sets)]
    return tuple(sorted(kept, key=lambda axes: (len(axes), axes)))


def terms(generators: Generators) -> list[tuple[int, ...]]:
    """All interactions of the hierarchical model, the constant `()` first."""
    found = {
        axes for generator in generators for size in range(len(generator) + 1) for axes in combinations(generator, size)
    }
    return sorted(found, key=lambda axes: (len(axes), axes))


@jit
def sum_margin(
    values: NDArray[np.float64], bases: NDArray[np.int32], step: int, length: int, out: NDArray[np.float64]
) -> None:
    """Sum the cells of a table in each cell of a margin."""
    out[:] = 0.0
    for row in range(bases.size):
        _add_row(values, row * length, length, bases[row], step, out)


@jit
def _scale_and_sum(
    values: NDArray[np.float64],
    bases: NDArray[np.int32],
    step: int,
    ratio: NDArray[np.float64],
    next_bases: NDArray[np.int32],
    next_step: int,
    length: int,
    out: NDArray[np.float64],
) -> None:
    """Scale to one margin and, in the same pass, sum the next one."""
    out[:] = 0.0
    for row in range(bases.size):
        base = bases[row]
        start = row * length
        if step == 1:
            for j in range(length):
                values[start + j] *= ratio[base + j]
        else:
            factor = ratio[base]
            for j in range(length):
                values[start + j] *= factor
        _add_row(values, start, length, next_bases[row], next_step, out)


@jit_part
def _add_row(
    values: NDArray[np.float64], start: int, length: int, base: int, step: int, out: NDArray[np.float64]
) -> None:
    """Add a row of the table to the cells of the margin to which it belongs."""
    if step == 1:
        for j in range(length):
            out[base + j] += values[start + j]
    else:
        first = second = third = fourth = 0.0  # four sums at a time, because a single one would wait for each addition
        whole = length - length % 4
        for j in range(start, start + whole, 4):
            first += values[j]
            second += values[j + 1]
            third += values[j + 2]
            fourth += values[j + 3]
        for j in range(start + whole, start + length):
            first += values[j]
        out[base] += (first + second) + (third + fourth)
