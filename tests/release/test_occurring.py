"""A release says nothing about values that masking has removed."""

import polars as pl

from ammg.data.attribute import Attribute, Kind
from ammg.data.schema import Schema
from ammg.release.occurring import occurring


def test_labels_of_values_that_no_record_has_are_dropped() -> None:
    table = pl.DataFrame({"sex": [1, 1, None]})
    sex = Attribute(name="sex", kind=Kind.INTEGER, value_labels={1: "male", 2: "female"})
    _, schema = occurring(table, Schema((sex,)))
    assert schema["sex"].value_labels == {1: "male"}


def test_declared_missing_codes_keep_their_labels() -> None:
    table = pl.DataFrame({"sex": [1.0, None]})
    sex = Attribute(name="sex", kind=Kind.NOMINAL, value_labels={1: "male", 9: "refused"}, missing_codes=(9, (90, 99)))
    _, schema = occurring(table, Schema((sex,)))
    assert schema["sex"].value_labels == {1: "male", 9: "refused"}
    assert schema["sex"].missing_codes == (9, (90, 99))


def test_missing_codes_of_another_type_than_the_recoded_column_are_dropped() -> None:
    table = pl.DataFrame({"age": ["20-29", "30-39"]})
    age = Attribute(name="age", kind=Kind.ORDINAL, value_labels={99: "unknown"}, missing_codes=(99, ".a"))
    _, schema = occurring(table, Schema((age,)))
    assert schema["age"].missing_codes == (".a",)
    assert schema["age"].value_labels == {}


def test_the_dictionary_of_an_enum_forgets_categories_that_nobody_has() -> None:
    table = pl.DataFrame({"illness": pl.Series(["flu", None], dtype=pl.Enum(["asthma", "flu", "rare one"]))})
    illness = Attribute(name="illness", kind=Kind.ORDINAL, categories=("asthma", "flu", "rare one"), scores=(1, 2, 3))
    cleaned, schema = occurring(table, Schema((illness,)))
    assert cleaned.schema["illness"] == pl.Enum(["flu"])
    assert cleaned["illness"].to_list() == ["flu", None]
    assert schema["illness"].categories == ("flu",)
    assert schema["illness"].scores == (2,)
