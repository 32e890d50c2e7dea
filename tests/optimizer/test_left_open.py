"""What a search leaves open, and a household size that it leaves alone because the number of members tells it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.optimizer.left_open import left_as_they_are, open_attributes, told_sizes
from ammg.optimizer.proposals import proposed_rules
from ammg.optimizer.space import Space

KEYS = ["size", "zone", "age"]
TABLE = pl.DataFrame({"age": [30, 30, 40, 40], "income": [10, 20, 30, 30], "illness": ["a", "a", "b", "b"]})


def test_attributes_that_single_out_records_and_are_not_known_are_named() -> None:
    data = ammg.Microdata(TABLE).with_roles(key="age", confidential=["income", "illness"])
    (said,) = open_attributes(data, ["age"])
    assert said.startswith("income alone singles out 50 % of the records")


def test_what_the_intruder_knows_is_not_open() -> None:
    data = ammg.Microdata(TABLE).with_roles(key=["age", "income"])
    assert open_attributes(data, ["age", "income"]) == ()


def people(household: str = "household") -> ammg.Microdata:
    rng = np.random.default_rng(4)
    sizes = rng.choice([1, 2, 3, 4], 120)
    zones, ages = np.repeat(rng.integers(0, 4, 120), sizes), rng.integers(0, 90, sizes.sum())
    homes = np.repeat(np.arange(120), sizes)
    table = pl.DataFrame({"home": homes, "size": np.repeat(sizes, sizes), "zone": zones, "age": ages})
    data = ammg.Microdata(table).with_roles({"home": household, **dict.fromkeys(KEYS, "key")})
    return data.with_levels(household=["size", "zone"]) if household == "household" else data


def test_a_size_is_told_by_a_household_number_that_leaves() -> None:
    assert told_sizes(people(), KEYS) == ("size",)
    assert told_sizes(people(), ["zone", "age"]) == ()
    assert told_sizes(people().with_roles(confidential="size"), ["zone", "age"]) == ("size",)
    assert told_sizes(people("identifier"), KEYS) == ()
    (note,) = left_as_they_are(people(), ["size"])
    assert "size is left as it is, because the number of members of each home reveals it" in note


def test_groups_of_look_alikes_agree_on_a_told_size_and_no_step_masks_it() -> None:
    data = people().with_hierarchies(proposed_rules(people(), KEYS))
    methods = ["global_recoding", "mondrian", "local_suppression"]
    space = Space(data.schema, 2, methods, known=KEYS, untouched=["size"], told=["size"])
    assert all("size" not in option.columns for option in space.options)
    recipes = [[option.at(0.0) for option in family] for tier in space.families() for family in tier]
    assert any([step.name for step in recipe] == ["global_recoding", "mondrian"] for recipe in recipes)
    assert all("size" not in step.columns for recipe in recipes for step in recipe)
    persons = [step for recipe in recipes for step in recipe if step.name == "mondrian" and "age" in step.columns]
    assert {step.within for step in persons} == {("size", "zone")}


@pytest.mark.parametrize("household", ["household", "identifier"])
def test_a_search_with_a_size_among_the_keys_finds_a_release_that_passes(household: str) -> None:
    result = ammg.search(
        people(household),
        {"k_anonymity": 0.0, "distance_linkage": 0.3},
        "cell_loss",
        trials=20,
        steps=2,
        methods=["global_recoding", "local_recoding", "optimal_recoding"],
        secret=1,
        processes=1,
    )
    assert result.choice.is_safe
    masked = {name for step in result.recipe for name in step.columns or ()}
    assert ("size" in masked) is (household == "identifier")
    assert len(result.chosen.release()) == len(people())
    assert any("size is left as it is" in note for note in result.notes) is (household == "household")


def test_what_the_owner_leaves_untouched_is_not_mentioned() -> None:
    options = {"trials": 2, "steps": 1, "methods": ["global_recoding"], "secret": 1, "processes": 1}
    result = ammg.search(people(), {"distance_linkage": 1.0}, "cell_loss", untouched=["size"], **options)
    assert not any("size is left as it is" in note for note in result.notes)
