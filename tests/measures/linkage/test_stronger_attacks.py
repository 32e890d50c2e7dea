"""The worst case against figures of attacks that were written from outside (CENSUS)."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario

CASES = {
    ("RankSwapping p=15", 13): (ammg.RankSwapping(p=15), ammg.SwapPartnerLinkage()),
    ("RankSwapping p=40", 13): (ammg.RankSwapping(p=40), ammg.SwapPartnerLinkage()),
    ("RankSwapping p=15", 3): (ammg.RankSwapping(p=15), ammg.SwapPartnerLinkage()),
    ("RankSwapping p=40", 3): (ammg.RankSwapping(p=40), ammg.SwapPartnerLinkage()),
    ("DistributionRankSwapping p=20", 13): (ammg.DistributionRankSwapping(p=20), ammg.SwapPartnerLinkage()),
    ("JointMixtureNoise d=0.5", 13): (ammg.JointMixtureNoise(d=0.5, below_zero="allow"), ammg.NoiseLawLinkage()),
    ("MixtureNoise d=0.2", 8): (ammg.MixtureNoise(d=0.2, below_zero="allow"), ammg.NoiseLawLinkage()),
    ("MixtureNoise d=0.2", 6): (ammg.MixtureNoise(d=0.2, below_zero="allow"), ammg.NoiseLawLinkage()),
    ("PercentileNoise delta=1 groups=5", 13): (ammg.PercentileNoise(delta=1, groups=5), ammg.ReplayLinkage()),
    ("Jpeg order=principal quality=20", 13): (ammg.Jpeg(order="principal", quality=20), ammg.ReplayLinkage()),
    ("Jpeg order=principal quality=5", 13): (ammg.Jpeg(order="principal", quality=5), ammg.ReplayLinkage()),
    ("MultiplicativeNoise two_sided cv=0.4", 13): (
        ammg.MultiplicativeNoise(law="two_sided", cv=0.4),
        ammg.NoiseLawLinkage(),
    ),
    ("MDAV k=5 pooled noise", 13): (ammg.Mdav(k=5, noise="pooled"), ammg.WorstCase()),
    ("RandomRounding 20000", 13): (ammg.RandomRounding(base=20_000), ammg.RoundingLinkage()),
    ("AdditiveNoise Laplace p=1", 13): (
        ammg.AdditiveNoise(law="laplace", p=1, below_zero="allow"),
        ammg.NoiseLawLinkage(),
    ),
    ("MDAV k=5", 13): (ammg.Mdav(k=5), ammg.WorstCase()),
}
WITHOUT_CHANCE = ("jpeg", "mdav")
SECRETS = 3
"""`benchmarks/bench_attack_rates.py` takes ten, through the whole worst case."""
DEAR = (("DistributionRankSwapping p=20", 13), ("MDAV k=5 pooled noise", 13))


def figures(shared):
    with (shared / "spec" / "targets" / "stronger_attacks_2.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return {(row["method"], int(row["known_columns"])): float(row["found_percent"]) / 100 for row in rows}


def found(census_data, case, measure, secret):
    pair = ammg.Pipeline([CASES[case][0]]).run(census_data, secret=secret).pair
    return measure.measure(pair, Scenario(known=tuple(census_data.columns[: case[1]]))).value


@pytest.mark.proof
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}, {case[1]} known")
def test_the_worst_case_finds_what_the_strongest_known_attack_finds(census_data, shared, case):
    """One attack is a lower bound of the worst case, and many secrets of the whole worst case would take long."""
    target = figures(shared)[case]
    step, measure = CASES[case]
    same = step.name in WITHOUT_CHANCE and getattr(step, "noise", "none") == "none"
    secrets = 1 if same else 2 if case in DEAR else SECRETS
    rates = [found(census_data, case, measure, secret) for secret in range(secrets)]
    assert np.mean(rates) >= target - 0.02
    assert found(census_data, case, ammg.WorstCase(limit=max(rates[0] - 1e-9, 0)), 0) >= rates[0] - 1e-9
    if step.name == "mdav":
        share = 216 / 1080  # nobody in a group of 5 is found by linkage with a greater chance
        assert np.mean(rates) <= share + 3 * np.sqrt(share * (1 - share) / 1080 / len(rates))


def test_every_figure_has_a_case(shared):
    assert set(figures(shared)) == set(CASES)
