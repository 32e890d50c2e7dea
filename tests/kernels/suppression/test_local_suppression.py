"""Suppression on cells, from small tables (searched) to larger ones (covered and cleaned)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ammg.kernels.suppression.local_suppression import suppress_cells
from ammg.kernels.suppression.refine import LARGEST_TABLE


def table(records: int, sizes: tuple[int, ...], seed: int, missing: float = 0.0) -> NDArray[np.int32]:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.geometric(0.35, records) % size for size in sizes], axis=1).astype(np.int32)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def after(records: NDArray[np.int32], k: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Rows before and after, one per record."""
    codes, counts = np.unique(records, axis=0, return_counts=True)
    n_keys = codes.shape[1]
    found = suppress_cells(
        codes, counts, k, np.ones(n_keys), np.ones(len(codes)), [range(n_keys)], 50, np.random.default_rng(1)
    )
    lost = np.zeros(len(records), np.int64)
    starts = np.cumsum(counts) - counts
    for cell, pattern, many in zip(found.cells, found.patterns, found.counts, strict=True):
        lost[starts[cell] : starts[cell] + many] = pattern
        starts[cell] += many
    base = np.repeat(codes, counts, axis=0)
    return base, np.where(lost[:, None] >> np.arange(n_keys) & 1, np.int32(-1), base)


def look_alikes(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    return np.array([counts[np.all((distinct == r) | (distinct < 0) | (r < 0), axis=1)].sum() for r in distinct])


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(("records", "sizes"), [(60, (3, 3, 4)), (900, (4, 5, 5, 6)), (6_000, (7, 8, 9, 9, 9))])
def test_every_record_gets_k_look_alikes(records: int, sizes: tuple[int, ...], missing: float) -> None:
    for k in (2, 4):
        _, rows = after(table(records, sizes, k, missing), k)
        assert look_alikes(rows).min() >= k


def test_large_tables_are_left_without_superfluous_suppressions_too() -> None:
    base, rows = after(table(9_000, (9, 9, 9, 9, 9), 1), 3)
    assert len(np.unique(base, axis=0)) > LARGEST_TABLE
    for record, key in np.argwhere(rows != base)[::10].tolist():
        again = rows.copy()
        again[record, key] = base[record, key]
        parted = _alike(rows, rows[record]) & ~_alike(rows, again[record])  # those who lose a look-alike
        rows_to_ask = [again[record], *np.unique(rows[parted], axis=0)]
        assert min(_alike(again, row).sum() for row in rows_to_ask) < 3


def _alike(rows: NDArray[np.int32], row: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.asarray(np.all((rows == row) | (rows < 0) | (row < 0), axis=1))


def test_no_record_loses_a_value_that_it_would_not_have_to_lose_alone() -> None:
    for records, sizes in ((200, (3, 4, 5)), (3_000, (6, 7, 7, 8, 9))):
        base, rows = after(table(records, sizes, 3), 3)
        for record in np.flatnonzero(np.any(rows != base, axis=1))[:60].tolist():
            for key in np.flatnonzero(rows[record] < 0).tolist():
                kept = rows[record].copy()
                kept[key] = base[record, key]
                assert np.all((base == kept) | (kept < 0), axis=1).sum() < 3


def test_a_quicker_search_goes_the_same_way() -> None:
    """What was suppressed when every pair of cells was still looked at; the same secret gives the same release."""
    base, rows = after(table(900, (4, 5, 5, 6), 7, 0.05), 3)
    lost = (rows < 0) & (base >= 0)
    assert lost.sum(axis=0).tolist() == [7, 12, 13, 15]
    assert np.flatnonzero(lost.any(axis=1)).sum() == 24109
