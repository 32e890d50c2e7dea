import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.published import Groups
from ammg.errors import InputError


def aggregated(data: object, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.UnivariateMicroaggregation(**options)]).run(data, 1)


def test_ages_of_the_patients_are_those_of_the_paper(patients: ammg.Microdata) -> None:
    # Truta, Fotouhi and Barth-Jones (2003), appendix, k = 2.
    masked = aggregated(patients, columns=["Age"], k=2)
    assert sorted(masked.table["Age"]) == [30, 30, 44, 44, 44.5, 44.5, 50, 50, 55, 55]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.integers(2, 6))
def test_groups_have_at_least_k_records_and_totals_are_kept(values: list[int], k: int) -> None:
    if len(values) < k:
        return
    masked = aggregated(pl.DataFrame({"x": values}), columns=["x"], k=k).table["x"]
    assert masked.value_counts()["count"].min() >= k
    assert masked.sum() == pytest.approx(sum(values), abs=1e-9)
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(masked.to_numpy()[order]) >= -1e-12)


def test_weights_keep_the_weighted_total(survey: ammg.Microdata) -> None:
    masked = aggregated(survey, columns=["income"], k=5).table
    before = (survey.table["income"] * survey.table["weight"]).sum()
    assert (masked["income"] * masked["weight"]).sum() == pytest.approx(before, rel=1e-12)
    assert masked["weight"].equals(survey.table["weight"])


def test_groups_form_within_strata() -> None:
    table = pl.DataFrame({"g": ["a", "b"] * 4, "x": [1.0, 100, 2, 200, 3, 300, 4, 400]})
    masked = aggregated(table, columns=["x"], k=2, within=["g"]).table
    assert masked["x"].to_list() == [1.5, 150, 1.5, 150, 3.5, 350, 3.5, 350]


def test_missing_values_stay_missing() -> None:
    masked = aggregated(pl.DataFrame({"x": [1, None, 3, 5, None, 7]}), columns=["x"], k=2)
    assert masked.table["x"].to_list() == [2, None, 2, 6, None, 6]


def test_k_larger_than_n_is_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="k = 11 is larger than the 10 values of 'Age': lower k"):
        aggregated(patients, columns=["Age"], k=11)


def test_k_larger_than_a_stratum_is_refused() -> None:
    table = pl.DataFrame({"g": ["a", "a", "b"], "x": [1.0, 2, 3]})
    with pytest.raises(InputError, match="k = 2 is larger than the stratum g = b of 1 records"):
        aggregated(table, columns=["x"], k=2, within=["g"])
    partly = pl.DataFrame({"g": ["a", "a", "b", "b"], "x": [1.0, 2, 3, None], "y": [1.0, 2, 3, 4]})
    with pytest.raises(InputError, match="k = 2 is larger than a stratum with 1 values of 'x'"):
        aggregated(partly, columns=["x", "y"], k=2, within=["g"])


def test_strata_and_columns_that_are_one_group_are_told_to_the_owner() -> None:
    table = pl.DataFrame({"g": ["a"] * 5 + ["b"] * 3, "x": [1.0, 2, 3, 4, None, None, 6, 8]})
    run = aggregated(table, columns=["x"], k=2, within=["g"])
    assert run.table["x"].to_list() == [1.5, 1.5, 3.5, 3.5, None, None, 7, 7]
    assert run.steps[0].notes == ("stratum g = b has fewer than 2k = 4 records: all 2 form one group",)
    alone = aggregated(table.tail(4), columns=["x"], k=2)
    assert alone.steps[0].notes == ("fewer than 2k = 4 values of 'x': all 2 form one group",)


def test_the_group_size_is_what_a_description_tells(patients: ammg.Microdata) -> None:
    assert aggregated(patients, columns=["Age"], k=2).published == (Groups(("Age",), 2, joint=False),)


def test_infinite_values_are_refused_and_an_empty_column_is_told() -> None:
    step = ammg.UnivariateMicroaggregation(columns=["x"], k=3)
    with pytest.raises(InputError, match="'x'"):
        ammg.Pipeline([step]).run(pl.DataFrame({"x": [-np.inf, 2.0, 3.0, 4.0, np.inf, 6.0]}), 1)
    empty = pl.DataFrame({"x": pl.Series([None] * 6, dtype=pl.Float64)})
    assert "'x' has no value" in ammg.Pipeline([step]).run(empty, 1).steps[0].notes
