"""The attack on local recoding against a count by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.testing import check_risk_laws

ANYBODY = Scenario()


def people(n: int = 120) -> ammg.Microdata:
    rng = np.random.default_rng(8)
    table = pl.DataFrame({"age": rng.integers(0, 90, n), "town": rng.choice(list("abcdef"), n)})
    tree = {town: ["west" if town < "d" else "east", "*"] for town in "abcdef"}
    return ammg.Microdata(table).with_roles(key=["age", "town"]).with_hierarchies(town=tree)


@pytest.mark.parametrize("method", [ammg.Mondrian(k=3), ammg.LocalRecoding(k=3, moves=5_000)])
def test_a_record_is_found_among_the_people_whom_its_classes_hold(method: ammg.Method) -> None:
    data = people()
    masked = ammg.Pipeline([method]).run(data, secret=1)
    holds = np.ones((len(data), len(data)), bool)
    for name in ("age", "town"):
        told = masked.pair.value_sets(name)
        assert told is not None
        place = {category: row for row, category in enumerate(told.after)}
        rows = [place[value] for value in masked.table[name].to_list()]
        holds &= told.holding(data.table[name].to_list())[rows]
    assert holds.diagonal().all()
    found = ammg.ValueSetLinkage().measure(masked.pair, ANYBODY)
    ways = found.tables["ways"].lookup("way", "rate")
    assert ways["most_probable"] == pytest.approx((1 / holds.sum(axis=1)).mean())
    assert ways["most_probable"] - 1e-9 <= found.value <= 1 / 3 + 1e-9


def test_target_units_and_k_map_see_what_classes_stand_for() -> None:
    masked = ammg.Pipeline([ammg.Mondrian(k=3)]).run(people(), secret=1)
    assert ammg.TargetUnit().measure(masked.pair, ANYBODY).value > 0.1
    assert ammg.KMap(k=3).measure(masked.pair, ANYBODY).value == 0
    assert ammg.KMap(k=60).measure(masked.pair, ANYBODY).value > 0.5


def test_the_loss_of_a_category_is_the_size_of_its_class() -> None:
    data = people()
    masked = ammg.Pipeline([ammg.Mondrian(k=20, columns=("town",))]).run(data, secret=1)
    size = {**dict.fromkeys("abcdef", 1), "west": 3, "east": 3, "*": 6}
    by_hand = np.mean([(size[value] - 1) / 5 for value in masked.table["town"].to_list()])
    assert ammg.CellLoss().measure(masked.pair, ANYBODY).by_column["town"] == pytest.approx(by_hand)


def test_other_files_are_not_its_business() -> None:
    with pytest.raises(NotDefined, match="no local recoding"):
        ammg.ValueSetLinkage().measure(ammg.Pipeline([]).run(people(), secret=1).pair, ANYBODY)


def test_it_keeps_the_laws_of_risk() -> None:
    check_risk_laws(ammg.ValueSetLinkage(), cases=24)
