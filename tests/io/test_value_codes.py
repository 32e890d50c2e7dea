"""Categories as numbered codes with labels, and back."""

import polars as pl

from ammg.data.attribute import Attribute, Kind
from ammg.data.schema import Schema
from ammg.io.value_codes import decoded, numbered

AGE = pl.Series("age", ["< 30", None, "≥ 30", "-9"], dtype=pl.Enum(["< 30", "≥ 30", "-9"]))


def schema(**facts: object) -> Schema:
    return Schema((Attribute(name="age", kind=Kind.ORDINAL, **facts),))


def test_categories_are_numbered_in_their_order_and_missing_codes_are_themselves() -> None:
    table, after, codes = numbered(AGE.to_frame(), schema(missing_codes=("-9",), value_labels={"-9": "refused"}))
    assert table["age"].to_list() == [1, None, 2, -9]
    assert after["age"].value_labels == {1: "< 30", 2: "≥ 30", -9: "refused"}
    assert after["age"].missing_codes == (-9,)
    assert codes == {"age": {"< 30": 1, "≥ 30": 2, "-9": -9}}


def test_a_category_never_takes_the_number_of_a_missing_code() -> None:
    values = pl.Series("age", ["a", "b", "1"], dtype=pl.Enum(["a", "b", "1"]))
    table, _, _ = numbered(values.to_frame(), schema(missing_codes=("1",)))
    assert table["age"].to_list() == [2, 3, 1]


def test_labels_that_are_too_long_stay_text() -> None:
    values = pl.Series("age", ["x" * 200], dtype=pl.Enum(["x" * 200]))
    assert numbered(values.to_frame(), schema())[0]["age"].dtype == values.dtype


def test_codes_are_read_as_categories() -> None:
    categories = [{"value": "< 30", "code": 1}, {"value": "-9", "code": -9, "missing": True}]
    assert decoded(pl.Series("age", [1.0, None, -9.0]), categories).to_list() == ["< 30", None, "-9"]
