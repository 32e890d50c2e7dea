from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.linkage import probabilistic_linkage

ANYBODY = Scenario()


@pytest.fixture(scope="module")
def swapped(census_data):
    return ammg.Pipeline([ammg.RankSwapping(p=10)]).run(census_data, secret="0" * 32).pair


def coded(n=400, seed=0):
    """Four coded fields of which a tenth is changed."""
    rng = np.random.default_rng(seed)
    levels = np.array([12, 40, 3, 25])
    codes = rng.integers(0, levels, (n, 4))
    changed = np.where(rng.random(codes.shape) < 0.1, rng.integers(0, levels, (n, 4)), codes)
    before, after = (
        ammg.Microdata(pl.DataFrame({f"f{j}": [f"v{v}" for v in column] for j, column in enumerate(file.T)}))
        for file in (codes, changed)
    )
    return Pair(before, after, np.arange(n))


@pytest.mark.parametrize(("metric", "tolerance"), [("d", 0.04), ("l", 0.06)])
def test_rates_are_those_of_table_2_of_yancey(swapped, shared, metric, tolerance):
    with (shared / "spec" / "targets" / "yancey_table2_census_reid.csv").open() as lines:
        printed = next(float(r[f"reid_{metric}"]) for r in csv.DictReader(lines) if r["method"] == "rnkswp10")
    measured = ammg.ProbabilisticLinkage(metric=metric).measure(swapped, ANYBODY)
    assert measured.value == pytest.approx(printed, abs=tolerance + 0.01)  # one secret
    assert measured.interval[0] < measured.value < measured.interval[1]
    assert measured.facts["zone"] <= measured.value


def test_identical_files_are_linked_fully(census_data):
    for metric in ("d", "l", "asinh"):
        assert ammg.ProbabilisticLinkage(metric=metric).measure(Pair.identity(census_data), ANYBODY).value == 1


def test_em_says_when_it_was_not_used(swapped):
    facts = ammg.ProbabilisticLinkage(weights="em").measure(swapped, ANYBODY).facts
    assert facts["weights"] == "equal: EM found a class that is too large to be the matches"
    assert facts["em_class_of_matches"] > 5 * 1080


@pytest.mark.parametrize("weights", ["em", "em-fixed-u", "supervised", "value-specific"])
def test_learned_weights_link_coded_fields_better_than_equal_ones(weights):
    pair = coded()
    equal = ammg.ProbabilisticLinkage().measure(pair, ANYBODY)
    learned = ammg.ProbabilisticLinkage(weights=weights).measure(pair, ANYBODY)
    assert learned.facts["weights"] == weights
    assert learned.value > equal.value
    telling = learned.tables["field_weights"].lookup("field", "agree")
    assert telling["f1"] > telling["f2"]  # 40 values tell more than 3


def test_rounds_learn_from_the_links(swapped):
    measured = ammg.ProbabilisticLinkage(metric="l", rounds=2).measure(swapped, ANYBODY)
    first, *others = measured.tables["field_weights"]["agree"]
    assert any(other != first for other in others)
    assert measured.facts["weights"] == "equal, then learned from the links, 2 times"


def test_given_weights_are_used_and_checked():
    pair = coded(50)
    given = {"f0": (0.9, 0.1), "f1": (0.9, 0.1), "f2": (0.9, 0.1), "f3": (0.9, 0.1)}
    equal = ammg.ProbabilisticLinkage().measure(pair, ANYBODY)
    assert ammg.ProbabilisticLinkage(weights="given", given=given).measure(pair, ANYBODY).value == equal.value
    with pytest.raises(InputError, match="No m and u are given for the attribute 'f3'"):
        ammg.ProbabilisticLinkage(weights="given", given={**given, "f3": (0.9, 0.1)} | {"f3x": (0.5, 0.1)}).model_copy(
            update={"given": {k: v for k, v in given.items() if k != "f3"}}
        ).measure(pair, ANYBODY)
    with pytest.raises(InputError, match="must lie between 0 and 1"):
        ammg.ProbabilisticLinkage(weights="given", given={**given, "f0": (1.0, 0.1)}).measure(pair, ANYBODY)


def test_decisions_cover_all_pairs_and_keep_the_bound(swapped):
    rule = ammg.ProbabilisticLinkage(false_link=0.001, false_non_link=0.05).measure(swapped, ANYBODY)
    decisions = rule.tables["decisions"]
    assert sum(decisions["pairs"]) == 1080 * 1080
    assert rule.facts["false_link_rate"] <= 0.001
    assert rule.facts["false_non_link_rate"] <= 0.05
    assert decisions.lookup("decision", "links")["clerical"] > 0
    assert sum(decisions["links"]) == 1080
    assert rule.facts["right_links"] <= decisions.lookup("decision", "links")["link"]


