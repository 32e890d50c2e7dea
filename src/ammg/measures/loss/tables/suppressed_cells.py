"""How many cells are withheld."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.loss.tables.withheld_cells import withheld
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.summaries.folded_pair import FoldedPair


class SuppressedCells(Loss):
    """Share of original cells missing from the release: suppressed, or dropped with their record or column."""

    range = (0.0, 1.0)
    percent = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count cells."""
        found = withheld(pair)
        if not found.observed.sum():
            raise NotDefined("every value was missing before")
        shares = found.gone / np.maximum(found.observed, 1)
        return Measurement(
            float(found.gone.sum() / found.observed.sum()),
            by_column=dict(zip(found.names, shares.tolist(), strict=True)),
            facts={"cells": int(found.gone.sum())},
        )

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Count chunk by chunk."""
        return self.measure(pair, scenario)
