"""Distance-based record linkage."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Measure, Measurement


class DistanceLinkage(Measure):
    """Share of released records whose nearest original is their own.

    The intruder holds the known attributes of everybody, standardises both files with the original means and standard
    deviations and links each released record to the nearest person; among c equally near the chance is 1/c.
    Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.2.
    """

    family: ClassVar[Literal["risk", "loss"]] = "risk"
    percent: ClassVar[bool] = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Link every released record and count the chances of being right."""
        from ammg.kernels.nearest import nearest_credit

        names = [name for name in scenario.known_in(pair.original.schema) if name in pair.masked.schema]
        if not names:
            raise NotDefined("no known attribute is in the masked file")
        if not pair.r:
            raise NotDefined("no masked record stands for a real one")
        original, masked, kinds = _common_space(pair, names)
        credit = nearest_credit(original, masked, pair.link, kinds=kinds)
        return Measurement(
            value=float(credit.sum() / pair.r),
            by_record=credit,
            details={"known": names, "correct_links": float(credit.sum()), "records": pair.r},
        )


def _common_space(pair: Pair, names: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Numbers standardised, categories compared by equality: a mismatch counts as much as one standard deviation."""
    from ammg.kernels.kd_tree import MISMATCH, SQUARED

    numeric = set(pair.numeric(names))
    before, after, kinds = [], [], []
    for name in names:
        if name in numeric:
            x, z = pair.originals([name])[:, 0], pair.released([name])[:, 0]
            observed = x[~np.isnan(x)]
            spread = float(observed.std(ddof=1)) if len(observed) > 1 else 0.0
            if spread == 0:
                continue
            before.append((x - observed.mean()) / spread)
            after.append((z - observed.mean()) / spread)
            kinds.append(SQUARED)
        else:
            codes, masked_codes, _ = pair.common_codes(name)
            before.append(np.where(codes < 0, np.nan, codes))
            after.append(np.where(masked_codes < 0, np.nan, masked_codes))
            kinds.append(MISMATCH)
    if not kinds:
        raise NotDefined("the known attributes do not vary")
    return np.column_stack(before), np.column_stack(after), np.array(kinds, dtype=np.int64)
