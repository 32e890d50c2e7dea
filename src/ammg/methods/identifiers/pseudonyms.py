"""Pseudonyms made with a key."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block, Column
from ammg.data.published import Pseudonyms as PseudonymsDisclosed
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.methods.usage import Usage
from ammg.params import param
from ammg.summaries.distinct_numbers import DistinctNumbers
from ammg.summaries.summary import Source

_LARGEST = 2.0**53  # integers above it are not exact as numbers


class IdentifierReplacement(Method):
    """Base of methods that replace each distinct identifier by another, consistently within the column.

    Members of a household keep a common number, and persons with several records stay together. A replaced identifier
    points at nobody, so it gets the role `other` and is part of the release.
    """

    accepts: ClassVar[Kind] = Kind.CATEGORICAL | Kind.INTEGER
    searched: ClassVar[bool] = False

    columns: tuple[str, ...] | None = param(None, "Columns whose values are replaced; by default all identifiers.")

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The named columns, by default all identifiers."""
        if self.columns is not None:
            return super().chosen(schema)
        names = tuple(name for name in schema.with_role(Role.IDENTIFIER) if schema[name].kind & self.accepts)
        if not names:
            raise InputError(f"No {self.accepts.label} attribute has the role identifier: name the columns.")
        return names

    def acts_on(self, schema: Schema) -> Level:
        """Replacement looks at values alone, so one step can name columns of persons and of households."""
        return Level.PERSON

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Equal values stay equal."""
        return Usage(
            "Records of the same unit have the same pseudonym, so units can be counted and tables joined on it.",
            avoid="Do not sort by a pseudonym or read anything from its value.",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the distinct identifiers and their replacements."""
        names = self.chosen(source.schema)
        written, state = [], {}
        for name in names:
            attribute = source.schema[name]
            values = _distinct(source, attribute)
            after, new = self.replaced(attribute, values, draws)
            written.append(after)
            state[name] = _Lookup(None if attribute.is_categorical else np.array(values, dtype=np.float64), new)
        return Plan(Schema(tuple(written)), state, (PseudonymsDisclosed(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Look each identifier up; missing ones stay missing."""
        return block.with_columns({name: lookup(block[name]) for name, lookup in plan.state.items()}, plan.schema)

    @abstractmethod
    def replaced(self, attribute: Attribute, values: list[Any], draws: Draws) -> tuple[Attribute, Column]:
        """The attribute afterwards, and the new code or number of each distinct value."""


class Pseudonyms(IdentifierReplacement):
    """Replace identifiers by pseudonyms made from them with a secret key.

    The same identifier gets the same pseudonym in every table that is masked with the same secret and namespace, so
    tables can still be joined; 5 and "5" are the same identifier. Without the secret nobody can compute a pseudonym
    from a name, or find the name by trying all names. With it anybody can, so it must stay with the owner. An intruder
    without it can still link by the other attributes, and follow a pseudonym from table to table. Source: BLAKE2b with
    a key (RFC 7693, section 2.9), cut to the wanted length; ENISA (2019), Pseudonymisation techniques and best
    practices, section 5.1 (message authentication codes).
    """

    namespace: str | None = param(
        None,
        'What is identified, such as "person": columns with the same namespace get the same '
        "pseudonyms. By default the column's name.",
    )
    form: Literal["text", "integer"] = param("text", "Letters and digits (base 32), or integers below 2⁵³.")
    length: int = param(16, "Characters of a text pseudonym; each holds 5 bits.", ge=8, le=48)

    def replaced(self, attribute: Attribute, values: list[Any], draws: Draws) -> tuple[Attribute, Column]:
        """Pseudonyms of all values; a collision is refused."""
        key = draws.keyed(f"pseudonyms of {self.namespace or attribute.name}")
        digests = _digests(key, values)
        after = renamed(attribute)
        if self.form == "integer":
            numbers = (digests[:, :8].copy().view(">u8")[:, 0] >> np.uint64(11)).astype(np.float64)
            self._refuse_collisions(attribute, len(values), len(np.unique(numbers)))
            return after.replace(kind=Kind.INTEGER, categories=None), numbers
        texts, codes = np.unique(_base32(digests, self.length), return_inverse=True)
        self._refuse_collisions(attribute, len(values), len(texts))
        # The dictionary is in the order of the pseudonyms: in that of the old values it would tell their order.
        return after.replace(kind=Kind.NOMINAL, categories=tuple(texts.tolist())), codes.astype(np.int32)

    def _refuse_collisions(self, attribute: Attribute, values: int, pseudonyms: int) -> None:
        if pseudonyms < values:
            raise InputError(
                f"{values - pseudonyms} of the {values:,} values of '{attribute.name}' would share a "
                "pseudonym: use the text form, or a greater `length`."
            )


def _digests(key: bytes, values: list[Any]) -> NDArray[np.uint8]:
    """One keyed hash of 32 bytes for each distinct value."""
    raw = b"".join([hashlib.blake2b(str(value).encode(), key=key, digest_size=32).digest() for value in values])
    return np.frombuffer(raw, dtype=np.uint8).reshape(len(values), 32)


def _base32(digests: NDArray[np.uint8], length: int) -> NDArray[np.str_]:
    """The leading 5·length bits as letters and digits (RFC 4648, section 6, in lower case)."""
    bits = np.unpackbits(digests, axis=1)[:, : 5 * length].reshape(len(digests), length, 5)
    signs = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz234567", dtype=np.uint8)
    letters = signs[bits @ np.array([16, 8, 4, 2, 1], dtype=np.uint8)]
    return np.ascontiguousarray(letters).view(f"S{length}")[:, 0].astype(str)


def renamed(attribute: Attribute) -> Attribute:
    """The attribute with the new identifiers; nothing of the old ones is left."""
    role = Role.OTHER if attribute.role is Role.IDENTIFIER else attribute.role
    return attribute.replace(
        role=role, value_labels={}, missing_codes=(), hierarchy=None, scores=None, display_format="", pseudonymous=True
    )


def _distinct(source: Source, attribute: Attribute) -> list[Any]:
    if attribute.is_categorical:
        return list(attribute.categories or ())
    values = source.fold(DistinctNumbers(attribute.name))
    if len(values) and np.abs(values).max() >= _LARGEST:
        raise InputError(f"'{attribute.name}' has numbers of more than 53 bits, which lose digits: read it as text.")
    return [int(value) for value in values]


class _Lookup:
    """Code or number → new code or number."""

    def __init__(self, values: NDArray[np.float64] | None, new: Column) -> None:
        self.values, self.new = values, new
        self.missing = np.nan if new.dtype == np.float64 else -1

    def __call__(self, column: Column) -> Column:
        table = np.append(self.new, np.array(self.missing, dtype=self.new.dtype))  # the last entry is for missing
        if self.values is None:
            return table[column]
        position = np.searchsorted(self.values, column)
        return table[np.where(np.isnan(column), len(self.values), position)]
