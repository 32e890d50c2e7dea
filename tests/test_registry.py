"""Units are found by name."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

import ammg
from ammg import registry
from ammg.data.block import Block
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.measures.measure import Loss, Measure
from ammg.measures.measurement import Measurement
from ammg.methods.method import Method, Plan
from ammg.summaries.summary import Source


@pytest.fixture
def toy() -> Iterator[type[Measure]]:
    class ToyShare(Loss):
        """A toy."""

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


def toy_method(name: str, *others: str) -> type[Any]:
    """A plug-in's method, defined under a name."""

    def plan(self: Method, source: Source, draws: Draws) -> Plan:
        return Plan(source.schema.select(()))

    def mask(self: Method, block: Block, plan: Plan, draws: Draws) -> Block:
        return block

    body = {"__module__": __name__, "__doc__": "A toy.", "plan": plan, "mask": mask}
    return type(name, (Method,), {**body, "also_called": others, "__annotations__": {"also_called": ClassVar[Any]}})


@pytest.fixture
def forgetful() -> Iterator[None]:
    yield
    for name in ("toy_method", "other_toy", "individual_ranking", "toy_synonym"):
        registry.forget("methods", name)


def test_a_unit_is_found_by_the_names_it_is_also_called_and_listed_once() -> None:
    assert ammg.IndividualRanking is ammg.UnivariateMicroaggregation
    assert registry.find("methods", "individual_ranking") is ammg.UnivariateMicroaggregation
    assert registry.own_name("methods", "individual_ranking") == "univariate_microaggregation"
    assert "individual_ranking" not in registry.units("methods")
    assert list(registry.units("methods").values()).count(ammg.UnivariateMicroaggregation) == 1
    with pytest.raises(InputError, match=r"'individual_rankin'\. Did you mean 'individual_ranking'"):
        registry.find("methods", "individual_rankin")


@pytest.mark.usefixtures("forgetful")
def test_the_other_names_of_a_base_are_not_those_of_a_unit_made_from_it() -> None:
    toy = toy_method("ToyMethod", "ToySynonym")
    other = type("OtherToy", (toy,), {"__module__": __name__, "__doc__": "Another toy."})
    assert registry.find("methods", "toy_synonym") is toy
    assert registry.other_names(other) == ()
    registry.forget("methods", "toy_method")
    with pytest.raises(InputError, match="Unknown method 'toy_synonym'"):
        registry.find("methods", "toy_synonym")


@pytest.mark.usefixtures("forgetful")
def test_a_name_that_another_unit_has_is_refused() -> None:
    registry.units("methods")
    for taken in ("RankSwapping", "IndividualRanking"):
        with pytest.raises(InputError, match=r"toy_method cannot also be called '\w+', which is another unit's name"):
            toy_method("ToyMethod", taken)
    assert "toy_method" not in registry.units("methods")
    with pytest.raises(InputError, match="'individual_ranking' is already an alias of univariate_microaggregation"):
        toy_method("IndividualRanking")
    assert ammg.IndividualRanking is ammg.UnivariateMicroaggregation


@pytest.mark.usefixtures("forgetful")
def test_a_unit_may_be_defined_again() -> None:
    toy_method("ToyMethod", "ToySynonym")
    again = toy_method("ToyMethod", "ToySynonym")
    assert registry.find("methods", "toy_synonym") is again


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("MDAV", "Mdav"),
        ("SUDA", "Suda"),
        ("LDiversity", "DistinctLDiversity"),
        ("TCloseness", "EqualTCloseness"),
        ("KAnonymity", "KAnonymity"),
        ("addNoise", "AdditiveNoise"),
        ("rankSwap", "RankSwapping"),
        ("freqCalc", "Frequency"),
        ("indivRisk", "IndividualRisk"),
        ("dUtility", "IL1s"),
        ("suda2", "Suda"),
        ("shuffle", "DataShuffling"),
        ("ldiversity", "DistinctLDiversity"),
        ("microaggregation", "Microaggregation"),
    ],
)
def test_units_are_found_by_the_names_of_the_field_and_of_sdcmicro(name: str, own: str) -> None:
    unit = getattr(ammg, name)
    assert unit.__name__ == own
    family = "methods" if issubclass(unit, Method) else "measures"
    assert registry.find(family, name) is unit


def test_help_says_what_parameters_mean() -> None:
    text = ammg.GlobalRecoding.__doc__ or ""
    assert "groups: Number of intervals with about equally many records. (default None, ≥ 2)" in text
    assert "Parameters:" not in registry.meaning(ammg.GlobalRecoding)
