"""Values that a step was to change and could not."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import reasons

import ammg
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.registry import forget
from ammg.summaries.summary import Source

NOISE = [
    ammg.AdditiveNoise,
    ammg.CorrelatedNoise,
    ammg.MixtureNoise,
    ammg.JointMixtureNoise,
    ammg.MultiplicativeNoise,
    ammg.LogNoise,
    ammg.OutlierNoise,
    ammg.Jpeg,
    ammg.RandomOrthogonalMasking,
]


def gamblers(*winnings: float | None, people: int = 60) -> ammg.Microdata:
    """People of whom a few have won something."""
    rng = np.random.default_rng(1)
    rest = [None] * (people - len(winnings))
    table = pl.DataFrame(
        {
            "age": rng.integers(18, 90, people),
            "pay": rng.lognormal(8, 1, people).round(2),
            "winnings": pl.Series([*winnings, *rest], dtype=pl.Float64),
        }
    )
    return ammg.Microdata(table).with_roles(key="age", confidential=["pay", "winnings"])


@pytest.mark.parametrize("method", NOISE)
@pytest.mark.parametrize("columns", [("winnings",), ("pay", "winnings")])
def test_a_value_that_one_person_alone_has_is_refused(method: type[Method], columns: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="'winnings' has only one distinct value"):
        ammg.Pipeline([method(columns=columns)]).run(gamblers(1234567.0), secret=1)


def test_equal_values_leave_if_as_many_people_share_them_as_a_step_promises() -> None:
    noise = ammg.AdditiveNoise(columns=["pay", "winnings"])
    grouped = ammg.UnivariateMicroaggregation(columns=["age"], k=3)
    two, three = gamblers(500.0, 500.0), gamblers(500.0, 500.0, 500.0)
    assert len(ammg.Pipeline([noise]).run(two, secret=1).release()) == 60
    assert len(ammg.Pipeline([grouped, noise]).run(three, secret=1).release()) == 60
    told = reasons(ammg.Pipeline([grouped, noise]).run(two, secret=1))
    assert "step 2 (additive_noise) should mask 'winnings' but left 2 values as they were" in told
    assert "fewer than 3 people" in told


def test_the_only_value_with_a_logarithm_is_stopped() -> None:
    masked = ammg.Pipeline([ammg.LogNoise(columns=["pay", "winnings"], zeros="keep")])
    told = reasons(masked.run(gamblers(1234567.0, *[0.0] * 59), secret=1))
    assert "'winnings' but left 1 value as it was, shared by fewer than 2 people" in told


def test_a_value_that_varies_only_where_no_weight_is_is_stopped() -> None:
    data = gamblers(*[7.0] * 59, 1234567.0)
    table = data.table.with_columns(weight=pl.Series([1.0] * 59 + [0.0]))
    weighted = ammg.Microdata(table).with_roles(key="age", confidential=["pay", "winnings"], weight="weight")
    told = reasons(ammg.Pipeline([ammg.AdditiveNoise(columns=["pay", "winnings"])]).run(weighted, secret=1))
    assert "'winnings' but left 1 value as it was" in told


def test_what_stays_by_design_is_not_stopped() -> None:
    data = gamblers(1234567.0, *[0.0] * 30, *range(1, 30))
    for step in (
        ammg.AdditiveNoise(columns=["winnings"], where="winnings < 1000000"),
        ammg.AdditiveNoise(columns=["pay"], where="age > 50"),
        ammg.TopCoding(columns=["pay"], share=0.1),
        ammg.Rounding(columns=["winnings"], base=10),
        ammg.RankSwapping(columns=["pay"]),
        ammg.UnivariateMicroaggregation(columns=["winnings"], k=3),
        ammg.AdditiveNoise(columns=["age"], p=0.02, integers=True),
        ammg.OutlierNoise(columns=["pay", "age"]),
        ammg.MultiplicativeNoise(columns=["winnings"]),
    ):
        assert len(ammg.Pipeline([step]).run(data, secret=1).release()) == 60, step.name


def test_a_value_that_rounding_brings_back_is_not_stopped() -> None:
    steps = [ammg.AdditiveNoise(columns=["age"], p=0.02), ammg.Rounding(columns=["age"], base=1)]
    masked = ammg.Pipeline(steps).run(gamblers(), secret=1)
    assert (masked.table["age"] == masked.original.table["age"]).any()
    assert len(masked.release()) == 60


def test_a_household_counts_once_however_many_live_in_it() -> None:
    table = pl.DataFrame(
        {"home": np.repeat(np.arange(20), 3), "age": np.arange(60) + 18, "wealth": [9e6] * 3 + [0.0] * 57}
    )
    data = ammg.Microdata(table).with_roles(household="home", key="age", confidential="wealth")
    data = data.with_levels(household=["home", "wealth"])
    steps = [ammg.AdditiveNoise(columns=["age"]), ammg.LogNoise(columns=["wealth"], zeros="keep")]
    assert "'wealth' but left 3 values as they were" in reasons(ammg.Pipeline(steps).run(data, secret=1))


def test_a_noise_method_of_somebody_else_is_held_to_its_word() -> None:
    class Forgetful(Method):
        """Add noise, but not to the last record."""

        def plan(self, source: Source, draws: Draws) -> Plan:
            names = self.chosen(source.schema)
            return Plan(source.schema.select(names), published=(NoiseLaw(names, np.eye(len(names)), 1.0),))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            noise = {n: draws.normal(block.ids, n) * (block.ids < 59) for n in plan.schema.names}
            return block.with_columns({n: block.numbers(n) + values for n, values in noise.items()})

    try:
        told = reasons(ammg.Pipeline([Forgetful(columns=["pay"])]).run(gamblers(), secret=1))
    finally:
        forget("methods", "forgetful")
    assert "step 1 (forgetful) should mask 'pay' but left 1 value as it was" in told


def test_one_cell_at_the_end_of_a_stream_is_found(tmp_path: Path) -> None:
    size = 210_000
    rng = np.random.default_rng(2)
    wealth = np.zeros(size)
    wealth[-1] = 9e6
    pl.DataFrame({"pay": rng.normal(size=size), "wealth": wealth}).write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(confidential=["pay", "wealth"])
    steps = [ammg.LogNoise(columns=["wealth"], zeros="keep"), ammg.AdditiveNoise(columns=["pay"])]
    assert "'wealth' but left 1 value as it was" in reasons(ammg.Pipeline(steps).run(streamed, secret=1))


def test_a_zero_that_one_person_has_alone_is_not_masked_by_factors() -> None:
    rest = tuple(np.random.default_rng(2).lognormal(5, 1, 55))
    step = ammg.MultiplicativeNoise(columns=["pay", "winnings"])
    assert "'winnings' but left 1 value as it was" in reasons(ammg.Pipeline([step]).run(gamblers(0.0, *rest), secret=1))
    assert len(ammg.Pipeline([step]).run(gamblers(0.0, 0.0, *rest), secret=1).release()) == 60
    kept = ammg.MultiplicativeNoise(columns=["pay", "winnings"], zeros="keep")
    assert len(ammg.Pipeline([kept]).run(gamblers(0.0, *rest), secret=1).release()) == 60
