"""The kind of each column: whether its integers are numbers or codes, and its categories ordered or not."""

from __future__ import annotations

import polars as pl

from ammg.analyzer.concepts import Concept, codes_something, counts_something, lasts
from ammg.analyzer.profile import Profile
from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import kind_of

_MOST_CODES = 12  # unexplained integers with more values than this are numbers
_LONG = 40.0  # mean characters from which texts are sentences
_WORDY = 5.0  # mean spaces from which texts are sentences


def propose_kind(attribute: Attribute, profile: Profile, concept: Concept | None) -> tuple[Kind, str]:
    """The kind and the reason for it."""
    kind = kind_of(profile.dtype)
    if attribute.kind != kind:
        return attribute.kind, "as it was given"
    if profile.is_text:
        return _text(profile, concept)
    if kind is Kind.INTEGER or (kind is Kind.CONTINUOUS and profile.whole):
        return _integer(attribute, profile, concept)
    return kind, f"stored as {_stored(profile.dtype)}"


def is_free_text(profile: Profile) -> bool:
    """Whether the texts are sentences rather than categories."""
    many = profile.distinct > max(20, 0.2 * profile.observed)
    return profile.dtype == pl.String and many and (profile.length >= _LONG or profile.spaced >= _WORDY)


def _text(profile: Profile, concept: Concept | None) -> tuple[Kind, str]:
    if is_free_text(profile):
        return Kind.TEXT, f"free text of {profile.length:.0f} characters on average"
    if concept is not None and concept.shape == "ordered" and isinstance(profile.dtype, pl.Enum):
        return Kind.ORDINAL, f"categories of {concept.name} in the order of the file's dictionary"
    return Kind.NOMINAL, "categories"


def _integer(attribute: Attribute, profile: Profile, concept: Concept | None) -> tuple[Kind, str]:
    values = profile.distinct
    if len(attribute.value_labels) >= max(2, values // 2):
        ordered = concept is not None and concept.shape == "ordered"
        return (Kind.ORDINAL if ordered else Kind.NOMINAL), f"{values} codes with labels"
    shape = concept.shape if concept is not None else ""
    if lasts(attribute.name):
        return Kind.INTEGER, "its name suggests a count"
    if shape == "category":
        return Kind.NOMINAL, f"{values} codes: {(concept.name if concept else '')} is not a quantity"
    if shape == "ordered" and values <= 2 * _MOST_CODES:
        return Kind.ORDINAL, f"{values} codes of {concept.name if concept else ''}, lowest first"
    if counts_something(attribute.name):
        return Kind.INTEGER, "its name suggests a count"
    if shape == "number" and (values > 3 or values < 2):
        return Kind.INTEGER, "whole numbers"
    if codes_something(attribute.name):
        return Kind.NOMINAL, "its name suggests a code"
    small = profile.low is not None and profile.low >= -9 and profile.high is not None and profile.high <= 999
    if 1 < values <= _MOST_CODES and small and profile.observed > 2 * values:
        return Kind.NOMINAL, f"{values} different small integers, which are probably codes"
    return Kind.INTEGER, "whole numbers"


def _stored(dtype: pl.DataType) -> str:
    return str(dtype).partition("(")[0].lower()
