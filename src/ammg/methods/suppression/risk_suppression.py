"""Suppression by risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block, Column
from ammg.data.published import Suppression
from ammg.draws import Draws
from ammg.methods.method import Links, Plan
from ammg.methods.suppression.cell_patterns import blanked, choose_records
from ammg.methods.suppression.cell_risk import RiskMethod
from ammg.methods.usage import Usage, listed
from ammg.summaries.cells import CellValues
from ammg.summaries.summary import Source

Ints = NDArray[np.int64]


class RiskSuppression(RiskMethod):
    """Suppress the riskiest key values of records above a risk threshold until the risk is low enough.

    The riskiest key is the one whose suppression lowers the risk most. Equal records lose the same keys. A record that
    is too risky even without any key stays in the file; the notes say how many there are. To an intruder a missing
    value may be any value; remaining values are true, and attributes beyond the keys are released unchanged. Source:
    Hundepool et al. (2012), section 3.3.4 (local suppression in μ-ARGUS).
    """

    also_called: ClassVar[tuple[str, ...]] = ("LocalSupp",)
    links: ClassVar[Links] = Links.SUPPRESSED

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Values are missing because they were rare."""
        return Usage(
            "Values that are present are the original ones, unless another step changed them.",
            "Tables with a row for missing values; multiple imputation from the other columns if you need "
            "complete records.",
            "Do not treat suppressed values as missing at random: they belonged to rare combinations.",
            f"print(file.select({listed(columns)}).null_count() / len(file))  # shares that are missing",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Suppress one key after the other in combinations above the threshold."""
        names = self.chosen(source.schema)
        values = self.counted(source)
        patterns, left = self._patterns(values, len(names))
        cells = np.flatnonzero(patterns)
        chosen = (cells.astype(np.int64), patterns[cells], values.counts[cells])
        lost = int(sum((values.counts * (patterns >> bit & 1)).sum() for bit in range(len(names))))
        notes = [f"{lost:,} values of {int(values.counts[cells].sum()):,} records were suppressed"]
        notes += self.not_counted(source.schema)
        if left:
            notes.append(f"{left:,} records are riskier than {self.threshold:g} even without their keys")
        state = choose_records(source, draws, values, (*names, *self.beside(source.schema)), chosen)
        return Plan(source.schema.select(names), state, (Suppression(names),), notes=tuple(notes))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Suppress the planned keys of each record's combination."""
        lost = plan.state.of(block, draws)
        masked: dict[str, Column] = {}
        for bit, name in enumerate(plan.schema.names):
            masked[name] = blanked(block[name], lost >> bit & 1 == 1)
        return block.with_columns(masked)

    def _patterns(self, values: CellValues, free: int) -> tuple[Ints, int]:
        """Which of the first `free` keys each cell loses, as bits, and the records that remain too risky."""
        codes = values.codes.copy()
        counts, width = values.counts.astype(np.float64), codes.shape[1]
        while True:
            risky = np.flatnonzero(self.risks(codes, codes, counts, values.weights) > self.threshold)
            row, key = np.nonzero(codes[risky, :free] >= 0)
            if not row.size:
                break
            asked = codes[risky[row]]
            asked[np.arange(row.size), key] = -1
            risk = self.risks(asked, codes, counts, values.weights)
            order = np.lexsort((key, risk, row))
            first = order[np.append(True, np.diff(row[order]) > 0)]
            codes[risky[row[first]], key[first]] = -1
        lost = (codes < 0) & (values.codes >= 0)
        return lost @ (np.int64(1) << np.arange(width, dtype=np.int64)), int(values.counts[risky].sum())
