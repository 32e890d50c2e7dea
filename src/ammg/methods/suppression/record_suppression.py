"""Suppression of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.published import Sampled
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Links, Plan
from ammg.methods.suppression.cell_patterns import coded
from ammg.methods.suppression.cell_risk import RiskMethod
from ammg.methods.usage import Usage, listed
from ammg.summaries.summary import Source


class RecordSuppression(RiskMethod):
    """Drop records whose re-identification risk is above a threshold.

    Remaining records are unchanged, including weights; dropped records count as full information loss. Rare people
    leave the file, so their groups are underestimated. An intruder finds the remaining records as in the original file.
    Source: Hundepool et al. (2012), section 3.3.4.
    """

    links: ClassVar[Links] = Links.SUPPRESSED

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Values are missing because they were rare."""
        return Usage(
            "Remaining records are complete; rare people are not among them.",
            "Estimators for the common groups; calibrate weights to known totals where the file has weights.",
            "Do not treat dropped records as missing at random: they belonged to rare combinations.",
            f"print(file.group_by({listed(columns)}).len().sort('len'))  # groups that are there",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the combinations of keys above the risk threshold."""
        names = (*self.chosen(source.schema), *self.beside(source.schema))
        values = self.counted(source)
        risks = self.risks(values.codes, values.codes, values.counts.astype(np.float64), values.weights)
        risky = risks > self.threshold
        n, dropped = int(values.counts.sum()), int(values.counts[risky].sum())
        return Plan(
            Schema(()),
            _Dropped(names, values.numbers, values.codes[risky]),
            (Sampled((), (n - dropped) / n),) if dropped and dropped < n else (),
            notes=(f"{dropped:,} of {n:,} records were dropped", *self.not_counted(source.schema)),
        )

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Keep the records of all other combinations."""
        from ammg.kernels.anonymity.lookup import find_rows

        state: _Dropped = plan.state
        if not len(state.codes) or not len(block):
            return block
        return block.take(find_rows(state.codes, coded(block, state.names, state.numbers)) < 0)


@dataclass(frozen=True, eq=False)
class _Dropped:
    names: tuple[str, ...]
    numbers: tuple[NDArray[np.float64] | None, ...]
    codes: NDArray[np.int32]
