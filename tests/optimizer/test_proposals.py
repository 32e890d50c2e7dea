"""Hierarchies that the search proposes for keys without one."""

from __future__ import annotations

import polars as pl

import ammg
from ammg.optimizer.proposals import proposed_rules

DATA = ammg.Microdata(
    pl.DataFrame({"age": [20, 33, 41, 58, 60, 71] * 30, "sex": ["m", "f"] * 90, "town": list("aabbcdefg") * 20})
).with_roles(key=["age", "sex", "town"])


def test_keys_without_a_hierarchy_get_one_and_others_keep_theirs() -> None:
    data = DATA.with_kinds(nominal=["sex", "town"]).with_hierarchies(sex={"m": ["*"], "f": ["*"]})
    rules = proposed_rules(data, ["age", "sex", "town"])
    assert set(rules) == {"age", "town"}
    assert all(data.with_hierarchies(rules).schema[name].hierarchy is not None for name in rules)


def test_the_search_recodes_along_them_and_says_which() -> None:
    data = DATA.with_kinds(nominal=["sex", "town"])
    result = ammg.search(
        data, {"k_anonymity": 0.0}, "cell_loss", trials=12, methods=["optimal_recoding"], secret=1, processes=1
    )
    assert result.choice.is_safe
    assert result.hierarchies["age"].startswith("by ")
    again = ammg.Pipeline(result.recipe).run(data.with_hierarchies(result.hierarchies), result.chosen.secret)
    assert again.table.equals(result.chosen.table)
