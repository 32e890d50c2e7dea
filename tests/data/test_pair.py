"""Original and masked records side by side."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Recoding
from ammg.errors import InputError, NotDefined

ORIGINAL = ammg.Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["a", "b", "c"]}))
MASKED = ammg.Microdata(pl.DataFrame({"x": [3.5, 1.0, 9.0], "c": ["c", "b", "b"]}))
PAIR = Pair(ORIGINAL, MASKED, np.array([2, 0, -1]))


def test_factors_are_those_of_the_paper() -> None:
    assert (PAIR.n, PAIR.t, PAIR.r) == (3, 3, 2)
    assert PAIR.sampling_factor == pytest.approx(2 / 3)
    assert PAIR.simulated_factor == pytest.approx(1 / 3)


def test_released_values_stand_beside_their_originals_by_the_link() -> None:
    original, masked = PAIR.aligned(["x"])
    assert original[:, 0].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(masked[:, 0], [1, np.nan, 3.5])


def test_codes_of_both_files_share_a_dictionary() -> None:
    before, after, categories = PAIR.common_codes("c")
    assert [categories[code] for code in before] == ["a", "b", "c"]
    assert [categories[code] for code in after] == ["c", "b", "b"]


def test_equal_numbers_of_both_files_have_equal_codes() -> None:
    before, after, categories = PAIR.common_codes("x")
    assert [categories[code] for code in before] == [1, 2, 3]
    assert [categories[code] for code in after] == [3.5, 1, 9]


def test_missing_numbers_have_no_code() -> None:
    holes = ammg.Microdata(pl.DataFrame({"x": [None, 1.0]}))
    before, after, _ = Pair(holes, holes, np.arange(2)).common_codes("x")
    assert before.tolist() == after.tolist() == [-1, 0]


def test_a_dropped_column_is_missing_everywhere() -> None:
    pair = Pair(ORIGINAL, ammg.Microdata(pl.DataFrame({"c": ["a"]})), np.array([0]))
    assert np.isnan(pair.released(["x"])).all()
    assert pair.common_codes("x")[1].tolist() == [-1]


def test_an_original_is_recoded_as_the_release_was(patients: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.GlobalRecoding(columns=["Age"], cuts=(40, 50))]).run(patients).pair
    before, after, categories = pair.common_codes("Age")
    assert before.tolist() == after.tolist()
    assert {categories[code] for code in before} == {"< 40", "[40, 50)", "≥ 50"}


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String, pl.Categorical, pl.Enum(["1", "2", "3", "4"])])
def test_recodings_follow_each_other_whatever_the_type_of_the_codes(dtype: pl.DataType) -> None:
    column = pl.Series("c", [1, 1, 2, 2, 2, 3, 4, None]).cast(pl.String)
    column = column.cast(pl.Float64).cast(dtype) if dtype in (pl.Int64, pl.Float64) else column.cast(dtype)
    data = ammg.Microdata(pl.DataFrame({"c": column, "x": [1.0] * 8})).with_kinds(nominal="c").with_roles(key="c")
    two, one = "2.0" if dtype == pl.Float64 else "2", "1.0" if dtype == pl.Float64 else "1"
    steps = [
        ammg.RareCategoryRecoding(columns=["c"], keep=12),
        ammg.RareCategoryRecoding(columns=["c"], keep=2),
        ammg.GlobalRecoding(columns=["c"], map={two: one}),
    ]
    for count, classes in ((1, 4), (2, 3), (3, 2)):
        pair = ammg.Pipeline(steps[:count]).run(data, secret=1).pair
        before, after, _ = pair.common_codes("c")
        assert before.tolist() == after.tolist()
        assert len(set(before.tolist())) == classes + 1


def test_a_column_that_was_read_back_in_another_type_is_still_the_same() -> None:
    data = ammg.Microdata(pl.DataFrame({"c": [3, 1, 2]})).with_kinds(nominal="c")
    texts = ammg.Microdata(pl.DataFrame({"c": ["3", "1", "2"]}))
    floats = ammg.Microdata(pl.DataFrame({"c": [3.0, 1.0, 2.0]}))
    for masked in (texts, floats):
        for pair in (Pair(data, masked, np.arange(3)), Pair(masked, data, np.arange(3))):
            assert pair.common_codes("c")[0].tolist() == pair.common_codes("c")[1].tolist()


def test_days_are_the_same_as_numbers_and_as_texts() -> None:
    texts = pl.DataFrame({"born": ["1970-01-31", None, "2001-12-01"]})
    data, masked = ammg.Microdata(texts.with_columns(pl.col("born").str.to_date())), ammg.Microdata(texts)
    for pair in (Pair(data, masked, np.arange(3)), Pair(masked, data, np.arange(3))):
        assert pair.common_codes("born")[0].tolist() == pair.common_codes("born")[1].tolist()


def test_days_are_the_same_in_another_unit_of_time() -> None:
    days = pl.DataFrame({"born": pl.Series([1, 20_000, None], dtype=pl.Int32).cast(pl.Date)})
    for unit in ("ms", "us", "ns"):
        times = ammg.Microdata(days.cast(pl.Datetime(unit)))
        for pair in (Pair(ammg.Microdata(days), times, np.arange(3)), Pair(times, ammg.Microdata(days), np.arange(3))):
            np.testing.assert_array_equal(pair.originals(["born"]), pair.released(["born"]))


def test_recoded_numbers_that_stay_numbers_are_compared_as_recoded() -> None:
    told = Recoding(("x",), (1.5, 3.0), bounds=(2.5,))
    masked = ammg.Microdata(pl.DataFrame({"x": [1.5, 1.5, 3.0]}))
    numbers = Pair(ORIGINAL, masked, np.arange(3), (told,)).common_numbers("x")
    assert numbers is not None
    assert numbers[0].tolist() == numbers[1].tolist() == [1.5, 1.5, 3.0]


def test_recoded_numbers_are_compared_by_the_means_of_their_classes(patients: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.GlobalRecoding(columns=["Age"], cuts=(40, 50))]).run(patients).pair
    assert sorted(set(pair.released(["Age"])[:, 0])) == [30, 44.4, 55]


def test_without_a_link_nothing_is_compared() -> None:
    with pytest.raises(NotDefined, match="no link"):
        Pair(ORIGINAL, MASKED, None).aligned(["x"])


def test_what_measures_share_is_made_once() -> None:
    made: list[int] = []
    for _ in range(2):
        assert PAIR.once("length", lambda: made.append(1) or 7) == 7
    assert made == [1]


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ([0, 1], "whole number for each of the 10 masked records"),
        ([0.5] * 10, "whole number for each of the 10 masked records"),
        ([0] * 9 + [10], "leads to positions from 0 to 9"),
        ([0] * 9 + [-2], "or is -1 for a simulated record"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(patients: ammg.Microdata, link: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pair(patients, patients, np.array(link))


def test_a_pair_is_told_by_its_sizes(patients: ammg.Microdata) -> None:
    assert repr(Pair.identity(patients)) == "Pair(10 original records, 10 masked; linked)"
    assert repr(Pair(patients, patients, None)) == "Pair(10 original records, 10 masked; no link)"
