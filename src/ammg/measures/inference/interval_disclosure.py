"""Shared base of the two interval disclosures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import targets
from ammg.measures.measurement import Measurement
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param
from ammg.progress import tick

Floats = NDArray[np.float64]


class IntervalDisclosure(RecordRisk):
    """Base of the interval disclosures: share of numbers that lie in a narrow interval around the released value."""

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"
    at_once: ClassVar[int] = 1
    """Attributes to look at in threads; more take more memory."""

    columns: tuple[str, ...] | None = param(None, "Numeric attributes; by default all that an analyst gets.")
    percent_widths: tuple[float, ...] = param(
        tuple(float(p) for p in range(1, 11)), "Widths to average over, in percent."
    )
    width: Literal["half", "full"] = param("half", "Whether a width extends to each side, or spans the whole interval.")

    @abstractmethod
    def hits(self, original: Floats, masked: Floats) -> Floats:
        """For each cell of one attribute, the share of the widths whose interval contains the original value."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over widths and attributes for each record sought, then over records."""
        if scenario.external is not None:
            raise NotDefined(
                "whether an interval contains the true value does not depend on the file that the intruder holds"
            )
        if not self.percent_widths:
            raise NotDefined("no width is given")
        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if not pair.r:
            raise NotDefined("no masked record stands for a real one")
        real = pair.link >= 0
        sought = np.zeros(pair.n + 1, dtype=bool)
        sought[targets(pair, scenario)] = True
        wanted = real & sought[pair.link]
        if not wanted.any():
            raise NotDefined("no masked record stands for a target")
        everybody = bool(wanted.all())
        sums, cells, by_column = np.zeros(pair.t), np.zeros(pair.t), {}
        for done, (name, shares) in enumerate(self._shares(pair, names, real), 1):
            seen = ~np.isnan(shares) if everybody else ~np.isnan(shares) & wanted
            filled = shares if seen.all() else np.where(seen, shares, 0.0)
            sums += filled
            cells += seen
            by_column[name] = float(filled.sum() / max(int(np.count_nonzero(seen)), 1))
            tick(done, len(names))
        if not cells.any():
            raise NotDefined("the release shows no number of these attributes")
        by_record = sums / np.maximum(cells, 1)
        counted = cells > 0
        return self.averaged(pair, by_record, counted, {"cells": int(cells.sum())}, by_column=by_column)

    def _shares(self, pair: Pair, names: list[str], real: NDArray[np.bool_]) -> Iterator[tuple[str, Floats]]:
        """The shares of each attribute's cells, found for a few attributes at a time."""

        def shares(name: str) -> Floats:
            original, masked = _of_released(pair, name, real), pair.released_column(name)
            if min(self.percent_widths) >= 0 and _are_equal(original, masked):
                return np.where(np.isnan(masked), np.nan, 1.0)  # every interval contains its own middle
            return self.hits(original, masked)

        for start in range(0, len(names), self.at_once):
            some = names[start : start + self.at_once]
            yield from zip(some, in_threads(shares, some, pair.t * len(some)), strict=True)


def _are_equal(original: Floats, masked: Floats) -> bool:
    """Whether nothing was changed; of most columns the first records tell."""
    return all(np.array_equal(original[some], masked[some], equal_nan=True) for some in (slice(1000), slice(None)))


def _of_released(pair: Pair, name: str, real: NDArray[np.bool_]) -> Floats:
    """The original number behind each released record; NaN for records that stand for nobody."""
    if pair.is_in_order:
        return pair.original_column(name)
    original = np.full(pair.t, np.nan)
    original[real] = pair.original_column(name)[pair.link[real]]
    return original
