"""What a pipeline has done: the originals, the masked records, and the steps between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ammg.data.alteration import Alteration
from ammg.data.microdata import Microdata
from ammg.data.published import Published
from ammg.data.records import Records
from ammg.data.schema import Schema


@dataclass(frozen=True)
class Told:
    """What masking showed of one step."""

    records_before: int
    records_after: int
    changed: Mapping[str, Mapping[str, float]]
    published: tuple[Published, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class StepRecord(ABC):
    """What one step did."""

    method: str
    parameters: Mapping[str, Any]
    seconds: float
    planned: tuple[Published, ...] | None = field(default=None, repr=False)
    """What the step publishes, where that is known before masking."""
    altered: tuple[Alteration, ...] = field(default=(), repr=False)
    """What the step should change in every cell."""

    @property
    @abstractmethod
    def told(self) -> Told:
        """What masking showed; computed on first use if records are streamed or on a cluster."""

    @property
    def records_before(self) -> int:
        """Records that went into the step."""
        return self.told.records_before

    @property
    def records_after(self) -> int:
        """Records that came out of it."""
        return self.told.records_after

    @property
    def changed(self) -> Mapping[str, Mapping[str, float]]:
        """For each column: cells changed, and for numbers the mean and largest absolute change."""
        return self.told.changed

    @property
    def published(self) -> tuple[Published, ...]:
        """What a published description of the step reveals."""
        return self.told.published if self.planned is None else self.planned

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the data owner on how the step went."""
        return self.told.notes


class Masking:
    """Originals, masked records and steps: the input of release checks and provenance."""

    def __init__(self, original: Microdata, source: Records, steps: tuple[StepRecord, ...]) -> None:
        self.original = original
        self.source = source
        self.steps = steps

    @property
    def schema(self) -> Schema:
        """Attributes after masking."""
        return self.source.schema

    @property
    def n(self) -> int:
        """Records before masking."""
        return len(self.original)

    @property
    def t(self) -> int:
        """Records after masking."""
        return self.source.count()
