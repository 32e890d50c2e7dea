"""Every loss between 0 and 1: 0 for the file itself, 1 at the anchor that the measure declares."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pairs.anchors import anchored, constant, permuted
from ammg.measures.measure import Loss

LOSSES = sorted(name for name, unit in registry.units("measures").items() if issubclass(unit, Loss))


@pytest.fixture(scope="module")
def small() -> ammg.Microdata:
    data = ammg.Microdata(ammg.datasets.survey(300, seed=3))
    return data.with_roles(
        identifier="person_id", household="household_id", weight="weight", key=["region", "sex", "age"]
    )


@pytest.mark.parametrize("name", LOSSES)
def test_the_score_is_zero_for_the_file_and_one_at_the_anchor(small: ammg.Microdata, name: str) -> None:
    itself = ammg.Pair.identity(small)
    found = ammg.evaluate(itself, name, scores=True)
    assert found.scores[name] == pytest.approx(0, abs=1e-9) or found[name].value is None
    at_anchor = anchored(itself, registry.find("measures", name).anchor)
    found = ammg.evaluate(at_anchor, name, scores=True)
    assert found.scores[name] in (pytest.approx(1), pytest.approx(0, abs=1e-9), None)
    if (found[name].value or 0) > 1e-9:
        assert found.scores[name] == pytest.approx(1)


def test_nearly_every_loss_loses_something_at_its_anchor(small: ammg.Microdata) -> None:
    """Losses that look at what is withheld have no anchor among files that withhold nothing."""
    itself = ammg.Pair.identity(small)
    nothing = {
        name
        for name in LOSSES
        if not ammg.evaluate(anchored(itself, registry.find("measures", name).anchor), name).value(name) > 1e-9
    }
    assert nothing <= {"suppressed_cells", "suppressed_records", "granularity", "discernibility", "average_class_size"}


def test_more_noise_has_a_higher_score_and_a_change_of_unit_none(small: ammg.Microdata) -> None:
    names = ["il1s", "il4", "kolmogorov_smirnov", "overall_loss"]
    before = None
    for p in (0.1, 0.5, 2.0):
        masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages", "income"], p=p)]).run(small, 1)
        scores = ammg.evaluate(masked, names, scores=True).scores
        assert all(0 < score <= 1 for score in scores.values())
        assert before is None or all(scores[name] >= before[name] for name in names)
        before = scores
        cents = [
            ammg.Microdata(data.table.with_columns(pl.col("wages", "income") * 128.0), data.schema)
            for data in (masked.pair.original, masked.pair.masked)
        ]
        same = ammg.evaluate(ammg.Pair(*cents, masked.pair.link, masked.pair.published), names, scores=True).scores
        assert same == pytest.approx(scores, rel=1e-9)


def test_a_permuted_file_keeps_every_margin_and_the_order_of_the_file_makes_no_difference() -> None:
    table = pl.DataFrame({"x": [3.0, 1.0, 2.0, 2.0], "y": ["a", "b", "c", "d"]})
    made = permuted(ammg.Microdata(table)).masked.table
    assert sorted(made["x"]) == [1, 2, 2, 3]
    assert sorted(made["y"]) == list("abcd")
    order = [2, 0, 3, 1]
    moved = permuted(ammg.Microdata(table[order])).masked.table
    assert moved.equals(made[order])


def test_a_constant_file_has_least_numbers_and_frequent_categories() -> None:
    table = pl.DataFrame({"x": [3.0, 1.0, None], "y": ["b", "b", "a"]})
    made = constant(ammg.Microdata(table)).masked.table
    assert made.rows() == [(1.0, "b")] * 3


def test_scores_stand_in_the_table(small: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"], p=0.5)]).run(small, 1)
    found = ammg.evaluate(masked, ["il1s", "frequency"], scores=True)
    score = found.scores["il1s"]
    assert f"(score {score:.3f})" in str(found)
    assert found.to_polars().filter(measure="il1s")["score"].item() == score
    assert found.to_dict()["scores"] == {"il1s": score}
    assert np.isnan(score) == np.False_
