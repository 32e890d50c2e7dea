"""Invariant post-randomisation."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pram.transition_matrices import chance_to_stay, eased, invariant_matrix, invariant_staying
from ammg.methods.pram.category_changes import Changes
from ammg.methods.pram.pram import RecordChanges

Floats = NDArray[np.float64]


class InvariantPram(RecordChanges):
    """Change categories at random so that expected frequencies stay the same (invariant PRAM).

    The matrix R satisfies T R = T for the frequencies T of the file (weighted if there is a weight), in each group of
    `within`. The average probability to stay is `stay`, or the least that keeps the frequencies. Frequencies and their
    tables with `within` need no correction; other associations are weakened. A given matrix is made invariant, then
    mixed with the identity until the probability to stay is reached. The matrix is published, and an intruder can
    invert it. Source: Gouweleeuw, Kooiman, Willenborg and De Wolf (1998), section 5; Shlomo's overview of disclosure
    control.
    """

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, within groups, from a matrix, and combinations."""
        return [
            cls(),
            cls(columns=("region",), pattern="uniform", within=("zone",), stay=0.7),
            cls(columns=("education",), matrix={"none": {"none": 0.2, "school": 0.8}}, stay=0.95),
            cls(columns=("education", "region"), compound=True),
        ]

    def matrix_of(self, shares: Floats | None, given: Floats | None, counts: Floats) -> Floats:
        """An invariant matrix with the requested probability to stay."""
        return invariant(shares, given, counts, self.stay)

    def notes_on(self, changes: Changes) -> tuple[str, ...]:
        """Note naming the columns where more values stay than requested; empty if there are none."""
        return note_on_stay(changes, self.stay)


def invariant(shares: Floats | None, given: Floats | None, counts: Floats, stay: float) -> Floats:
    """The invariant matrix of a group, with the requested probability to stay or the least possible one."""
    if given is not None:
        base = invariant_matrix(given, counts)
        matrix = eased(base, counts, stay)
        return base if matrix is None else matrix
    assert shares is not None
    return invariant_staying(shares, counts, stay)


def note_on_stay(changes: Changes, stay: float) -> tuple[str, ...]:
    """Note that more records stay than requested; empty if there are none."""
    sizes = [changes.cells.counts[rows] for rows in changes.cells.groups()]
    stays = [chance_to_stay(matrix, counts) for matrix, counts in zip(changes.matrices, sizes, strict=True)]
    above = [chance for chance in stays if chance > stay + 1e-6]
    if not above:
        return ()
    label, where = " × ".join(changes.names), f" in {len(above):,} of {len(stays):,} groups" if len(stays) > 1 else ""
    return (
        (
            f"frequencies of {label} can only be kept if more than {stay:g} of the values stay "
            f"unchanged{where}: up to {max(above):.3f} do"
        ),
    )
