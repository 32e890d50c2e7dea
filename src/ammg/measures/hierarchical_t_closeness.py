"""t-closeness for values in a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ammg.data.attribute import Attribute
from ammg.errors import InputError, NotDefined
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Codes, Floats, as_text
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class HierarchicalTCloseness(AttributeDisclosure):
    """Share of released records whose look-alikes differ by more than t from the file, along the hierarchy of values.

    Values are as far apart as their lowest common generalisation is high. Needs the hierarchy of the attribute.
    Source: Li, Li and Venkatasubramanian (2007), ICDE.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"

    t: float = param(0.2, "Greatest distance of a class from the file.", ge=0, le=1)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Distance of each class."""
        from ammg.criteria.closeness import hierarchical_distance

        return hierarchical_distance(distributions, _levels(attribute))

    def fails(self, scores: Floats) -> Bools:
        """Too far."""
        return scores > self.t


def _levels(attribute: Attribute) -> list[Codes]:
    """Ancestors of each category, level by level."""
    if attribute.hierarchy is None:
        raise NotDefined(f"'{attribute.name}' has no hierarchy")
    values = [as_text(value) for value in attribute.categories or ()]
    levels = []
    for number in range(1, attribute.hierarchy.height + 1):
        parents = attribute.hierarchy.level(number)
        lacking = [value for value in values if value not in parents]
        if lacking:
            raise InputError(f"The hierarchy of '{attribute.name}' lacks the value '{lacking[0]}': add a row for it.")
        names = [parents[value] for value in values]
        position = {name: code for code, name in enumerate(dict.fromkeys(names))}
        levels.append(np.array([position[name] for name in names], np.int32))
    return levels
