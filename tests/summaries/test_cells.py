"""Counts of key combinations."""

from collections import Counter

import numpy as np
import polars as pl

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine
from ammg.summaries.cells import CellCounts, CellValues


def cells(table: pl.DataFrame, columns: tuple[str, ...], weight: str | None = None, threads: int = 1) -> CellValues:
    return LocalEngine(threads).open(Microdata(table)).with_categories(columns).fold(CellCounts(columns, weight))


def test_combinations_come_in_the_order_of_their_codes_with_missing_values_first() -> None:
    table = pl.DataFrame({"sex": ["m", "f", "m", None, "m"], "area": ["y", "x", "x", "x", "y"]})
    found = cells(table, ("sex", "area"))
    assert found.codes.tolist() == [[-1, 0], [0, 0], [1, 0], [1, 1]]  # ∅ x, f x, m x, m y
    assert found.counts.tolist() == [1, 1, 1, 2]
    assert found.weights is None


def test_weights_add_up_in_each_cell() -> None:
    table = pl.DataFrame({"sex": ["m", "f", "m"], "w": [1.5, 4.0, 2.0]})
    found = cells(table, ("sex",), "w")
    assert found.weights is not None
    assert found.weights.tolist() == [4.0, 3.5]


def test_numbers_are_told_apart_by_value() -> None:
    table = pl.DataFrame({"age": [31.0, None, -0.0, 31.0, 0.0], "sex": ["m", "m", "f", "m", "f"]})
    found = cells(table, ("age", "sex"))
    assert found.numbers[0] is not None
    assert found.numbers[0].tolist() == [0.0, 31.0]
    assert found.codes.tolist() == [[-1, 1], [0, 0], [1, 1]]
    assert found.counts.tolist() == [1, 2, 2]


def test_chunks_add_up_to_the_counts_of_the_whole_file_to_the_last_bit() -> None:
    rng = np.random.default_rng(4)
    n = 5 * CHUNK + 99
    age, area = rng.integers(-3, 40, n).astype(float), rng.integers(0, 30, n)
    table = pl.DataFrame({"age": age, "area": [f"{code:02}" for code in area], "w": rng.random(n)})
    found = cells(table, ("age", "area"), "w", threads=2)
    expected = Counter(zip(age, area, strict=True))
    numbers = found.numbers[0]
    assert numbers is not None
    seen = {(numbers[a], b): count for (a, b), count in zip(found.codes, found.counts, strict=True)}
    assert seen == expected
    again = cells(table, ("age", "area"), "w")
    assert found.weights is not None
    assert again.weights is not None
    assert found.weights.tobytes() == again.weights.tobytes()
    assert np.isclose(found.weights.sum(), table["w"].to_numpy().sum())


def test_merging_now_or_later_gives_the_same_sums() -> None:
    rng = np.random.default_rng(8)
    table = pl.DataFrame({"c": [f"{code}" for code in rng.integers(0, 3, 3 * CHUNK)], "w": rng.random(3 * CHUNK)})
    source = LocalEngine(1).open(Microdata(table)).with_categories(("c",))
    summary = CellCounts(("c",), "w")

    class AtOnce(CellCounts):
        def merge(self, left: tuple[CellValues, ...], right: tuple[CellValues, ...]) -> tuple[CellValues, ...]:
            return (self.finish(left + right),)

    late, early = source.fold(summary).weights, source.fold(AtOnce(("c",), "w")).weights
    assert late is not None
    assert early is not None
    assert late.tobytes() == early.tobytes()


def test_more_combinations_than_a_number_can_hold_are_still_told_apart() -> None:
    rng = np.random.default_rng(2)
    names = tuple(f"c{i}" for i in range(12))
    table = pl.DataFrame({name: rng.integers(0, 100, 2000).astype(float) for name in names})
    table = pl.concat([table, table.head(7)])
    found = cells(table, names)
    assert len(found) == 2000
    assert np.sort(found.counts)[-8:].tolist() == [1] + [2] * 7
    assert found.codes.tolist() == sorted(found.codes.tolist())


def test_no_records_have_no_cells_and_no_columns_one() -> None:
    assert len(cells(pl.DataFrame({"sex": pl.Series([], dtype=pl.String)}), ("sex",))) == 0
    assert cells(pl.DataFrame({"sex": ["m", "f"]}), ()).counts.tolist() == [2]
