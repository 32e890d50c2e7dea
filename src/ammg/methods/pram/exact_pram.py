"""Post-randomisation with exact frequencies."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Plan, Sees
from ammg.methods.pram.category_changes import CategoryChanges, Changes, written_back
from ammg.methods.pram.invariant_pram import invariant, note_on_stay

Floats = NDArray[np.float64]


class ExactPram(CategoryChanges):
    """Change categories at random so that every frequency stays exactly the same (exact PRAM).

    An invariant matrix gives the expected number of records that move from one category to another. These numbers are
    rounded at random, keeping row and column sums, and that many records are drawn. Every frequency, and every table of
    the changed column with `within`, is kept exactly; weighted frequencies are kept on average. Associations with other
    columns are weakened. The matrix is published, and an intruder can invert it. Source: Shlomo's overview of
    disclosure control methods; rounding by Cox (1987).
    """

    sees: ClassVar[Sees] = Sees.STRATUM

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, within groups, and combinations."""
        return [
            cls(),
            cls(columns=("region",), pattern="uniform", within=("zone",), stay=0.7),
            cls(columns=("education", "region"), compound=True, within=("zone",)),
        ]

    @property
    def weighted(self) -> bool:
        """Frequencies are numbers of records."""
        return False

    def strata(self, schema: Schema) -> tuple[str, ...]:
        """The columns named in `within`."""
        return tuple(schema[name].name for name in self.within)

    def matrix_of(self, shares: Floats | None, given: Floats | None, counts: Floats) -> Floats:
        """An invariant matrix with the requested probability to stay."""
        return invariant(shares, given, counts, self.stay)

    def notes_on(self, changes: Changes) -> tuple[str, ...]:
        """Note naming the columns where more values stay than requested; empty if there are none."""
        return note_on_stay(changes, self.stay)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Draw within the stratum, or within each of its patterns of missing values."""
        from ammg.kernels.pram.transition_counts import change_exactly
        from ammg.kernels.threads import in_threads

        def changed(changes: Changes) -> dict[str, NDArray[np.int32]]:
            rows = changes.cells.rows(block, self.within, changes.names)
            after, rng = rows.copy(), draws.generator("×".join(changes.names))
            for group, matrix in zip(changes.cells.groups(), changes.matrices, strict=True):
                inside = np.flatnonzero((rows >= group.start) & (rows < group.stop))
                if len(inside):
                    local = (rows[inside] - group.start).astype(np.int32)
                    after[inside] = group.start + change_exactly(local, matrix, rng)
            return written_back(changes, block, after)

        masked = in_threads(changed, plan.state, len(block) * len(plan.state))
        return block.with_columns({name: codes for columns in masked for name, codes in columns.items()})
