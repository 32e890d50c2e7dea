from beside import found

import ammg

TABLE = {"a": ["x", "y", "u", "z"], "b": [1.0, 2.0, 3.0, 4.0]}


def test_dropped_records_and_records_without_a_value_are_counted() -> None:
    assert found(ammg.SuppressedRecords(), TABLE, {"a": ["x", "y"], "b": [1.0, 2.0]}).value == 0.5
    blank = {"a": ["x", None, None, "z"], "b": [1.0, None, 3.0, 4.0]}
    result = found(ammg.SuppressedRecords(), TABLE, blank)
    assert (result.value, result.facts["records"]) == (0.25, 1)
