"""A disclosure scenario: what the intruder knows, about whom, how exactly, and how likely targets are in the file."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from ammg.data.attribute import STRUCTURAL, Role
from ammg.data.external_file import ExternalFile
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.params import Parameters

NAMES = ("external file", "spontaneous recognition", "self-identification")
"""The scenarios that measures and reports can name; the first one is the default."""


class Scenario(Parameters):
    """One disclosure scenario (Truta et al. 2003, section 3: the researcher's level).

    Every risk measure takes one; the default intruder knows all key attributes of every record, without error.
    """

    name: str = "external file"
    known: tuple[str, ...] | None = Field(None, description="Attributes the intruder knows; by default all keys.")
    known_by_record: Mapping[int, tuple[str, ...]] = Field(
        default_factory=dict, description="Other known attributes for single targets, by record id."
    )
    targets: tuple[int, ...] | None = Field(None, description="Record ids the intruder looks for; by default all.")
    error: Mapping[str, float] = Field(
        default_factory=dict,
        description="Measurement error by attribute: chance of a wrong category, or standard deviation of a number.",
    )
    inclusion: float | None = Field(
        None, gt=0, le=1, description="Chance that a target is in the file; by default the sampling factor."
    )
    external: ExternalFile | None = Field(
        None, description="The file that the intruder links to the release; by default the original itself."
    )

    @classmethod
    def external_file(
        cls,
        known: tuple[str, ...] | None = None,
        inclusion: float | None = None,
        external: ExternalFile | None = None,
    ) -> Scenario:
        """The intruder holds a register, by default with the keys of everybody, and links it to the release."""
        return cls(name="external file", known=known, inclusion=inclusion, external=external)

    @classmethod
    def spontaneous_recognition(cls, known: tuple[str, ...], targets: tuple[int, ...] | None = None) -> Scenario:
        """The intruder knows a few facts about some people and does not know whether they took part."""
        return cls(name="spontaneous recognition", known=known, targets=targets)

    @classmethod
    def self_identification(cls, known: tuple[str, ...] | None = None) -> Scenario:
        """A participant looks for their own record, knowing every answer and that the record is there."""
        return cls(name="self-identification", known=known, inclusion=1.0)

    def known_in(self, schema: Schema) -> list[str]:
        """The known attributes: those named, else the keys, else everything that is not an identifier."""
        if self.known is not None:
            names = [schema[name].name for name in self.known]
            if not names:
                raise InputError("The scenario's list of known attributes is empty: name one, or leave it out.")
            return names
        if self.name == "self-identification" or not schema.keys:
            return [a.name for a in schema if a.role not in STRUCTURAL | {Role.IDENTIFIER}]
        return schema.keys
