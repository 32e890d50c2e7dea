"""The contents of a report, and its readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ammg.charts.chart import Chart
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.release.masking import Masking
from ammg.summaries.folded_pair import FoldedPair

Version = Literal["public", "internal"]
LEAST = 10
"""Least number of people in what a public report shows, unless the owner says otherwise."""


@dataclass(frozen=True)
class Reader:
    """Whom a report is for: everybody, or the panel that decides about the release."""

    version: Version = "public"
    least: int = LEAST

    def __post_init__(self) -> None:
        if self.version not in get_args(Version):
            raise InputError(f"version = {self.version!r} does not exist: choose {' or '.join(get_args(Version))}.")
        if not isinstance(self.least, int) or isinstance(self.least, bool) or self.least < 2:
            raise InputError(f"k = {self.least!r} is too small: classes of a public report need at least 2 people.")

    @property
    def is_public(self) -> bool:
        """Whether nothing confidential may be in the report."""
        return self.version == "public"

    @property
    def fewest(self) -> int:
        """The least number of people in a class, a mean or a correlation."""
        return self.least if self.is_public else 0


@dataclass(frozen=True)
class Evidence:
    """Two files, what was done between them, and what was measured."""

    pair: Pair
    masking: Masking | None
    """The steps; None where only the two files are known."""
    measures: Mapping[str, Measure]
    after: Mapping[str, Measurement]
    before: Mapping[str, Measurement]
    records: Mapping[str, float]
    scenario: Scenario
    limits: Mapping[str, float] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    """One sentence for each limit that is not met."""
    project: str = ""
    """The project file, as the reader may see it."""
    file: str = "masked.parquet"
    """The name of the file that users read."""
    choice: tuple[str, Chart] | None = None
    """Why a search chose this recipe, and its map."""

    @property
    def released(self) -> Schema:
        """The attributes of the masked file."""
        return self.pair.released_schema if isinstance(self.pair, FoldedPair) else self.pair.masked.schema

    @property
    def is_streamed(self) -> bool:
        """Whether the records stay where they are, so that nothing reads them for a picture."""
        return isinstance(self.pair, FoldedPair) or self.pair.original.streamed is not None

    def family(self, family: str) -> Iterator[tuple[str, Measure, Measurement]]:
        """The measures of risk or of loss, with their labels and what they found in the masked file."""
        for label, measurement in self.after.items():
            if self.measures[label].family == family:
                yield label, self.measures[label], measurement
