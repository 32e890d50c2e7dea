from jsonschema_rs import validator_for

from ammg import registry
from ammg.projects.forms import unit_form, unit_forms, vocabulary


def test_every_unit_has_a_form_and_its_defaults_fit_its_schema():
    for family in registry.FAMILIES:
        forms = unit_forms(family)
        assert [form.name for form in forms] == list(registry.units(family))
        for form in forms:
            validator_for(form.schema)  # refuses what is no JSON Schema
            assert form.meaning.endswith(".")


def test_a_unit_is_found_by_its_other_names_and_says_what_it_masks():
    form = unit_form("methods", "rankSwap")
    assert form.name == "rank_swapping"
    assert form.schema["properties"]["p"]["exclusiveMinimum"] == 0
    assert "p" in form.searched
    assert form.accepts


def test_the_vocabulary_has_the_words_of_a_project_file():
    words = vocabulary()
    assert words.roles[:2] == ("identifier", "key")
    assert words.levels == ("person", "household")
    assert "inclusion" in words.scenario["properties"]
    assert words.search["properties"]["trials"]["default"] == 100
