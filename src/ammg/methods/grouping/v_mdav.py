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

    Like MDAV, but a group also takes in a record whose distance to it is less than gamma times the record's distance to
    its nearest ungrouped neighbour. Keeps (weighted) totals and linear identities. Distances use the values that both
    records have, and take time n² where some are missing. Nothing in the grouping is random: an intruder who knows all
    columns repeats it and re-identifies a person with probability at most 1/k. Noise within groups does not lower it.
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
