"""Units are found by name."""

from collections.abc import Iterator

import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.measures.measure import Measure, Measurement


@pytest.fixture
def toy() -> Iterator[type[Measure]]:
    class ToyShare(Measure):
        """A toy."""

        family = "loss"

        def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
            return Measurement(value=0.0)

    yield ToyShare
    registry.forget("measures", "toy_share")


@pytest.mark.parametrize(
    ("class_name", "name"),
    [("RankSwapping", "rank_swapping"), ("IL1s", "il1s"), ("S0", "s0"), ("TargetUnit", "target_unit")],
)
def test_a_class_name_becomes_a_name_of_project_files(class_name: str, name: str) -> None:
    assert registry.snake(class_name) == name


def test_a_class_is_registered_by_being_defined(toy: type[Measure]) -> None:
    assert registry.find("measures", "toy_share") is toy
    assert registry.units("measures")["toy_share"] is toy
    assert registry.find_class("ToyShare") is toy


def test_a_forgotten_unit_is_unknown(toy: type[Measure]) -> None:
    registry.forget("measures", "toy_share")
    with pytest.raises(InputError, match="Unknown measure 'toy_share'"):
        registry.find("measures", "toy_share")
    assert registry.find_class("ToyShare") is None


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(InputError, match=r"Unknown method 'rank_swaping'\. Did you mean 'rank_swapping'\?"):
        registry.find("methods", "rank_swaping")


@pytest.mark.parametrize("family", ["methods", "measures"])
def test_every_unit_has_a_name_of_its_own_and_a_sentence(family: str) -> None:
    units = registry.units(family)
    assert list(units) == sorted(units)
    for name, unit in units.items():
        assert registry.snake(unit.__name__) == name
        assert (unit.__doc__ or "").splitlines()[0].endswith(".")


def test_bases_are_no_units() -> None:
    for family in ("methods", "measures"):
        assert not {"method", "measure", "sampling_method", "tail_coding", "number_loss", "moment_score"} & set(
            registry.units(family)
        )


def test_units_are_importable_from_ammg_by_class_name() -> None:
    assert ammg.RankSwapping is registry.find("methods", "rank_swapping")
    assert ammg.IL1s is registry.find("measures", "il1s")
    assert "RankSwapping" in dir(ammg)
    with pytest.raises(AttributeError, match="no attribute 'RankSwaping'"):
        _ = ammg.RankSwaping


def test_a_target_without_a_known_ending_lists_the_endings() -> None:
    with pytest.raises(InputError, match=r"No format for 'x\.docx': .*\.csv.*\.parquet"):
        registry.format_for("x.docx")
