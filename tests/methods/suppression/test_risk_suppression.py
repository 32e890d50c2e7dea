"""Suppression by risk."""

from __future__ import annotations

import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def people(**extra: object) -> ammg.Microdata:
    table = pl.DataFrame({"age": ["30", "30", "30", "30", "90"], "sex": ["f", "f", "m", "m", "m"], **extra})
    return ammg.Microdata(table).with_roles(key=["age", "sex"], **({"weight": "weight"} if extra else {}))


def test_the_key_that_singles_a_record_out_is_suppressed() -> None:
    table = ammg.Pipeline([ammg.RiskSuppression(threshold=0.5)]).run(people(), secret=1).table
    assert table["age"].to_list() == ["30", "30", "30", "30", None]
    assert table["sex"].null_count() == 0


def test_no_record_keeps_a_risk_above_the_threshold(survey: ammg.Microdata) -> None:
    limit = 0.5 / survey.table["weight"].mean()
    strict = ammg.RecordSuppression(threshold=limit)
    assert ammg.Pipeline([strict]).run(survey, secret=1).t < len(survey)
    masked = ammg.Pipeline([ammg.RiskSuppression(threshold=limit), strict]).run(survey, secret=1)
    assert masked.t == len(survey)
    assert masked.table["weight"].equals(survey.table["weight"])


def test_heavy_weights_make_unique_records_safe() -> None:
    data = people(weight=[10.0, 10.0, 10.0, 10.0, 1000.0])
    masked = ammg.Pipeline([ammg.RiskSuppression(threshold=0.2)]).run(data, secret=1)
    assert masked.table["age"].null_count() == 0


def test_what_stays_too_risky_is_counted() -> None:
    masked = ammg.Pipeline([ammg.RiskSuppression(threshold=0.1)]).run(people(), secret=1)
    assert masked.steps[0].notes[1] == "5 records are riskier than 0.1 even without their keys"


def test_weights_below_one_are_refused() -> None:
    with pytest.raises(InputError, match="a weight must be at least 1"):
        ammg.Pipeline([ammg.RiskSuppression()]).run(people(weight=[0.1] * 5), secret=1)
