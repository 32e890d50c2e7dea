"""δ-presence."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.anonymity.released_key import codes_of_both, released_key
from ammg.measures.measure import Risk
from ammg.measures.measurement import Measurement, People


class DeltaPresence(Risk):
    """Largest probability with which an intruder can say that a person of the original file is in the release.

    For each combination of known values, it is the number of released over the number of original records. Needs a
    release that is a sample of the original, with true (perhaps recoded) values. Source: Nergiz, Atzori and Clifton
    (2007).
    """

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare the classes of both files."""
        from ammg.criteria.anonymity import presence

        key = released_key(pair, scenario)
        try:
            found = presence(*codes_of_both(pair, key))
        except ValueError:
            raise NotDefined("released values are not those of a sample of the original file") from None
        return Measurement(
            value=found.highest,
            facts={"keys": key.names, "lowest": found.lowest, "certain": int(np.sum(found.by_record == 1))},
            people=People(found.by_record, riskiest=key.riskiest(found.by_record)),
        )
