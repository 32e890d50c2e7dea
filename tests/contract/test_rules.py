"""On the survey with ten rules, no record that met them breaks one after any method with post-editing."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from ruled import ruled_survey

import ammg
from ammg import registry
from ammg.data.rules.rule import Rule

PARAMETERS: dict[str, dict[str, Any]] = {
    "bottom_coding": {"columns": ["income"], "share": 0.1},
    "top_coding": {"columns": ["wages", "taxes"], "share": 0.1},
    "global_recoding": {"columns": ["education"], "map": {"lower secondary": "secondary"}},
    "data_swapping": {"columns": ["activity", "occupation"], "rate": 0.5},
    "targeted_record_swapping": {"columns": ["region"]},
    "log_noise": {"columns": ["income", "taxes"], "zeros": "keep"},
    "local_recoding": {"columns": ["region", "sex", "marital_status"]},
    "local_suppression": {"columns": ["region", "sex", "marital_status"]},
    "rare_category_recoding": {"columns": ["occupation"]},
    "restore_additivity": {"identities": ["income = wages + pensions"]},
    "stratified_sampling": {"within": ["region"]},
    "sullivan_fuller": {"columns": ["age", "wages", "income", "taxes", "marital_status", "activity"], "repairs": 1},
}
"""For methods whose defaults do not fit the survey, or take long on it."""


@cache
def survey() -> ammg.Microdata:
    return ruled_survey(400)


def can_be_checked(rule: Rule, table: pl.DataFrame) -> bool:
    there = all(name in table.columns for name in rule.columns)
    return there and all(table.schema[name].is_numeric() for name in rule.numeric)


@pytest.mark.parametrize("name", list(registry.units("methods")))
def test_records_that_met_the_rules_meet_them_after_the_method_and_its_post_editing(name: str) -> None:
    data = survey()
    step = registry.find("methods", name)(**PARAMETERS.get(name, {}), post_edit="redraw")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        masked = ammg.Pipeline([step]).run(data, 1)
    table, link = masked.table, masked.link
    before = data.table[np.maximum(link, 0)]
    checked = [rule for rule in data.schema.rules if can_be_checked(rule, table)]
    assert len(checked) >= 8
    for rule in checked:
        assert not (rule.check(table) & ~rule.check(before) & (link >= 0)).any(), str(rule)