M, LEVELS = np.array([0.95, 0.9, 0.85, 0.8, 0.9, 0.92]), np.array([12, 5, 30, 8, 50, 4])


def known_laws(rng, n=600):
    """Files whose fields agree with probability M for the same person and 1 / LEVELS for two."""
    original = rng.integers(0, LEVELS, (n, 6))
    changed = (original + rng.integers(1, LEVELS, (n, 6))) % LEVELS
    link = rng.permutation(n)
    masked = np.where(rng.random((n, 6)) < M, original, changed)[link]
    before, after = (
        ammg.Microdata(pl.DataFrame({f"f{j}": [f"v{code:02d}" for code in column] for j, column in enumerate(file.T)}))
        for file in (original, masked)
    )
    return Pair(before, after, link)


@pytest.mark.parametrize("bounds", [(1e-3, 0.01), (1e-4, 0.01), (1e-5, 0.05)])
@pytest.mark.parametrize("weights", ["given", "supervised", "em"])
def test_both_error_bounds_hold_in_truth_and_the_clerk_gets_the_least(bounds, weights):
    from ammg.kernels.linkage.decision_rule import decision_rule

    rng = np.random.default_rng(9)
    given = {f"f{j}": (M[j], 1 / LEVELS[j]) for j in range(6)} if weights == "given" else {}
    attack = ammg.ProbabilisticLinkage(weights=weights, given=given, false_link=bounds[0], false_non_link=bounds[1])
    found = [attack.measure(known_laws(rng), ANYBODY) for _ in range(8)]
    false_links, false_non_links = (
        np.mean([one.facts[name] for one in found]) for name in ("false_link_rate", "false_non_link_rate")
    )
    trials = 8 * 600
    assert false_links <= bounds[0] + 3 * (bounds[0] / (trials * 600)) ** 0.5
    assert false_non_links <= bounds[1] + 3 * (bounds[1] / trials) ** 0.5
    states = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1).T
    match, other = (np.where(states, law, 1 - law).prod(axis=1) for law in (M, 1 / LEVELS))
    best = decision_rule(np.log(match / other), match, other, *bounds)
    clerical = other[~best.links(np.log(match / other)) & ~best.non_links(np.log(match / other))].sum()
    to_clerk = [one.tables["decisions"].lookup("decision", "pairs")["clerical"] for one in found]
    assert np.mean(to_clerk) / 600**2 <= 1.5 * clerical + 1e-3


def test_large_files_take_another_way_to_the_same_links(swapped, monkeypatch):
    small = ammg.ProbabilisticLinkage(metric="l").measure(swapped, ANYBODY)
    monkeypatch.setattr(probabilistic_linkage, "DENSE_PAIRS", 0)
    large = ammg.ProbabilisticLinkage(metric="l").measure(swapped, ANYBODY)
    assert large.value == pytest.approx(small.value, abs=0.005)  # among equally good matchings


def test_without_assignment_fewer_are_found(swapped):
    loose = ammg.ProbabilisticLinkage(metric="l", one_to_one=False).measure(swapped, ANYBODY)
    assert loose.value < ammg.ProbabilisticLinkage(metric="l").measure(swapped, ANYBODY).value


def test_precision_is_charted_from_the_surest_link(swapped):
    (chart,) = ammg.ProbabilisticLinkage(metric="l").measure(swapped, ANYBODY).charts
    assert chart.x[-1] == 1080
    assert np.mean(chart.series["precision"][1:11]) > chart.series["precision"][-1]  # of the surest tenth, and of all


def test_under_the_l_metric_signs_must_agree_zeros_are_equal_and_negatives_go_by_size():
    before = ammg.Microdata(pl.DataFrame({"x": [0.0, -100.0, 100.0, 1000.0, -5.0]}))
    after = ammg.Microdata(pl.DataFrame({"x": [0.0, -104.0, 104.0, 0.0, 5.0]}))  # a zero, a changed sign: not found
    attack = ammg.ProbabilisticLinkage(metric="l", one_to_one=False)
    found = ammg.evaluate(Pair(before, after, np.arange(5)), [attack], before=False)["probabilistic_linkage"]
    assert found.people.by_record.tolist() == [1, 1, 1, 0, 0]


def test_too_many_pairs_are_refused(swapped):
    with pytest.raises(NotDefined, match="more than 1e\\+06 pairs"):
        ammg.ProbabilisticLinkage(most_pairs=1e6).measure(swapped, ANYBODY)
