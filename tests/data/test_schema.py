import pytest

from ammg.data.attribute import Attribute, Kind, Role
from ammg.data.schema import Schema
from ammg.errors import ColumnError

SCHEMA = Schema(
    (
        Attribute(name="age", kind=Kind.INTEGER, role=Role.KEY),
        Attribute(name="sex", kind=Kind.NOMINAL, role=Role.KEY),
        Attribute(name="w", kind=Kind.CONTINUOUS, role=Role.WEIGHT),
    )
)


def test_attributes_are_found_by_name_and_by_role() -> None:
    assert SCHEMA["sex"].kind is Kind.NOMINAL
    assert SCHEMA.keys == ["age", "sex"]
    assert SCHEMA.weight == "w"
    assert SCHEMA.household is None
    assert "age" in SCHEMA
    assert SCHEMA.get("agee") is None


def test_an_unknown_column_gets_the_nearest_one() -> None:
    with pytest.raises(ColumnError, match=r"^Column 'agee' not found\. Did you mean 'age'\?$"):
        _ = SCHEMA["agee"]


def test_replaced_attributes_keep_their_place_and_new_ones_go_to_the_end() -> None:
    changed = SCHEMA.replace(SCHEMA["age"].replace(kind=Kind.ORDINAL), Attribute(name="z", kind=Kind.TEXT))
    assert changed.names == ["age", "sex", "w", "z"]
    assert changed["age"].kind is Kind.ORDINAL
    assert SCHEMA["age"].kind is Kind.INTEGER


def test_columns_are_selected_in_the_order_given_and_dropped_by_name() -> None:
    assert SCHEMA.select(["w", "age"]).names == ["w", "age"]
    assert SCHEMA.drop(["sex", "unknown"]).names == ["age", "w"]
