"""One declaration of a parameter feeds everything."""

import pytest
from pydantic import ValidationError

from ammg.params import Parameters, SearchRange, describe_limits, param, search_ranges


class Example(Parameters):
    k: int = param(3, "Least records in a group.", ge=2, search=(3, 30))
    d: float = param(0.1, "Strength.", gt=0, le=2, search=(0.01, 1), log=True)
    kind: str = param("a", "Which.", search=["a", "b"])
    needed: float = param(..., "Without default.")
    plain: bool = param(False, "Not searched.")


def test_the_declaration_validates() -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 2"):
        Example(k=1, needed=1)
    with pytest.raises(ValidationError, match="needed"):
        Example()
    with pytest.raises(ValidationError, match="kk"):
        Example(needed=1, kk=3)


def test_the_declaration_says_where_the_search_looks() -> None:
    assert search_ranges(Example) == {
        "k": SearchRange(low=3, high=30),
        "d": SearchRange(low=0.01, high=1, log=True),
        "kind": SearchRange(choices=("a", "b")),
    }


def test_the_declaration_describes_its_limits_and_itself() -> None:
    assert describe_limits(Example.model_fields["k"]) == "≥ 2"
    assert describe_limits(Example.model_fields["d"]) == "> 0, ≤ 2"
    assert describe_limits(Example.model_fields["plain"]) == ""
    properties = Example.model_json_schema()["properties"]
    assert properties["k"]["description"] == "Least records in a group."
    assert properties["k"]["minimum"] == 2


def test_parameters_do_not_change_after_construction() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Example(needed=1).k = 4


def test_a_representation_shows_what_was_given() -> None:
    assert repr(Example(needed=1, k=5)) == "Example(k=5, needed=1.0)"
