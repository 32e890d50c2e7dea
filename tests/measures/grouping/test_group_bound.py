"""Nobody in a group whose records are alike, or differ by noise alone, is found by linkage above one in the group."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack

N, SECRETS = 96, 2
NAMES = ("age", "pay", "rent", "tax")
KEYS = ("age", "pay", "region")
ATTACKS = {
    f"{name} {number}": attack
    for name, unit in registry.units("measures").items()
    if issubclass(unit, Attack) and name != "intact_records"  # it looks for values, not for records
    for number, attack in enumerate(unit.strongest(1e10))
}
STEPS = {
    "mdav": (ammg.Mdav(columns=NAMES, k=4), NAMES),
    "pooled noise": (ammg.Mdav(columns=NAMES, k=4, noise="pooled"), NAMES),
    "noise within": (ammg.Mdav(columns=NAMES, k=4, noise="within"), NAMES),
    "searched groups": (ammg.Microaggregation(columns=NAMES, k=4, iterations=200), NAMES),
    "v-mdav": (ammg.VMdav(columns=NAMES, k=4), NAMES),
    "projection": (ammg.ProjectionMicroaggregation(columns=NAMES, k=4), NAMES),
    "boxes": (ammg.Mondrian(columns=KEYS, k=4), KEYS),
    "similar records": (ammg.LocalRecoding(columns=KEYS, k=4, moves=2_000), KEYS),
}


def people(seed):
    rng = np.random.default_rng(seed)
    table = {name: np.round(rng.lognormal(2, 0.6, N), 2) for name in NAMES}
    return ammg.Microdata(pl.DataFrame(table | {"region": rng.choice(list("abc"), N)})).with_roles(key=[*NAMES])


@pytest.mark.parametrize(("step", "known"), STEPS.values(), ids=list(STEPS))
def test_the_mean_of_each_attack_is_at_most_groups_over_people(step, known):
    found, shares = {}, []
    for secret in range(SECRETS):
        pair = ammg.Pipeline([step]).run(people(secret), secret=secret).pair
        noisy = getattr(step, "noise", "none") != "none"
        shares.append((N // 4 if noisy else pair.masked.table.select(known).n_unique()) / N)
        for label, attack in ATTACKS.items():
            with suppress(NotDefined):
                rate = attack.measure(pair, Scenario(known=known)).value
                found.setdefault(label, []).append(rate)
    share = float(np.mean(shares))
    bound = share + 3 * np.sqrt(share * (1 - share) / N / SECRETS)
    assert share <= 0.25
    assert {label: rates for label, rates in found.items() if np.mean(rates) > bound} == {}
    assert max(np.mean(rates) for rates in found.values()) > 0.7 * share  # and the bound is nearly reached
