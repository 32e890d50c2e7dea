"""The rules of a project file: the sections `rules` and `identities`, an older section for sums only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ammg.data.microdata import Microdata
from ammg.errors import AmmgError, Cancelled, Problem

SECTIONS = ("rules", "identities")


def with_rules_of(sections: Mapping[str, Sequence[Any]], data: Microdata) -> tuple[Microdata, list[Problem]]:
    """The data with every rule that can be declared, and the problems of the others."""
    problems = []
    for place, rule, is_identity in _placed(sections):
        try:
            data = data.with_identities(rule) if is_identity else data.with_rules(rule)
        except Cancelled:
            raise
        except AmmgError as error:
            problems.append(Problem(place, str(error)))
    return data, problems


def written_rules(sections: Mapping[str, Sequence[Any]]) -> list[Any]:
    """The rules as one list, as project files store them."""
    return [rule for _, rule, _ in _placed(sections)]


def _placed(sections: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, Any, bool]]:
    for section in SECTIONS:
        for number, rule in enumerate(sections.get(section) or (), 1):
            yield f"{section}[{number}]", rule, section == "identities"
