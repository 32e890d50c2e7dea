"""What the two interval disclosures share."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage.intruder import targets
from ammg.measures.measurement import Measurement
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param
from ammg.progress import tick

Floats = NDArray[np.float64]


class IntervalDisclosure(RecordRisk):
    """Base of the interval disclosures: share of numbers that lie in a narrow interval around the released value."""

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"

    columns: tuple[str, ...] | None = param(None, "Numeric attributes; by default all that an analyst gets.")
    percent_widths: tuple[float, ...] = param(
        tuple(float(p) for p in range(1, 11)), "Widths to average over, in percent."
    )
    width: Literal["half", "full"] = param("half", "Whether a width reaches to each side, or spans the whole interval.")

    @abstractmethod
    def hits(self, original: Floats, masked: Floats) -> Floats:
        """For each cell of one attribute, the share of the widths whose interval holds the original value."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over widths and attributes for each record sought, then over records."""
        if scenario.external is not None:
            raise NotDefined("an interval around a released value holds the true one or not, whatever file is held")
        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if not pair.r:
            raise NotDefined("no masked record stands for a real one")
        released = pair.released(names)
        original = np.full(released.shape, np.nan)
        real = pair.link >= 0
        original[real] = pair.originals(names)[pair.link[real]]
        sought = np.zeros(pair.n + 1, dtype=bool)
        sought[targets(pair, scenario)] = True
        wanted = real & sought[pair.link]
        shares = np.full(released.shape, np.nan, order="F")
        for j in range(len(names)):
            shares[:, j] = self.hits(original[:, j], released[:, j])
            tick(j + 1, len(names))
        seen = ~np.isnan(shares) & wanted[:, None]
        if not wanted.any():
            raise NotDefined("no masked record stands for a person sought")
        if not seen.any():
            raise NotDefined("the release shows no number of these attributes")
        filled = np.where(seen, shares, 0.0)
        by_record = filled.sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
        by_column = dict(zip(names, (filled.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)).tolist(), strict=True))
        counted = np.asarray(seen.any(axis=1))
        return self.averaged(pair, by_record, counted, {"cells": int(seen.sum())}, by_column=by_column)
