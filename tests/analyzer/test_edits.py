from __future__ import annotations

import numpy as np
import polars as pl

import ammg


def test_rules_of_the_survey_are_proposed_and_hold():
    table = ammg.datasets.survey(6000, seed=1)
    found = ammg.analyze(table).edits
    texts = {str(rule) for rule in found}
    assert any(text.startswith("age < ") and text.endswith("implies marital_status = 'single'") for text in texts)
    assert "occupation = 'none' implies hours = 0" in texts
    assert "wages >= 0" in texts
    assert any(text.startswith("(relationship, marital_status) not in (('child', 'married')") for text in texts)
    assert not any(rule.check(table).any() for rule in found)
    declared = ammg.Microdata(table).with_rules(*texts)
    assert len(declared.schema.rules) == len(texts)


def test_what_chance_would_do_is_not_proposed():
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "age": rng.integers(200, 290, 2000),
            "town": rng.choice(["p", "q", "r"], 2000),
            "rare": rng.choice(["x", "y", "z"], 2000, p=[0.9, 0.097, 0.003]),
            "change": rng.normal(size=2000),
        }
    )
    assert ammg.analyze(table).edits == ()


def test_levels_of_a_hierarchy_are_no_edits():
    town = np.random.default_rng(2).integers(0, 6, 3000)
    table = pl.DataFrame({"town": [f"t{number}" for number in town], "region": [f"r{number // 2}" for number in town]})
    assert ammg.analyze(table).edits == ()


def test_inspect_shows_them():
    assert "implies hours = 0" in str(ammg.analyze(ammg.datasets.survey(3000, seed=1)))
