"""Fields of forms come from the units, and what is wrong in them is said by the units."""

from ammg.data.attribute import Attribute, Kind
from ammg.data.schema import Schema
from ammg.projects.editing.form_fields import FormField, fields_of, problems_of, schema_of
from ammg.projects.forms import unit_form, unit_forms

SCHEMA = Schema(
    (
        Attribute(name="age", kind=Kind.INTEGER),
        Attribute(name="region", kind=Kind.NOMINAL),
        Attribute(name="remarks", kind=Kind.TEXT),
    )
)


def fields(name: str, family: str = "methods") -> dict[str, FormField]:
    return {field.name: field for field in fields_of(family, unit_form(family, name), SCHEMA)}


def test_every_parameter_of_every_unit_has_a_field() -> None:
    for family in ("methods", "measures"):
        for unit in unit_forms(family):
            shown = {field.name for field in fields_of(family, unit, SCHEMA)}
            assert set(unit.schema["properties"]) - shown <= {"columns"}


def test_numbers_have_bounds_choices_their_words_and_columns_those_that_fit() -> None:
    swapping = fields("rank_swapping")
    assert (swapping["p"].widget, swapping["p"].bounds) == ("number", "> 0, ≤ 100")
    assert swapping["columns"].columns == ("age",)
    assert swapping["within"].columns == ("age", "region", "remarks")
    assert "columns" not in fields("sampling")  # it keeps or drops whole records
    assert fields("rounding")["half"].choices == ("even", "up")
    assert fields("mdav")["importance"].widget == "mapping"
    assert fields("global_recoding")["map"].values == "text"
    assert fields("local_suppression")["together"].widget == "document"
    assert fields("restore_additivity")["identities"].widget == "texts"
    assert fields("statistic_change", "measures")["by"].widget == "column"
    assert fields("pseudonyms")["namespace"].widget == "text"


def test_what_is_chosen_first_stands_first() -> None:
    noise = list(fields("additive_noise").values())
    assert [field.is_main for field in noise] == sorted((field.is_main for field in noise), reverse=True)
    assert not fields("additive_noise")["post_edit"].is_main


def test_problems_are_those_of_the_unit_by_parameter() -> None:
    assert problems_of("methods", "rank_swapping", {"p": 5, "columns": ["age"]}, SCHEMA) == {}
    assert problems_of("methods", "rank_swapping", {"p": 0}, SCHEMA) == {"p": "Should be greater than 0 (it is 0)."}
    assert "valid number" in problems_of("methods", "rank_swapping", {"p": "five"}, SCHEMA)["p"]
    assert "nominal" in problems_of("methods", "rank_swapping", {"columns": ["region"]}, SCHEMA)["columns"]
    assert "Did you mean 'age'?" in problems_of("methods", "rank_swapping", {"columns": ["agee"]}, SCHEMA)["columns"]
    assert "'ages' not found" in problems_of("methods", "sampling", {"where": "ages > 3"}, SCHEMA)["where"]
    assert "AND" in problems_of("methods", "sampling", {"where": "age > 3 && age < 9"}, SCHEMA)["where"]
    assert "exactly one" in problems_of("methods", "global_recoding", {}, SCHEMA)[""]


def test_attributes_are_as_the_project_describes_them() -> None:
    found = [{"name": "age", "kind": "integer", "stored_kind": "text"}, {"name": "job", "kind": "nominal"}]
    schema = schema_of(found, {"kinds": {"job": "ordinal"}, "roles": {"age": "key"}})
    assert [(one.name, one.kind.label, one.role.value) for one in schema] == [
        ("age", "text", "key"),
        ("job", "ordinal", "other"),
    ]
