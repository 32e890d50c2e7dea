import numpy as np

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block
from ammg.data.schema import Schema

SCHEMA = Schema((Attribute(name="x", kind=Kind.CONTINUOUS), Attribute(name="c", kind=Kind.NOMINAL)))
BLOCK = Block(
    np.array([3, 5, 9]), {"x": np.array([1.0, np.nan, 3.0]), "c": np.array([0, -1, 1], dtype=np.int32)}, SCHEMA
)


def test_codes_count_as_numbers_and_missing_ones_as_nan() -> None:
    np.testing.assert_array_equal(BLOCK.numbers("c"), [0, np.nan, 1])
    assert BLOCK.numbers("x") is BLOCK["x"]


def test_columns_stand_side_by_side_in_the_order_asked_for() -> None:
    np.testing.assert_array_equal(BLOCK.matrix(["c", "x"]), [[0, 1], [np.nan, np.nan], [1, 3]])
    assert BLOCK.matrix([]).shape == (3, 0)


def test_new_columns_leave_the_block_as_it_was() -> None:
    changed = BLOCK.with_columns({"x": np.zeros(3)})
    assert changed["x"].tolist() == [0, 0, 0]
    assert BLOCK["x"][0] == 1


def test_records_are_taken_with_their_ids() -> None:
    assert BLOCK.take(np.array([True, False, True])).ids.tolist() == [3, 9]
    assert BLOCK.take(np.array([1]))["c"].tolist() == [-1]


def test_missing_values_are_known_in_both_forms() -> None:
    assert BLOCK.is_missing("x").tolist() == BLOCK.is_missing("c").tolist() == [False, True, False]
