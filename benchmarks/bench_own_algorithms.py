"""Why some algorithms are written here although a library has them: `python benchmarks/bench_own_algorithms.py`.

Each figure is the time of the library's algorithm over the time of ours, on the same input, after compilation. On two
busy cores:

- Sparse assignment, scipy's `min_weight_full_bipartite_matching` over our auction, on two idle cores: 8 with 3,000
  records (0.12 s against 0.014 s) and with 5,000 (0.24 s against 0.028 s), 18 with 10,000 (1.04 s against 0.06 s); the
  totals agree to 1e-6. An attack adds candidates in rounds, and only the auction goes on from the prices of the round
  before and proves with them that no pair outside the candidates would be better. On graphs whose weights are nearly
  all tied scipy was faster (0.03 s against 0.25 s with 4,000 records, on two busy cores and with a slower auction).
- Nearest neighbours, scikit-learn's `KDTree` over our tree: 1.5 with 20,000 records of six columns (2.5 s against
  1.7 s). The reason is another one: ours takes prices of originals into account, adds squared and absolute
  differences in one distance, and counts copies and ties, which the attacks need and scikit-learn has not.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ammg.kernels.linkage.nearest import k_nearest
from ammg.kernels.matching.assignment import assign_within
from bench_linkage import with_mixture_noise, zero_heavy_survey


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def candidates(n: int, edges: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of a masked survey: each masked record with its nearest originals and its own one, and their weights."""
    original = zero_heavy_survey(n)
    masked = with_mixture_noise(original, 0.1)
    original, masked = original / original.std(axis=0), masked / original.std(axis=0)
    rows, distances = k_nearest(original, masked, edges)
    keys = np.concatenate([np.repeat(np.arange(n), edges) * n + rows.ravel(), np.arange(n) * (n + 1)])
    keys, first = np.unique(keys, return_index=True)
    distances = np.concatenate([distances.ravel(), np.square(original - masked).sum(axis=1)])[first]
    return *np.divmod(keys, n), 1.0 + distances.max() - distances


def sparse_assignment(n: int = 5_000) -> tuple[float, float]:
    """The best matching of masked records and originals on the candidates of a linkage attack."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    masked, original, weight = candidates(n)
    graph = csr_matrix((weight, (masked, original)), shape=(n, n))

    def ours() -> float:
        links = assign_within(masked, original, weight, (n, n)).links
        return float(np.asarray(graph[np.arange(n), links]).sum())

    def scipy() -> float:
        return float(np.asarray(graph[min_weight_full_bipartite_matching(graph, maximize=True)]).sum())

    if ours() < (1 - 1e-5) * scipy():
        raise AssertionError("the auction missed the best matching")
    return seconds(scipy), seconds(ours)


def nearest_neighbours(n: int = 20_000, columns: int = 6, k: int = 10) -> tuple[float, float]:
    """The nearest originals of every record of a survey in which many incomes are zero."""
    from sklearn.neighbors import KDTree

    rng = np.random.default_rng(1)
    incomes = np.round(rng.lognormal(9, 1.2, (n, columns)))
    points = np.where(rng.random((n, columns)) < np.linspace(0.3, 0.9, columns), 0.0, incomes)
    points /= points.std(axis=0)
    return seconds(lambda: KDTree(points).query(points, k)), seconds(lambda: k_nearest(points, points, k))


def main() -> None:
    for work in (sparse_assignment, nearest_neighbours):
        work(300)  # compile
        library, ours = work()
        print(f"{work.__name__}: library {library:.2f} s, ours {ours:.2f} s, ratio {library / ours:.1f}")


if __name__ == "__main__":
    main()
