from __future__ import annotations

import polars as pl
import pytest

import ammg
from ammg.data.hierarchy import Hierarchy
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined

TREE = {"flu": ["lung", "*"], "asthma": ["lung", "*"], "ulcer": ["stomach", "*"], "gastritis": ["stomach", "*"]}


def pair_with(tree):
    table = pl.DataFrame({"k": ["a", "a", "b", "b"], "illness": ["flu", "asthma", "ulcer", "gastritis"]})
    data = ammg.Microdata(table).with_roles(key=["k"], confidential=["illness"])
    if tree is not None:
        data = data.with_hierarchies({"illness": Hierarchy.from_mapping(tree)})
    return Pair.identity(data)


def test_illnesses_of_one_organ_are_near_each_other():
    """All of class a must move half its mass to the other organ: across the root."""
    measured = ammg.HierarchicalTCloseness(t=0.4).measure(pair_with(TREE), Scenario())
    assert measured.tables["attributes"].lookup("attribute", "worst")["illness"] == pytest.approx(0.5)
    assert measured.value == 1


def test_without_a_hierarchy_it_is_not_defined():
    with pytest.raises(NotDefined, match="'illness' has no hierarchy"):
        ammg.HierarchicalTCloseness().measure(pair_with(None), Scenario())


def test_a_hierarchy_that_lacks_a_value_is_refused():
    short = {name: above for name, above in TREE.items() if name != "flu"}
    with pytest.raises(InputError, match="lacks the value 'flu'"):
        ammg.HierarchicalTCloseness().measure(pair_with(short), Scenario())
