"""One declaration of a parameter feeds everything."""

from typing import Literal

import pytest
from pydantic import TypeAdapter, ValidationError

import ammg
from ammg.errors import InputError
from ammg.params import Parameters, SearchRange, describe_limits, param, search_ranges


class Example(Parameters):
    k: int = param(3, "Least records in a group.", ge=2, search=(3, 30))
    d: float = param(0.1, "Strength.", gt=0, le=2, search=(0.01, 1), log=True)
    kind: str = param("a", "Which.", search=["a", "b"])
    needed: float = param(..., "Without default.")
    plain: bool = param(False, "Not searched.")
    half: Literal["even", "up"] | None = param("even", "One of two, or none.")


def test_the_declaration_validates() -> None:
    with pytest.raises(InputError, match=r"^Example: k should be greater than or equal to 2 \(it is 1\)\.$"):
        Example(k=1, needed=1)
    with pytest.raises(InputError, match=r"^Example: needed: missing; it has no default\.$"):
        Example()
    with pytest.raises(InputError, match=r"^Example: kidn: unknown parameter\. Did you mean 'kind'\?$"):
        Example(needed=1, kidn="b")


def test_every_problem_is_one_sentence_without_lines_or_addresses() -> None:
    with pytest.raises(ValueError) as refusal:
        Example(k=1, d=3)
    said = str(refusal.value)
    assert said.count("Example: ") == 3
    assert "\n" not in said
    assert "http" not in said
    assert ".." not in said


def test_what_a_check_of_all_parameters_says_ends_with_one_full_stop() -> None:
    with pytest.raises(InputError, match=r"^MixtureNoise: weights sum to 0\.9; they must sum to 1\.$"):
        ammg.MixtureNoise(weights=(0.5, 0.4))


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_numbers_that_are_none_are_refused(value) -> None:
    with pytest.raises(InputError, match=r"needed should be a finite number"):
        Example(needed=value)


def test_inside_a_larger_whole_pydantic_still_collects_all_problems() -> None:
    with pytest.raises(ValidationError) as refusal:
        TypeAdapter(list[Example]).validate_python([{"k": 1, "needed": 1}, {}])
    assert refusal.value.error_count() == 2


def test_the_declaration_says_where_the_search_looks() -> None:
    assert search_ranges(Example) == {
        "k": SearchRange(mild=3, strong=30),
        "d": SearchRange(mild=0.01, strong=1, log=True),
        "kind": SearchRange(choices=("a", "b")),
    }


def test_the_declaration_describes_its_limits_and_itself() -> None:
    assert describe_limits(Example.model_fields["k"]) == "≥ 2"
    assert describe_limits(Example.model_fields["d"]) == "> 0, ≤ 2"
    assert describe_limits(Example.model_fields["plain"]) == ""
    assert describe_limits(Example.model_fields["half"]) == "even | up"
    properties = Example.model_json_schema()["properties"]
    assert properties["k"]["description"] == "Least records in a group."
    assert properties["k"]["minimum"] == 2


def test_parameters_do_not_change_after_construction() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Example(needed=1).k = 4


def test_a_representation_shows_what_was_given() -> None:
    assert repr(Example(needed=1, k=5)) == "Example(k=5, needed=1.0)"


def test_a_single_name_stands_for_a_list() -> None:
    assert ammg.Mdav(columns="income").columns == ("income",)
    assert ammg.IL1s(columns="income").columns == ("income",)
    assert ammg.Scenario(known="income").known == ("income",)


def test_a_value_without_a_name_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="Mdav: 3 is given without the name of its parameter: columns, where"):
        ammg.Mdav(3)
