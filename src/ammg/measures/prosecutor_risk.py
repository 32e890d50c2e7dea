"""The prosecutor's risk."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import Missing, frequencies, released_key
from ammg.params import param


class ProsecutorRisk(Measure):
    """Expected share of records that an intruder finds who knows that the person sought is in the file.

    One over the number of released records that look alike; on average the number of classes over that of records.
    Source: El Emam (2013).
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    threshold: float = param(0.2, "Records with a larger risk are at risk.", ge=0, le=1)
    missing: Missing = param("available", "Whether a missing value matches every value, or is a category of its own.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over the released records."""
        from ammg.criteria.reidentification import prosecutor_risk

        key = released_key(pair, scenario)
        found = prosecutor_risk(frequencies(pair, key, self.missing)[0], self.threshold)
        return Measurement(
            value=found.success,
            by_record=found.by_record,
            details={
                "keys": list(key.names),
                "highest": found.highest,
                "lowest": found.lowest,
                "at_risk": found.at_risk,
                "riskiest": key.riskiest(found.by_record),
            },
        )
