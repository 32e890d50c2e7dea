from __future__ import annotations

import csv

import numpy as np
import pytest

from ammg.kernels.linkage.comparison import compare
from ammg.kernels.linkage.field_weights import (
    equal_weights,
    estimate_weights,
    overall_agreement,
    value_specific_weights,
    weights_of,
    weights_of_links,
)
from ammg.kernels.linkage.pair_scores import score_all
from ammg.kernels.matching.assignment import assign_all
from ammg.kernels.noise.mixture_noise import mixture_variates
from ammg.kernels.psd import psd_factor
from ammg.kernels.ranks.rank_swap import swap_ranks

HALF = np.array([0.5, 0.5])


def rank_swapped(census, percent, rng):
    return np.column_stack([swap_ranks(column, len(census) * percent // 100, rng) for column in census.T])


def with_mixture_noise(census, d, rng):
    means = np.array([1, -1]) * np.sqrt(1 - 0.025)
    variates = mixture_variates(rng.random(census.shape), rng.normal(size=census.shape), means, HALF, 0.025)
    return census + np.sqrt(d) * variates @ psd_factor(np.cov(census.T)).T


MASKS = {
    "rnkswp05": lambda census, rng: rank_swapped(census, 5, rng),
    "rnkswp10": lambda census, rng: rank_swapped(census, 10, rng),
    "rnkswp15": lambda census, rng: rank_swapped(census, 15, rng),
    "add10": lambda census, rng: census + np.sqrt(0.1) * rng.normal(size=census.shape) @ psd_factor(np.cov(census.T)).T,
    "mixadd01": lambda census, rng: with_mixture_noise(census, 0.01, rng),
    "mixadd05": lambda census, rng: with_mixture_noise(census, 0.05, rng),
    "mixadd20": lambda census, rng: with_mixture_noise(census, 0.2, rng),
}


def reidentified(comparison, weights):
    return float((assign_all(score_all(comparison, weights)).links == np.arange(1080)).mean())


@pytest.mark.parametrize("row", MASKS)
def test_equal_weights_give_the_rates_of_table_2_of_yancey(census, shared, row):
    with (shared / "spec" / "targets" / "yancey_table2_census_reid.csv").open() as lines:
        printed = next(line for line in csv.DictReader(lines) if line["method"] == row)
    for metric, tolerance in (("d", 0.04), ("l", 0.06)):
        rates = [
            reidentified(
                compare(census, MASKS[row](census, np.random.default_rng(seed)), [metric] * 13), equal_weights(13)
            )
            for seed in range(2)
        ]
        assert np.mean(rates) == pytest.approx(float(printed[f"reid_{metric}"]), abs=tolerance)


def test_em_on_census_finds_similar_people_and_says_that_it_was_not_used(census):
    comparison = compare(census, rank_swapped(census, 5, np.random.default_rng(0)), ["d"] * 13)
    estimated = estimate_weights(comparison)
    assert estimated.used == "equal"
    assert estimated.fit.matches > 5 * 1080
    assert reidentified(comparison, weights_of(estimated.fit.m, estimated.fit.u)) < 0.65
    assert reidentified(comparison, estimated.weights) > 0.8


@pytest.mark.parametrize("fixed_u", [False, True])
def test_em_on_coded_fields_finds_the_matches(fixed_u):
    rng = np.random.default_rng(5)
    original = rng.integers(0, [12, 50, 2, 30, 8], (600, 5)).astype(float)
    changed = rng.random(original.shape) < 0.1
    masked = np.where(changed, rng.integers(0, [12, 50, 2, 30, 8], (600, 5)), original)
    estimated = estimate_weights(compare(original, masked, ["equal"] * 5), fixed_u=fixed_u)
    assert estimated.used == ("em-fixed-u" if fixed_u else "em")
    kept = (original == masked).mean(axis=0)
    assert np.abs(estimated.fit.m - kept).max() < 0.06


def test_supervised_weights_are_no_worse_than_equal_ones_for_the_l_metric(census):
    comparison = compare(census, with_mixture_noise(census, 0.05, np.random.default_rng(1)), ["l"] * 13)
    everybody = np.arange(1080)
    supervised = reidentified(comparison, weights_of_links(comparison, everybody, everybody))
    assert supervised >= reidentified(comparison, equal_weights(13))


def test_m_of_supervised_weights_is_the_rate_among_true_pairs():
    comparison = compare(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([[1.0], [2.0], [3.0], [9.0]]), ["equal"])
    weights = weights_of_links(comparison, np.arange(4), np.arange(4))
    assert weights.agree == pytest.approx(np.log(0.75 / (3 / 16)))
    assert weights.disagree == pytest.approx(np.log(0.25 / (13 / 16)))
    assert overall_agreement(comparison) == pytest.approx(3 / 16)


def test_agreement_on_a_rare_value_counts_more():
    values = np.array([[0.0]] * 90 + [[1.0]] * 10)
    weights = value_specific_weights(compare(values, values, ["equal"]), m=0.95)
    assert weights.agree[0, 0] == pytest.approx(np.log(0.95 / 0.9))
    assert weights.agree[99, 0] == pytest.approx(np.log(0.95 / 0.1))
