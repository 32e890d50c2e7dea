"""Whole numbers stay whole under microaggregation where somebody asks."""

import polars as pl
import pytest

import ammg
from ammg import Kind
from ammg.errors import InputError

SURVEY = ammg.datasets.survey(400, seed=2)


@pytest.mark.parametrize("unit", [ammg.UnivariateMicroaggregation, ammg.OptimalUnivariateMicroaggregation, ammg.Mdav])
def test_ages_stay_ages_that_k_records_share(unit: type[ammg.Method]) -> None:
    masked = ammg.Pipeline([unit(columns=["age"], k=4, integers=True)]).run(SURVEY, 1)
    assert masked.table["age"].dtype == SURVEY["age"].dtype
    assert masked.schema["age"].kind is Kind.INTEGER
    assert masked.table["age"].value_counts()["count"].min() >= 4
    fractions = ammg.Pipeline([unit(columns=["age"], k=4)]).run(SURVEY, 1).table["age"]
    assert fractions.dtype == pl.Float64
    assert (masked.table["age"] - fractions).abs().max() <= 0.5


def test_fractions_are_not_rounded() -> None:
    table = pl.DataFrame({"x": [0.1 * i for i in range(30)], "n": list(range(30))})
    masked = ammg.Pipeline([ammg.Mdav(columns=["x", "n"], integers=True)]).run(table, 1).table
    assert masked["n"].dtype == pl.Int64
    assert (masked["x"] != masked["x"].round()).any()


def test_exact_covariances_exclude_whole_numbers() -> None:
    with pytest.raises(InputError, match="exact covariances and whole numbers cannot be combined"):
        ammg.Mdav(noise="pooled", exact=True, integers=True)


def test_the_search_asks_for_usable_numbers() -> None:
    roles = {"key": ["age"], "confidential": ["wages"]}
    data = ammg.Microdata(SURVEY.select("age", "wages", "sex")).with_roles(**roles)
    found = ammg.search(data, {"distance_linkage": 1.0}, trials=6, secret=1, methods=["mdav", "additive_noise"])
    for candidate in found.candidates:
        for step in candidate.recipe:
            assert step.integers or step.exact  # exact covariances need fractions
            assert step.name != "additive_noise" or set(step.bounds) == set(step.columns)
        assert candidate.masked is None or candidate.masked.table["wages"].min() >= 0


def test_rules_come_before_whole_numbers_in_the_search() -> None:
    data = ammg.Microdata(SURVEY.select("wages", "pensions").with_columns(both=pl.col("wages") + pl.col("pensions")))
    data = data.with_roles(confidential=["wages", "pensions", "both"]).with_rules("both = wages + pensions")
    found = ammg.search(data, {"distance_linkage": 1.0}, trials=3, secret=1, methods=["mdav"])
    assert not any(step.integers for candidate in found.candidates for step in candidate.recipe)
