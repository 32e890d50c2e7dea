"""Microaggregation by maximum distance to the average vector."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from ammg.draws import Draws
from ammg.methods.grouping.record_grouping import Matrix, RecordGrouping


class Mdav(RecordGrouping):
    """Replace records by the mean of k similar ones, forming groups from the outside inwards.

    Groups of k around the records farthest from the average; the last has up to 2k-1. Keeps (weighted) totals and
    linear identities; covariances lose the part within groups. Distances use the values that both records have, and
    take time n²/k where some are missing. An intruder who knows all columns can repeat the grouping and re-identifies a
    person with probability at most 1/k. Noise within groups does not lower it: the sum of a group's records still gives
    the group away. Source: Domingo-Ferrer and Torra (2005), MDAV-generic.
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and each kind of noise."""
        return [cls(), cls(k=4, noise="pooled"), cls(noise="within", exact=True)]

    def groups(self, records: Matrix, draws: Draws) -> NDArray[np.int64]:
        """The partition of the published algorithm; it is not random."""
        from ammg.kernels.grouping.mdav_generic import mdav_generic_groups
        from ammg.kernels.grouping.mixed_records import numeric_records

        return mdav_generic_groups(numeric_records(records), self.k)
