"""Small tables are suppressed by plain Python until compiling pays: the result is the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ammg.kernels.plain import Budget
from ammg.kernels.splitmix import next_uniform, start_stream
from ammg.kernels.suppression.diversify import diversify
from ammg.kernels.suppression.local_suppression import suppress_cells
from ammg.kernels.suppression.uniform_blocks import UniformBlocks
from ammg.kernels.suppression.whole_cells import suppress_whole_cells

Cells = tuple[NDArray[np.int32], NDArray[np.int64]]


def table(records: int, keys: int, categories: int, missing: float, seed: int) -> Cells:
    rng = np.random.default_rng(seed)
    codes = (rng.geometric(0.4, (records, keys)) % categories).astype(np.int32)
    codes[rng.random(codes.shape) < missing] = -1
    return np.unique(codes, axis=0, return_counts=True)


def run_both(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> list[Any]:
    """What a function returns with plain and with compiled kernels."""
    found = []
    for is_plain in (True, False):
        monkeypatch.setattr(Budget, "allows", lambda *_, is_plain=is_plain: is_plain)
        found.append(run())
    return found


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("records", "keys", "categories", "k"), [(60, 3, 4, 2), (400, 5, 5, 3), (250, 7, 4, 6)])
def test_the_same_values_are_suppressed(records, keys, categories, k, missing, monkeypatch) -> None:
    codes, counts = table(records, keys, categories, missing, k)
    rng = np.random.default_rng(k)
    costs, prices = rng.integers(1, 4, keys) * 0.7, rng.lognormal(size=len(counts))
    costs[0] = np.inf if missing else 1.0
    for together in ([tuple(range(keys))], list(combinations(range(keys), keys - 1))):
        plain, compiled = run_both(
            monkeypatch,
            lambda together=together: suppress_cells(
                codes, counts, k, costs, prices, together, 40, np.random.default_rng(5)
            ),
        )
        assert compiled.counts.sum() > 0
        np.testing.assert_array_equal(plain.cells, compiled.cells)
        np.testing.assert_array_equal(plain.patterns, compiled.patterns)
        np.testing.assert_array_equal(plain.counts, compiled.counts)


@pytest.mark.parametrize("doubtful", [None, 0.0, 0.3])
def test_the_same_values_are_suppressed_if_missing_ones_do_not_match(doubtful, monkeypatch) -> None:
    codes, counts = table(200, 4, 4, 0.05, 1)
    given = codes, counts, 3, np.array([1.0, 2.0, 0.5, 1.0]), np.ones(len(counts)), [(0, 1, 2), (1, 2, 3)], doubtful
    for one, other in zip(*run_both(monkeypatch, lambda: suppress_whole_cells(*given)), strict=True):
        assert len(one)
        np.testing.assert_array_equal(one, other)


def test_the_same_values_are_suppressed_for_diversity(monkeypatch) -> None:
    codes, counts = table(300, 4, 4, 0.05, 2)
    sensitive = [np.random.default_rng(3).integers(0, 3, len(counts)).astype(np.int32)]
    keys, costs, nothing = [tuple(range(4))], np.ones(4), (np.zeros(0, np.int64),) * 3
    plain, compiled = run_both(monkeypatch, lambda: diversify(codes, counts, nothing, 3, sensitive, [2], keys, costs))
    assert plain[1] == compiled[1] == 0
    for one, other in zip(plain[0], compiled[0], strict=True):
        assert len(one)
        np.testing.assert_array_equal(one, other)


def test_blocks_of_random_numbers_are_those_of_the_compiled_stream() -> None:
    stream = start_stream(np.random.default_rng(4))
    blocks = UniformBlocks(stream.copy())
    drawn = np.concatenate([blocks.take(many) for many in (1, 0, 5_000, 5_000, 9_000)])
    np.testing.assert_array_equal(drawn, [next_uniform(stream) for _ in range(drawn.size)])
