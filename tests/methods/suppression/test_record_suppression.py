"""Suppression of records."""

from __future__ import annotations

import polars as pl

import ammg


def test_exactly_the_risky_records_leave() -> None:
    table = pl.DataFrame({"age": ["30", "30", "40", "40", "90"], "income": [1.0, 2.0, 3.0, 4.0, 5.0]})
    data = ammg.Microdata(table).with_roles(key="age", confidential="income")
    masked = ammg.Pipeline([ammg.RecordSuppression(threshold=0.5)]).run(data, secret=1)
    assert masked.table["income"].to_list() == [1.0, 2.0, 3.0, 4.0]
    assert masked.table.schema == table.schema


def test_dropped_records_are_charged_as_loss() -> None:
    table = pl.DataFrame({"age": ["30", "30", "40", "40", "90"], "job": ["a", "b", "a", "b", "a"]})
    data = ammg.Microdata(table).with_roles(key="age", confidential="job")
    masked = ammg.Pipeline([ammg.RecordSuppression(threshold=0.5)]).run(data, secret=1)
    assert ammg.evaluate(masked, measures=["cell_loss"])["cell_loss"].value == 0.2


def test_people_with_many_look_alikes_in_the_population_stay(survey: ammg.Microdata) -> None:
    mild = ammg.Pipeline([ammg.RecordSuppression(threshold=0.9)]).run(survey, secret=1)
    limit = 0.5 / survey.table["weight"].mean()
    strict = ammg.Pipeline([ammg.RecordSuppression(threshold=limit)]).run(survey, secret=1)
    assert strict.t < mild.t <= len(survey)
