import json
import pickle
from copy import deepcopy
from dataclasses import asdict, replace

import numpy as np
import pytest

from ammg.measures.measurement import Chart, Measurement, People, Table, counts, numbers, shares, text

TABLE = Table(
    {
        "way": text(["nearest", "one_to_one"]),
        "records": counts(np.array([3, 4])),
        "rate": shares([np.float64(0.25), 0.5]),
        "z": numbers([float("nan"), -1.5]),
    }
)
CHART = Chart("bars", "Records by risk", (np.int64(1), "more"), {"records": (np.float64(2.0), float("inf"))}, "risk")
WHOLE = Measurement(
    value=0.5,
    interval=(np.float64(0.4), 0.6),
    by_column={"x": 0.1, "y": float("nan")},
    facts={"keys": ["age", "sex"], "found": np.int64(3), "threshold": float("inf"), "fits": True, "law": "normal"},
    tables={"ways": TABLE},
    charts=(CHART,),
    people=People(np.array([1.0, 0.0]), riskiest=["record 0: region Carrow, sex male, age 81"]),
)


def test_a_measurement_comes_back_from_json_as_it_was() -> None:
    written = json.dumps(WHOLE.to_dict(), allow_nan=False)
    assert Measurement.from_dict(json.loads(written)) == WHOLE
    for part in (TABLE, CHART):
        assert type(part).from_dict(json.loads(json.dumps(part.to_dict(), allow_nan=False))) == part


def test_what_is_about_single_people_is_neither_written_nor_shown() -> None:
    for shown in (json.dumps(WHOLE.to_dict()), repr(WHOLE), str(WHOLE), repr(WHOLE.people), f"{WHOLE.people}"):
        assert "Carrow" not in shown
        assert "riskiest" not in shown
    for back in (Measurement.from_dict(WHOLE.to_dict()), pickle.loads(pickle.dumps(WHOLE)), deepcopy(WHOLE)):
        assert back == WHOLE
        assert back.people.by_record is None
        assert not back.people.examples
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(asdict(WHOLE))


def test_what_is_about_single_people_is_there_for_the_owner() -> None:
    for measurement in (WHOLE, replace(WHOLE, value=0.7)):
        assert measurement.people.by_record.tolist() == [1.0, 0.0]
        assert measurement.people.examples == {"riskiest": ("record 0: region Carrow, sex male, age 81",)}


def test_numbers_that_json_cannot_say_are_none() -> None:
    assert WHOLE.facts["threshold"] is None
    assert WHOLE.by_column["y"] is None
    assert TABLE["z"] == (None, -1.5)
    assert CHART.series["records"] == (2.0, None)
    assert Measurement(value=0.1, interval=(0.0, float("inf"))).interval is None
    assert Measurement(value=float("inf")).to_dict() == {"value": None}


def test_values_are_plain_however_they_were_given() -> None:
    assert WHOLE.facts["keys"] == ("age", "sex")
    assert type(WHOLE.facts["found"]) is int
    assert WHOLE.to_dict()["tables"]["ways"]["records"] == {"type": "count", "cells": [3, 4]}
    assert WHOLE.to_dict()["charts"][0]["x"] == [1, "more"]


def test_a_measurement_without_a_value_says_why() -> None:
    assert Measurement(value=None, reason="no key").to_dict() == {"value": None, "reason": "no key"}


@pytest.mark.parametrize("fact", [{1, 2}, {"a": 1}, [[1]], object()])
def test_a_fact_is_a_number_a_word_or_several(fact: object) -> None:
    with pytest.raises(TypeError, match="is a number or a word"):
        Measurement(value=0.0, facts={"odd": fact})  # type: ignore[dict-item]


def test_a_column_of_numbers_holds_no_words() -> None:
    with pytest.raises(TypeError, match="'many' stands where a number belongs"):
        shares(["many"])


def test_columns_of_a_table_are_equally_long() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        Table({"a": counts([1]), "b": counts([1, 2])})


def test_a_table_is_read_by_column_and_by_key() -> None:
    assert len(TABLE) == 2
    assert TABLE["rate"] == (0.25, 0.5)
    assert TABLE.lookup("way", "rate") == {"nearest": 0.25, "one_to_one": 0.5}
    assert (TABLE + TABLE)["records"] == (3, 4, 3, 4)
