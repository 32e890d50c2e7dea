"""Microaggregation by MDAV with groups of variable size."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.draws import Draws
from ammg.methods.grouping.record_grouping import Matrix, RecordGrouping
from ammg.params import param


class VMdav(RecordGrouping):
    """Replace records by the mean of k to 2k-1 similar ones, larger groups where records cluster.

    Like MDAV, but a group takes in a further record that is nearer to it than gamma times the distance to any other
    record outside. Keeps (weighted) totals and linear identities. Distances use the values that both records have, and
    take time n² where some are missing. An intruder who knows all columns repeats the grouping, in which nothing is
    random, and finds a person with a chance of 1/k, never more; noise within groups does not lower it.
    Source: Solanas and Martínez-Ballesté (2006).
    """

    also_called: ClassVar[tuple[str, ...]] = ("VMDAV",)

    gamma: float = param(
        0.2, "How readily groups grow: about 0.2 for scattered records, 1.1 for clusters.", ge=0, le=10, search=(0.1, 2)
    )

    def groups(self, records: Matrix, draws: Draws) -> NDArray[np.int64]:
        """The partition of the published algorithm; it is not random."""
        from ammg.kernels.grouping.v_mdav import v_mdav_groups

        return v_mdav_groups(records, self.k, self.gamma)
