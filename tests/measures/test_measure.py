from collections.abc import Iterator
from math import inf

import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Loss, Measure, Risk, Score
from ammg.measures.measurement import Measurement
from ammg.pipeline.evaluation import resolve

TABLE = [
    "cell_loss",
    "deviation_interval_disclosure",
    "distance_linkage",
    "frequency",
    "il1",
    "il1s",
    "il2",
    "il3",
    "il4",
    "il5",
    "rank_interval_disclosure",
    "target_unit",
]


@pytest.fixture
def plug_ins() -> Iterator[list[type[Measure]]]:
    class ToyRisk(Risk):
        """A risk that leaves everything at its default."""

        def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
            return Measurement(value=0.25)

    class ToyLoss(Loss):
        """A loss that is not in the table either."""

        def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
            return Measurement(value=0.5)

    class ToyFrequency(ammg.Frequency):
        """A measure that builds on one of the table."""

    yield [ToyRisk, ToyLoss, ToyFrequency]
    for name in ("toy_risk", "toy_loss", "toy_frequency"):
        registry.forget("measures", name)


def default_table() -> list[str]:
    return [measure.name for measure in resolve(None)]


def test_the_default_table_is_in_alphabetical_order() -> None:
    assert default_table() == TABLE == sorted(TABLE)


def test_a_plug_in_does_not_change_the_default_table_and_is_measured_when_it_is_named(
    plug_ins: list[type[Measure]], patients: ammg.Microdata
) -> None:
    assert {"toy_risk", "toy_loss", "toy_frequency"} <= set(registry.units("measures"))
    assert default_table() == TABLE
    evaluation = ammg.evaluate(patients, ["toy_risk", "toy_loss", "toy_frequency"])
    assert [evaluation.value(name) for name in ("toy_risk", "toy_loss")] == [0.25, 0.5]
    assert evaluation.value("toy_frequency") > 0


def test_a_risk_is_a_share_and_a_loss_has_no_upper_end() -> None:
    assert (Risk.family, Risk.range, Risk.percent) == ("risk", (0.0, 1.0), True)
    assert (Loss.family, Loss.range, Loss.percent) == ("loss", (0.0, inf), False)
    assert all(issubclass(unit, Risk | Loss | Score) for unit in registry.units("measures").values())
