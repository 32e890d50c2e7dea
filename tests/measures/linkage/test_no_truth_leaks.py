"""The truth scores attacks and tells them nothing: under another truth every attack is left with chance."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack

N = 40
TRUTHS = 4
NUMBERS = ("age", "pay", "rent")
CODES = ("region", "job")
RELEASES = {
    "partners": [ammg.RankSwapping(columns=NUMBERS, p=20)],
    "windows": [ammg.BoundedRankPermutation(columns=NUMBERS, p=20)],
    "columns": [ammg.UnivariateMicroaggregation(columns=NUMBERS, k=3)],
    "groups": [ammg.Mdav(columns=NUMBERS, k=3, noise="pooled")],
    "law": [ammg.AdditiveNoise(columns=NUMBERS, law="laplace", p=0.3)],
    "patterns": [ammg.MixtureNoise(columns=NUMBERS, d=0.2)],
    "modes": [ammg.JointMixtureNoise(columns=NUMBERS, d=0.2)],
    "multiples": [ammg.RandomRounding(columns=NUMBERS, base=1.0)],
    "image": [ammg.Jpeg(columns=NUMBERS, quality=50)],
    "matrices": [ammg.Pram(columns=CODES, stay=0.7)],
    "exchanges": [ammg.DataSwapping(columns=("region",), rate=0.4)],
    "boxes": [ammg.Mondrian(columns=("age", "region"), k=4)],
    "homes": [ammg.Pram(columns=CODES, stay=0.9)],
    "two steps": [ammg.RankSwapping(columns=NUMBERS, p=20), ammg.AdditiveNoise(columns=NUMBERS, p=0.1)],
}
UNDER_LAW = ("partners", "columns", "groups", "law", "patterns", "multiples")
"""Releases of which the law of independent files asks the same."""
ATTACKS = {
    f"{name} {number}": attack
    for name, unit in registry.units("measures").items()
    if issubclass(unit, Attack) and name != "intact_records"  # it looks at no link, which a test of its own shows
    for number, attack in enumerate(unit.strongest(1e10))
}


def people(seed, steps):
    """People whose numbers tell everybody apart; in the release of homes, who live two by two."""
    rng = np.random.default_rng(seed)
    table = {name: np.round(rng.lognormal(2, 0.6, N), 2) for name in NUMBERS}
    codes = {name: rng.choice(list("abcd"), N, p=[0.4, 0.3, 0.2, 0.1]) for name in CODES}
    if steps is not RELEASES["homes"]:
        return ammg.Microdata(pl.DataFrame(table | codes)).with_roles(key=[*NUMBERS, *CODES])
    home = {"home": rng.permutation(N) // 2}
    return ammg.Microdata(pl.DataFrame(table | codes | home)).with_roles(key=CODES, household="home")


def released(steps, seed):
    return ammg.Pipeline(steps).run(people(seed, steps), secret=seed).pair


def remembered(again):
    """The recipe, run once for each file and secret."""
    made = {}

    def run(table, secret):
        key = secret, tuple(table.columns), table.table.write_csv()
        if key not in made:
            made[key] = again(table, secret)
        return made[key]

    return run


def with_truth(pair, link, again=None):
    return Pair(pair.original, pair.masked, link, pair.published, again=again or pair.again)


def measurements(pair):
    """Those of the attacks that can be tried."""
    found = {}
    for label, attack in ATTACKS.items():
        with suppress(NotDefined):
            found[label] = attack.measure(pair, Scenario())
    return found


def rates(pair):
    return {label: measured.value for label, measured in measurements(pair).items()}


def above_chance(measured):
    """Attacks that find more on average than one person, by five standard errors of `TRUTHS` truths."""
    allowed = (1 + 5 * np.sqrt(1 / TRUTHS)) / N
    return {label: values for label, values in measured.items() if np.mean(values) > allowed}


@pytest.mark.parametrize("steps", RELEASES.values(), ids=list(RELEASES))
def test_under_another_truth_no_attack_finds_more_than_chance(steps):
    pair = released(steps, 0)
    again = remembered(pair.again)
    measured = {}
    for seed in range(TRUTHS):
        other = np.random.default_rng(seed).permutation(N)
        for label, rate in rates(with_truth(pair, other, again)).items():
            measured.setdefault(label, []).append(rate)
    assert len(measured) > 4
    assert not above_chance(measured)
    true = rates(with_truth(pair, pair.link, again))
    assert max(true.values()) > 0.2  # the truth can be found: nothing else is wrong with these files


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(steps, id=name, marks=[pytest.mark.proof] if name in UNDER_LAW else [])
        for name, steps in RELEASES.items()
    ],
)
def test_in_the_release_of_other_people_no_attack_finds_more_than_chance(steps):
    measured = {}
    for seed in range(TRUTHS):
        other = released(steps, seed)
        pair = Pair(people(100 + seed, steps), other.masked, other.link, other.published, again=other.again)
        for label, rate in rates(pair).items():
            measured.setdefault(label, []).append(rate)
    assert len(measured) > 4
    assert not above_chance(measured)


def test_every_attack_is_tried_on_some_release_and_says_whom_it_is_surest_of():
    described = [name for name in RELEASES if name not in ("windows", "patterns", "modes", "two steps")]
    tried = {}
    for name in described:
        tried |= measurements(released(RELEASES[name], 0))
    assert set(tried) == set(ATTACKS)
    assert {label for label, measured in tried.items() if "surest_value" not in measured.facts} == set()


def test_intact_records_are_found_whatever_the_truth():
    pair = released([ammg.AdditiveNoise(columns=NUMBERS, p=0.001)], 0)
    other = np.random.default_rng(0).permutation(N)
    truths = [ammg.IntactRecords().measure(with_truth(pair, link), Scenario()).value for link in (pair.link, other)]
    assert truths[0] == truths[1] > 0.9
