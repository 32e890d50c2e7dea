import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import Rounding as RoundedTo


def rounded(values: list[float | None], **options: object) -> pl.Series:
    masked = ammg.Pipeline([ammg.Rounding(columns=["x"], **options)]).run(pl.DataFrame({"x": values}))
    return masked.table["x"]


def test_numbers_become_the_nearest_multiple() -> None:
    assert rounded([1.0, 5.1, -14.0, None], base=10).to_list() == [0, 10, -10, None]


def test_halves_go_to_the_even_multiple_or_up() -> None:
    assert rounded([5.0, 15.0, 25.0], base=10).to_list() == [0, 20, 20]
    assert rounded([5.0, 15.0, 25.0], base=10, half="up").to_list() == [10, 20, 30]


def test_integers_stay_integers_unless_the_base_is_none() -> None:
    assert rounded([11, 17], base=5).dtype == pl.Int64
    assert rounded([11, 17], base=2.5).to_list() == [10, 17.5]


def test_no_value_moves_by_more_than_half_the_base() -> None:
    values = np.random.default_rng(1).normal(0, 1e4, 500)
    assert np.abs(rounded(values.tolist(), base=250).to_numpy() - values).max() <= 125


def test_the_base_is_what_a_description_tells() -> None:
    masked = ammg.Pipeline([ammg.Rounding(columns=["x"], base=5)]).run(pl.DataFrame({"x": [1]}))
    assert masked.published == (RoundedTo(("x",), 5.0),)


def test_a_type_too_narrow_for_the_next_multiple_is_refused() -> None:
    table = pl.DataFrame({"x": pl.Series([126], dtype=pl.Int8)})
    with pytest.raises(ValueError, match=r"Step 1 \(rounding\): Column 'x' is Int8, which cannot hold 130"):
        ammg.Pipeline([ammg.Rounding(columns=["x"], base=10)]).run(table)
