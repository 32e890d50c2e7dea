"""Recoding what groups share before the groups are formed."""

from __future__ import annotations

import ammg
from ammg.datasets import survey
from ammg.optimizer.proposals import proposed_rules
from ammg.optimizer.space import Space
from ammg.optimizer.variation import other_choices

KEYS = ["region", "sex", "age"]


def data(n: int = 1_000) -> ammg.Microdata:
    table = survey(n, seed=2).select("household_id", "region", "sex", "age")
    people = ammg.Microdata(table).with_roles(household="household_id", key=KEYS).with_levels(household="region")
    return people.with_hierarchies(proposed_rules(people, KEYS))


def test_regions_are_recoded_to_every_second_level_before_groups_are_formed_within_them() -> None:
    people = data()
    space = Space(people.schema, 2, ["global_recoding", "mondrian"], known=KEYS)
    recipes = [tuple(option.at(0.0) for option in family) for family in space.families()[0]]
    levels = [recipe[0].level for recipe in recipes if len(recipe) == 2 and not recipe[1].intervals]
    tree = people.schema["region"].hierarchy
    assert tree is not None
    assert levels == list(range(tree.height - 1, 0, -2))
    assert all(recipe[1].within == ("region",) for recipe in recipes if len(recipe) == 2)


def test_fewer_regions_lose_less_elsewhere() -> None:
    people = data()
    within = ammg.Mondrian(columns=("sex", "age"), within=("region",), k=5)
    alone = ammg.Pipeline([within]).run(people, secret=1)
    coarser = ammg.Pipeline([ammg.GlobalRecoding(columns=["region"], level=4), within]).run(people, secret=1)
    lost = [ammg.CellLoss().measure(masked.pair, ammg.Scenario()).by_column for masked in (alone, coarser)]
    assert lost[1]["age"] < lost[0]["age"]
    assert lost[1]["region"] > lost[0]["region"] == 0


def test_the_level_is_varied_when_a_recipe_is_sharpened() -> None:
    recipe = (ammg.GlobalRecoding(columns=["region"], level=2),)
    assert [changed[0].level for changed in other_choices(recipe)] == [1, 3]
