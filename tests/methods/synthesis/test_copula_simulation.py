from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.datasets.survey import SURVEY_LEVELS, SURVEY_ROLES
from ammg.draws import Secret


def artificial(data: object, share: float = 0.5, secret: object = 1, **options: object) -> pl.DataFrame:
    masked = ammg.Pipeline([ammg.CopulaSimulation(share=share, **options)]).run(data, secret)
    return masked.table.filter(pl.Series(masked.link < 0))


def correlations(table: pl.DataFrame) -> np.ndarray:
    return np.corrcoef(table.to_numpy().astype(float).T)


def test_values_correlate_as_they_did() -> None:
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal(np.zeros(3), [[1, 0.7, -0.4], [0.7, 1, 0], [-0.4, 0, 1]], 5000)
    data = pl.DataFrame({"income": np.exp(z[:, 0]), "age": np.round(50 + 15 * z[:, 1]), "zero": np.maximum(z[:, 2], 0)})
    made = correlations(artificial(data))
    # A heavy tail makes the correlation of 5000 log-normal values uncertain by about 0.02.
    assert np.abs(made - correlations(data)).max() < 0.06


def test_ordered_categories_keep_the_correlation_behind_their_thresholds() -> None:
    rng = np.random.default_rng(1)
    z = rng.multivariate_normal(np.zeros(2), [[1, 0.8], [0.8, 1]], 8000)
    levels = pl.Enum(["low", "middle", "high"])
    cut = [pl.Series(np.array(levels.categories)[np.digitize(z[:, j], [-0.5, 1.0])], dtype=levels) for j in (0, 1)]
    data = ammg.Microdata(pl.DataFrame({"a": cut[0], "b": cut[1]})).with_kinds(ordinal=["a", "b"])
    tables = [
        np.histogram2d(*(t[c].to_physical().to_numpy() for c in "ab"), bins=3)[0]
        for t in (data.table, artificial(data))
    ]
    # Eight thousand records: the standard error of a share is at most 0.0056, twice over.
    assert np.abs(tables[0] - tables[1]).max() / 8000 < 4 * 0.0079


def test_unordered_categories_go_with_the_numbers_they_went_with() -> None:
    rng = np.random.default_rng(2)
    region = rng.choice(["North", "East", "West"], 6000)
    mean = {"North": 3.0, "East": 0.0, "West": 6.0}
    data = pl.DataFrame({"region": region, "x": [mean[r] for r in region] + rng.normal(size=6000)})
    made = artificial(data).group_by("region").agg(pl.col("x").mean())
    for name, value in made.iter_rows():
        assert value == pytest.approx(mean[name], abs=0.5)


def test_values_are_real_ones_and_missing_values_stand_as_in_real_records() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=1000)
    gone = rng.random(1000) < 0.3
    data = pl.DataFrame({"x": np.where(gone, np.nan, x), "y": np.where(gone, np.nan, -x)})
    made = artificial(data)
    assert (made["x"].is_null() == made["y"].is_null()).all()
    assert made["x"].null_count() == pytest.approx(300, abs=4 * np.sqrt(210))
    assert made["x"].drop_nulls().is_in(data["x"].implode()).all()
    assert np.corrcoef(made["x"].drop_nulls(), made["y"].drop_nulls())[0, 1] < -0.99


def test_members_of_a_household_share_its_attributes_and_their_incomes_go_with_their_schooling() -> None:
    data = ammg.Microdata(ammg.datasets.survey(4000, seed=5)).with_roles(SURVEY_ROLES).with_levels(SURVEY_LEVELS)
    made = artificial(data)
    assert made.group_by("household_id").agg(pl.col("rooms").n_unique())["rooms"].max() == 1
    adults = [table.filter(pl.col("age").is_between(25, 60)) for table in (data.table, made)]
    before, after = (np.corrcoef(t["education"].to_physical(), t["income"])[0, 1] for t in adults)
    assert before > 0.15
    assert after == pytest.approx(before, abs=0.15)


def test_census_keeps_means_margins_and_correlations(census_data: ammg.Microdata) -> None:
    _assert_like_census(census_data, 8)


@pytest.mark.proof
def test_census_keeps_means_margins_and_correlations_over_200_secrets(census_data: ammg.Microdata) -> None:
    _assert_like_census(census_data, 200)


def _assert_like_census(data: ammg.Microdata, secrets: int) -> None:
    """What files have on average is that of CENSUS within one standard error of CENSUS itself, for every figure.

    CENSUS is a sample: figures of another sample of its size would be one standard error away. The draws are allowed
    three standard errors of a mean over so many files, a fifth of that over 200. The total is the sum of its parts by
    the rule that CENSUS keeps in every record, so that its margin is not drawn but made: within two standard errors.
    """
    draws = 3 / np.sqrt(secrets)
    data = data.with_rules("PTOTVAL = PEARNVAL + POTHVAL")
    real = data.table.to_numpy().astype(float)
    made = [artificial(data, secret=s).to_numpy().astype(float) for s in map(Secret.known, range(secrets))]
    names = data.table.columns
    total, *parts = (names.index(name) for name in ("PTOTVAL", "PEARNVAL", "POTHVAL"))
    assert all((file[:, total] == file[:, parts].sum(axis=1)).all() for file in made)
    tenths = [np.quantile(column, np.linspace(0.1, 0.9, 9)) for column in real.T]

    def below(file: np.ndarray) -> np.ndarray:
        return np.array([[np.mean(column <= t) for t in tenth] for column, tenth in zip(file.T, tenths, strict=True)])

    pairs = np.tril_indices(real.shape[1], -1)
    for figure in (lambda file: file.mean(axis=0), lambda file: np.corrcoef(file.T)[pairs]):
        assert _errors(real, made, figure).max() < 1 + draws
    margins = _errors(real, made, below)
    assert np.delete(margins, total, axis=0).max() < 1 + draws
    assert margins[total].max() < 2 + draws


def _errors(real: np.ndarray, made: list[np.ndarray], figure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The bias of a figure in standard errors of its estimate from CENSUS."""
    rng = np.random.default_rng(0)
    again = np.array([figure(real[rng.integers(0, len(real), len(real))]) for _ in range(100)])
    found = np.mean([figure(file) for file in made], axis=0)
    return np.abs(found - figure(real)) / again.std(axis=0)


def test_records_of_census_never_appear_where_excluded(census_data: ammg.Microdata) -> None:
    few = census_data.table.select(pl.col("AGI") // 20_000, pl.col("FEDTAX") // 4_000, pl.col("FICA") // 1_000)
    for secret in map(Secret.known, range(10)):
        assert len(artificial(few, 0.3, secret, distinct=True).join(few, on=few.columns)) == 0
