import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import Censoring
from ammg.errors import InputError

VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 30]


def coded(values: list[int | None] = VALUES, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.TopCoding(columns=["x"], **options)]).run(pl.DataFrame({"x": values}))


def test_values_above_the_threshold_become_the_threshold() -> None:
    assert coded(threshold=7, replacement="threshold").table["x"].to_list() == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]


def test_their_mean_keeps_the_total() -> None:
    masked = coded(threshold=7)
    assert masked.table["x"].to_list()[-3:] == [16, 16, 16]
    assert masked.table["x"].sum() == sum(VALUES)


def test_their_median_stands_for_them() -> None:
    assert coded(threshold=7, replacement="median").table["x"].to_list()[-3:] == [10, 10, 10]


def test_a_share_of_the_values_lies_in_the_tail() -> None:
    assert coded(share=0.2).table["x"].to_list()[-2:] == [20, 20]
    assert coded(share=0.2).table["x"].to_list()[:-2] == VALUES[:-2]


def test_a_mean_that_is_no_whole_number_makes_the_column_continuous() -> None:
    assert coded(share=0.1, replacement="mean").table["x"].dtype == pl.Int64
    assert coded([1, 2, 3, 8], threshold=2).table["x"].to_list() == [1, 2, 5.5, 5.5]


def test_missing_values_stay_missing_and_nothing_above_changes_nothing() -> None:
    assert coded([None, 2], threshold=5).table["x"].to_list() == [None, 2]


def test_the_threshold_is_what_a_description_tells() -> None:
    assert coded(threshold=7).published == (Censoring(("x",), upper=7.0),)


@pytest.mark.parametrize("options", [{}, {"threshold": 1, "share": 0.1}])
def test_either_threshold_or_share_is_given(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match="give either a threshold or a share"):
        ammg.TopCoding(**options)


def test_the_mean_of_a_long_tail_does_not_lose_digits() -> None:
    values = 1e12 + np.arange(1000.0)
    masked = ammg.Pipeline([ammg.TopCoding(columns=["x"], share=0.5)]).run(pl.DataFrame({"x": values}))
    assert masked.table["x"].to_list()[-1] == values[500:].mean()


def test_with_weights_the_mean_keeps_the_weighted_total() -> None:
    data = ammg.Microdata(pl.DataFrame({"x": VALUES, "w": [1.0] * 8 + [3.0, 1.0]})).with_roles(weight="w")
    masked = ammg.Pipeline([ammg.TopCoding(columns=["x"], threshold=7)]).run(data).table
    assert (masked["x"] * masked["w"]).sum() == (data.table["x"] * data.table["w"]).sum()
    assert masked["x"][-1] == (8 + 3 * 10 + 30) / 5


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.55, 0.7, 0.9])
def test_the_tail_has_the_share_asked_for_to_the_record(share: float) -> None:
    masked = ammg.Pipeline([ammg.TopCoding(columns=["x"], share=share)]).run(pl.DataFrame({"x": range(100)}))
    assert masked.steps[0].changed["x"]["cells"] >= round(100 * share) - 1
    assert masked.table["x"].value_counts()["count"].max() == round(100 * share)


def test_a_column_without_values_stays_as_it_is() -> None:
    table = pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Float64)})
    assert ammg.Pipeline([ammg.TopCoding(columns=["x"], share=0.1)]).run(table).table["x"].null_count() == 2
