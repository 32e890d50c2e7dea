"""The prosecutor's risk."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.anonymity.released_key import Missing, frequencies, missing_param, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People
from ammg.params import param


class ProsecutorRisk(Risk):
    """Expected share of records re-identified by an intruder who knows that the person is in the file.

    The risk of a record is one over the size of its equivalence class; the mean is the number of classes over the
    number of records. Source: El Emam (2013).
    """

    threshold: float = param(0.2, "Records above this risk count as at risk.", ge=0, le=1)
    missing: Missing = missing_param()

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over the released records."""
        from ammg.criteria.reidentification import prosecutor_risk

        key = released_key(pair, scenario)
        found = prosecutor_risk(frequencies(pair, key, self.missing)[0], self.threshold)
        return Measurement(
            value=found.success,
            facts={
                "keys": key.names,
                "highest": found.highest,
                "lowest": found.lowest,
                "at_risk": found.at_risk,
            },
            people=People(found.by_record, riskiest=key.riskiest(found.by_record)),
        )
