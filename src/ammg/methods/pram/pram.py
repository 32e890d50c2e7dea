"""Post-randomisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.draws import Draws
from ammg.kernels.pram.transition_matrices import spread
from ammg.methods.method import Plan, Sees
from ammg.methods.pram.category_changes import CategoryChanges, Changes, written_back
from ammg.methods.usage import Usage, quoted

Floats = NDArray[np.float64]


class Drawn(NamedTuple):
    """Changes with their matrices laid out for drawing."""

    changes: Changes
    steps: Any


class RecordChanges(CategoryChanges):
    """Base of methods that draw each record's new category independently."""

    sees: ClassVar[Sees] = Sees.RECORD

    def prepared(self, changes: Changes) -> Drawn:
        """Prepare the matrices for drawing."""
        from ammg.kernels.pram.change_rows import Steps

        return Drawn(changes, Steps.of(changes.matrices))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Draw the category of each cell from one uniform number, by inverting its distribution."""
        from ammg.kernels.pram.change_rows import change_rows

        masked: dict[str, NDArray[np.int32]] = {}
        for changes, steps in plan.state:
            rows = changes.cells.rows(block, self.within, changes.names)
            after = change_rows(rows, draws.uniform(block.ids, "×".join(changes.names)), steps)
            masked |= written_back(changes, block, after)
        return block.with_columns(masked)


class Pram(RecordChanges):
    """Change categories at random with given probabilities (post-randomisation, PRAM).

    Users who know the matrix can estimate frequencies, tables and regressions without bias (`ammg.estimators`); without
    it, frequencies are biased. Each value stays with probability `stay`, or changes by your own matrix. The matrix is
    published: an intruder inverts it by Bayes' rule, and finds a rare combination with about the probability that it
    stayed unchanged. Source: Gouweleeuw, Kooiman, Willenborg and De Wolf (1998).
    """

    also_called: ClassVar[tuple[str, ...]] = ("PostRandomisation", "PostRandomization")

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, among neighbours, by a matrix, within groups, and combinations."""
        return [
            cls(),
            cls(columns=("education",), pattern="neighbours", stay=0.7),
            cls(columns=("education",), matrix={"none": {"none": 0.5, "school": 0.5}}),
            cls(columns=("region",), pattern="uniform", within=("zone", "education")),
            cls(columns=("education", "region"), compound=True, within=("zone",)),
        ]

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Correct frequencies for the changes, with the transition matrix."""
        return Usage(
            "Frequencies and tables after correction; uncorrected, the released frequencies are more alike "
            "than the original ones.",
            "original_frequencies, original_table and regression_on_changed; they need the transition "
            "matrix of this step, which the data owner can provide.",
            "Do not take released frequencies for the original ones without this correction.",
            f"print(file[{quoted(columns[0])}].value_counts())  # before the correction" if columns else "",
        )

    def matrix_of(self, shares: Floats | None, given: Floats | None, counts: Floats) -> Floats:
        """The given matrix, or one with the same probability to stay for all categories."""
        if given is not None:
            return given
        assert shares is not None
        return spread(shares, self.stay)
