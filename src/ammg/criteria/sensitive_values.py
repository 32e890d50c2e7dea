"""Criteria on what a class discloses about a sensitive attribute: l-diversity, t-closeness, likeness."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ammg.criteria.criterion import Bools, Floats, ValueCriterion
from ammg.data.attribute import Attribute
from ammg.errors import InputError, NotDefined
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class DistinctLDiversity(ValueCriterion):
    """Every class has at least l distinct sensitive values (Machanavajjhala et al. 2007)."""

    is_monotone: ClassVar[bool] = True

    least: int = param(2, "Least number of distinct values in a class.", ge=2)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Number of distinct values."""
        from ammg.criteria.diversity import distinct_diversity

        return distinct_diversity(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too few."""
        return scores < self.least


class EntropyLDiversity(ValueCriterion):
    """Every class has an effective number of at least l sensitive values (Machanavajjhala et al. 2007)."""

    least: float = param(2.0, "Least effective number of values in a class.", ge=1)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Effective number of values: the exponential of the entropy."""
        from ammg.criteria.diversity import entropy_diversity

        return entropy_diversity(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too few."""
        return scores < self.least * (1 - 1e-12)


class RecursiveLDiversity(ValueCriterion):
    """In no class does the most frequent sensitive value dominate the rarer ones (Machanavajjhala et al. 2007)."""

    rank: int = param(2, "Rank from which the rarer values are added up.", ge=2)
    c: float = param(2.0, "Greatest ratio of the most frequent value to the sum of the rarer ones.", gt=0)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest l that holds for this c."""
        from ammg.criteria.diversity import recursive_diversity

        return recursive_diversity(distributions, self.c)

    def fails(self, scores: Floats) -> Bools:
        """Which classes do not reach l."""
        return scores < self.rank


class TCloseness(ValueCriterion):
    """Base of the criteria on the distance between a class and the file (Li, Li and Venkatasubramanian 2007)."""

    t: float = param(0.2, "Greatest distance of a class from the file.", ge=0, le=1)

    def fails(self, scores: Floats) -> Bools:
        """Too far."""
        return scores > self.t


class EqualTCloseness(TCloseness):
    """Every class differs from the file by at most t, with all values equally far apart."""

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Half the sum of the absolute differences."""
        from ammg.criteria.closeness import equal_distance

        return equal_distance(distributions)


class OrderedTCloseness(TCloseness):
    """Every class differs from the file by at most t, with neighbouring values equally far apart."""

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Earth mover's distance in the order of the values."""
        from ammg.criteria.closeness import ordered_distance

        return ordered_distance(distributions)


class HierarchicalTCloseness(TCloseness):
    """Every class differs from the file by at most t, along the hierarchy of the sensitive attribute."""

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Earth mover's distance in the tree of the values."""
        from ammg.criteria.closeness import hierarchical_distance

        return hierarchical_distance(distributions, _ancestors(attribute))


class DeltaDisclosure(ValueCriterion):
    """In no class is the share of a sensitive value multiplied or divided by exp(δ) (Brickell and Shmatikov 2008)."""

    delta: float = param(1.0, "Greatest absolute logarithm of the ratio of shares.", gt=0)
    absent: bool = param(True, "Whether a value missing from a class breaks the criterion.")

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest logarithm of a ratio."""
        from ammg.criteria.likeness import delta_disclosure

        return delta_disclosure(distributions, self.absent)

    def fails(self, scores: Floats) -> Bools:
        """Which are too large: the definition requires less than δ."""
        return scores >= self.delta


class BasicBetaLikeness(ValueCriterion):
    """No class raises the share of a sensitive value by more than β times (Cao and Karras 2012)."""

    beta: float = param(1.0, "Greatest relative gain.", gt=0)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest relative gain."""
        from ammg.criteria.likeness import basic_beta_likeness

        return basic_beta_likeness(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too large."""
        return scores > self.beta


class EnhancedBetaLikeness(ValueCriterion):
    """No class raises a share by more than β times, or than the logarithm of its rarity (Cao and Karras 2012)."""

    beta: float = param(1.0, "Greatest relative gain.", gt=0)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Smallest β that suffices, infinite if none does."""
        from ammg.criteria.likeness import enhanced_beta_likeness

        return enhanced_beta_likeness(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too large."""
        return scores > self.beta


def _ancestors(attribute: Attribute) -> list[np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """Ancestors of each category, level by level."""
    if attribute.hierarchy is None:
        raise NotDefined(f"'{attribute.name}' has no hierarchy")
    values = [f"{value:g}" if isinstance(value, float) else str(value) for value in attribute.categories or ()]
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
