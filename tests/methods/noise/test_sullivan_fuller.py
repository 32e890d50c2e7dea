from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.kernels.noise.score_noise import classify, pseudo_bernoulli
from ammg.reproduce.sullivan_fuller import design


def masked(table, secret=1, **options):
    data = ammg.Microdata(table).with_roles(confidential=table.columns)
    return ammg.Pipeline([ammg.SullivanFuller(**options)]).run(data, Secret.known(secret)).table


def test_whole_numbers_keep_their_distribution_and_others_their_range():
    table = design(1)
    after = masked(table)
    assert after["X3"].sort().equals(table["X3"].sort())
    assert table["X1"].min() <= after["X1"].min() and after["X1"].max() <= table["X1"].max()
    assert after["X1"].mean() == pytest.approx(table["X1"].mean(), abs=0.05)
    assert len(set(after["X1"].to_list()) & set(table["X1"].to_list())) <= 2  # the ends alone


def test_overall_correlations_are_nearly_kept_and_category_frequencies_exactly():
    gaps = []
    for secret in range(6):
        table = design(secret)
        after = masked(table, secret)
        sides = [np.corrcoef(file.select("X1", "X2", "X3").to_numpy().T) for file in (table, after)]
        gaps.append(np.abs(sides[0] - sides[1]).max())
        assert [(after["X4"] == c).sum() for c in "1234"] == [81, 30, 53, 136]  # the paper: 81, 33, 50, 136
    assert np.mean(gaps) < 0.05


def test_category_frequencies_are_kept_by_weight():
    rng = np.random.default_rng(8)
    weights = rng.uniform(1, 9, 300)
    table = design(4).with_columns(w=pl.Series(weights))
    data = ammg.Microdata(table).with_roles(confidential=["X1", "X2", "X3", "X4"], weight="w")
    after = ammg.Pipeline([ammg.SullivanFuller()]).run(data, Secret.known(1)).table
    for category in "1234":
        before, now = (float(file.filter(pl.col("X4") == category)["w"].sum()) for file in (table, after))
        assert abs(before - now) <= 9


def test_the_error_has_the_correlation_that_theory_says_before_the_check():
    """The correlation of a score with its masked version is (1 + α)^(-1/2)."""
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"x": rng.normal(size=4000), "y": rng.normal(size=4000)})
    for alpha in (0.1, 0.3, 0.83):
        after = masked(table, alpha=alpha, check="none")
        assert np.corrcoef(table["x"], after["x"])[0, 1] == pytest.approx((1 + alpha) ** -0.5, abs=0.03)


def test_no_error_changes_no_category_and_more_error_more_of_them():
    table = design(2)
    switched = [
        float((masked(table, alpha=alpha, check="none", repairs=0)["X4"] != table["X4"]).mean())
        for alpha in (1e-9, 0.03, 0.3, 1.0)
    ]
    assert switched[0] == 0.0
    assert switched == sorted(switched)


def test_records_are_masked_again_until_two_others_are_nearer():
    data = ammg.Microdata(design(3)).with_roles(confidential=["X1", "X2", "X3", "X4"])
    for check, most in (("none", 300), ("two nearest", 60)):
        notes = ammg.Pipeline([ammg.SullivanFuller(check=check, passes=3)]).run(data, Secret.known(1)).steps[0].notes
        failing = int(notes[0].split(";")[1].split()[0].replace(",", ""))
        assert failing <= most
        assert check != "none" or failing > 60


def test_pseudo_bernoulli_columns_are_independent_and_give_the_category_back():
    rng = np.random.default_rng(5)
    codes = rng.choice(4, 20_000, p=[0.1, 0.2, 0.3, 0.4]).astype(np.int32)
    codes[:50] = -1
    order = (3, 2, 1, 0)
    bits = pseudo_bernoulli(codes, order, rng)
    correlation = np.corrcoef(np.column_stack(bits)[50:].T)
    assert np.abs(correlation - np.eye(3)).max() < 0.03
    assert np.array_equal(classify([np.nan_to_num(b) for b in bits], codes, order), codes)


def test_within_categories_correlations_move_towards_the_overall_ones():
    inside, after = [], []
    for secret in range(8):
        table = design(secret)
        for kept, file in ((inside, table), (after, masked(table, secret))):
            part = file.filter(pl.col("X4") == "4")
            kept.append(np.corrcoef(part["X1"], part["X2"])[0, 1])
    assert np.mean(inside) < np.mean(after) < 0  # the paper: -0.78 becomes -0.33, overall -0.10


def test_too_few_records_are_refused():
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["a", "b", "c"]})
    with pytest.raises(InputError, match="turns the attributes into 3 columns of scores, but there are only 3 records"):
        masked(table)
