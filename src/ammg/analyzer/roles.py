"""The role of each column: what its values look like, what its name says, how many values it has, in this order."""

from __future__ import annotations

from dataclasses import dataclass

from ammg.analyzer.analysis import Certainty
from ammg.analyzer.concepts import Concept, codes_something, numbers_something, unit_number
from ammg.analyzer.kinds import is_free_text
from ammg.analyzer.patterns.recognise import Recognised
from ammg.analyzer.profile import Profile
from ammg.data.attribute import Role

_FEW = 12  # values up to which a number is a set of codes, and a "name" is not a name
_EXACT_DEGREES = 0.005  # half of a hundredth of a degree: coordinates to two decimals are an area, not a house


@dataclass(frozen=True)
class Structure:
    """The columns that describe the design, found before the others are judged."""

    household: str | None = None
    weight: str | None = None
    household_size: float = 0.0


Verdict = tuple[Role, str, Certainty]


def propose_role(
    profile: Profile, concept: Concept | None, pattern: Recognised | None, structure: Structure
) -> Verdict:
    """The role, the reason in words, and how sure it is."""
    return (
        _by_structure(profile, concept, structure)
        or _by_values(profile, pattern)
        or _by_name(profile, concept)
        or _by_shape(profile)
    )


def _by_structure(profile: Profile, concept: Concept | None, structure: Structure) -> Verdict | None:
    if profile.name == structure.household:
        return Role.HOUSEHOLD, f"identifies households of {structure.household_size:.1f} records on average", "sure"
    if profile.name == structure.weight:
        return Role.WEIGHT, f"its name suggests a sampling weight; it is {_range(profile)} and never missing", "likely"
    if not profile.observed:
        return Role.OTHER, "every value is missing", "sure"
    if profile.is_constant:
        return Role.OTHER, "the same value in every record", "sure"
    if concept is not None and concept.role is Role.WEIGHT:
        return _no_weight(profile, structure)
    return None


def _no_weight(profile: Profile, structure: Structure) -> Verdict | None:
    if not profile.is_number:
        return None
    if structure.weight is not None:
        return Role.OTHER, f"its name suggests a weight, but '{structure.weight}' is already the weight", "unsure"
    if profile.missing or (profile.low is not None and profile.low < 0):
        return Role.OTHER, "its name suggests a weight, but it is missing or negative in some records", "unsure"
    return (
        Role.CONFIDENTIAL,
        "its name suggests a weight; as there is also a height, it is probably body weight",
        "unsure",
    )


def _by_values(profile: Profile, pattern: Recognised | None) -> Verdict | None:
    if pattern is not None:
        looked = min(len(profile.values.values), 1000)
        share = f"{100 * pattern.share:.0f} % of {looked:,} values examined"
        return Role.IDENTIFIER, f"its values look like {pattern.name} ({share})", "sure"
    if is_free_text(profile):
        return Role.IDENTIFIER, "free text may name people and places, and no method masks it", "likely"
    return None


def _by_name(profile: Profile, concept: Concept | None) -> Verdict | None:
    named = concept is not None and concept.role is Role.IDENTIFIER
    if unit_number(profile.name) and not (concept is not None and not named):
        if profile.is_unique:
            return Role.IDENTIFIER, "its name suggests a record number, and every record has its own", "sure"
        if profile.distinct > _FEW:
            return Role.IDENTIFIER, "its name suggests the number of a unit, which may have several records", "likely"
    if profile.is_unique and (profile.whole or profile.is_text) and numbers_something(profile.name):
        return Role.IDENTIFIER, "its name suggests a number that is given out, and every record has its own", "likely"
    if concept is None:
        return None
    if named and concept.name == "coordinates":
        return _coordinates(profile)
    if named and profile.distinct <= _FEW and not profile.is_unique:
        return Role.OTHER, f"its name suggests {concept.name}, but it has only {profile.distinct} values", "unsure"
    if concept.role is Role.WEIGHT:
        return None
    certainty: Certainty = "sure" if named else "likely"
    what = {
        Role.IDENTIFIER: "",
        Role.CONFIDENTIAL: ", which people keep to themselves",
        Role.KEY: ", which others may know",
        Role.STRATUM: "",
    }.get(concept.role, "")
    return concept.role, f"its name suggests {concept.name}{what}", certainty


def _coordinates(profile: Profile) -> Verdict | None:
    if not profile.is_number or profile.low is None or profile.high is None:
        return None
    values = profile.values.values
    steps = (values * 100 - (values * 100).round()).abs().max()
    if profile.distinct > _FEW and isinstance(steps, int | float) and steps > _EXACT_DEGREES:
        return Role.IDENTIFIER, "its name suggests coordinates, exact enough to show a house", "sure"
    return Role.KEY, "its name suggests coordinates, rounded to an area", "likely"


def _by_shape(profile: Profile) -> Verdict:
    if profile.is_text:
        if profile.is_unique or (profile.distinct > 20 and profile.values.single > 0.8 * profile.observed):
            return Role.IDENTIFIER, "text that differs in (nearly) every record", "likely"
        return Role.OTHER, f"{profile.distinct:,} categories; its name does not say of what", "unsure"
    if profile.dtype.is_temporal():
        return Role.KEY, "a date of an event that others may have seen", "unsure"
    if profile.is_row_number and profile.rising:
        return Role.IDENTIFIER, "counts the records", "sure"
    if codes_something(profile.name) and profile.whole:
        return Role.OTHER, f"its name suggests {profile.distinct:,} codes, but not of what", "unsure"
    if profile.distinct > _FEW or not profile.whole:
        return (
            Role.CONFIDENTIAL,
            "a number; its name does not say of what, so it is taken as an amount",
            "unsure",
        )
    return Role.OTHER, f"{profile.distinct} codes; its name does not say of what", "unsure"


def _range(profile: Profile) -> str:
    if profile.low == profile.high:
        return f"{profile.low:g} in every record"
    return f"between {profile.low:g} and {profile.high:g}"
