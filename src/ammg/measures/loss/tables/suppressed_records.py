"""How many records are withheld."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.loss.tables.withheld_cells import withheld
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.summaries.folded_pair import FoldedPair


class SuppressedRecords(Loss):
    """Share of original records that the release leaves out or shows without any value."""

    range = (0.0, 1.0)
    percent = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Count records."""
        found = withheld(pair)
        return Measurement(found.dropped / found.records, facts={"records": found.dropped})

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Count chunk by chunk."""
        return self.measure(pair, scenario)
