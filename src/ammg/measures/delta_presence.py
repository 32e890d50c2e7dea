"""δ-presence."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Measure, Measurement
from ammg.measures.released_key import released_key


class DeltaPresence(Measure):
    """Greatest certainty with which an intruder can say that a person of the original file is in the release.

    For each combination of known values: released records over original records. Needs a release that is a sample of
    the original, with true (perhaps recoded) values.
    Source: Nergiz, Atzori and Clifton (2007).
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True
    default: ClassVar[bool] = False

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare the classes of both files."""
        from ammg.criteria.anonymity import presence

        key = released_key(pair, scenario)
        columns = [pair.common_codes(name) for name in key.names]
        sizes = [max(1, len(categories)) for _, _, categories in columns]
        try:
            found = presence([after for _, after, _ in columns], [before for before, _, _ in columns], sizes)
        except ValueError:
            raise NotDefined("released values are not those of a sample of the original file") from None
        return Measurement(
            value=found.highest,
            by_record=found.by_record,
            details={
                "keys": list(key.names),
                "lowest": found.lowest,
                "certain": int(np.sum(found.by_record == 1)),
                "riskiest": key.riskiest(found.by_record),
            },
        )
