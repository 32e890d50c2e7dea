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


def coded(categories: list[str], kind: Kind, labels: dict[str, str], **facts: object) -> dict[str, int | float]:
    values = pl.Series("age", categories, dtype=pl.Enum(categories))
    attribute = Attribute(name="age", kind=kind, value_labels=labels, **facts)  # type: ignore[arg-type]
    return dict(numbered(values.to_frame(), Schema((attribute,)))[2]["age"])


def test_labelled_codes_that_were_not_merged_are_themselves() -> None:
    labels = {"0 | 2": "Graz | Linz", "1": "Vienna", "5": "Wels"}
    categories = ["0 | 2", "1", "other", "5", "6"]
    assert coded([*categories, "7"], Kind.NOMINAL, labels, missing_codes=("7",)) == {
        "0 | 2": 8,
        "1": 1,
        "other": 9,
        "5": 5,
        "6": 6,
        "7": 7,
    }
    assert coded(categories, Kind.NOMINAL, {}) == dict(zip(categories, range(1, 6), strict=True))


def test_codes_of_ordered_classes_ascend_if_there_is_room() -> None:
    labels = {"4": "often"}
    assert coded(["1 to 3", "4", "5-6"], Kind.ORDINAL, labels) == {"1 to 3": 1, "4": 4, "5-6": 5}
    assert coded(["less", "4", "more"], Kind.ORDINAL, labels) == {"less": 3, "4": 4, "more": 5}
    assert coded(["3", "3 to 4", "4"], Kind.ORDINAL, labels) == {"3": 3, "3 to 4": 5, "4": 4}


def test_labels_of_many_categories_are_shortened_in_the_file_alone() -> None:
    category, label = " | ".join(map(str, range(90))), " | ".join(["Österreich"] * 90)
    values = pl.Series("age", [category], dtype=pl.Enum([category]))
    table, after, _ = numbered(values.to_frame(), schema(value_labels={category: label}))
    shown = after["age"].value_labels[1]
    assert table["age"].to_list() == [1]
    assert len(shown.encode()) <= 120
    assert shown.endswith("…")
    assert label.startswith(shown[:-1])
