import json

import numpy as np

from ammg.measures.measure import Measurement


def test_a_measurement_becomes_plain_values_without_those_of_single_people() -> None:
    measurement = Measurement(
        value=0.5,
        interval=(0.4, 0.6),
        by_column={"x": 0.1},
        by_record=np.array([1.0, 0.0]),
        details={"counts": np.array([1, 2]), "k": {2: np.int64(3)}, "names": ("a", "b")},
    )
    assert measurement.to_dict() == {
        "value": 0.5,
        "interval": [0.4, 0.6],
        "by_column": {"x": 0.1},
        "details": {"counts": [1, 2], "k": {"2": 3}, "names": ["a", "b"]},
    }


def test_what_json_cannot_say_is_null() -> None:
    measurement = Measurement(value=float("inf"), details={"x": float("nan"), "y": np.array([1.0, np.inf])})
    assert json.loads(json.dumps(measurement.to_dict(), allow_nan=False)) == {
        "value": None,
        "details": {"x": None, "y": [1.0, None]},
    }


def test_a_measure_without_a_value_says_why() -> None:
    assert Measurement(value=None, reason="no key").to_dict() == {"value": None, "reason": "no key"}
