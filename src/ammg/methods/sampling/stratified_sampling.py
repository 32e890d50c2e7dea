"""Stratified sampling."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.attribute import Role
from ammg.data.block import Block
from ammg.data.published import Sampled
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Plan, Sees
from ammg.methods.sampling.sampling import SamplingMethod
from ammg.params import param
from ammg.summaries.summary import Source


class StratifiedSampling(SamplingMethod):
    """Keep a simple random sample within each stratum, at least one record of each.

    Keeps the proportions of the strata, which a simple random sample does not; multiplies a weight by the stratum's
    n/r. Values are released unchanged: an intruder finds a unique record with certainty if the person is known to be in
    the sample, and otherwise with the probability of being drawn. Source: Särndal, Swensson and Wretman (1992), section
    3.7.
    """

    sees: ClassVar[Sees] = Sees.STRATUM
    searched: ClassVar[bool] = False

    within: tuple[str, ...] | None = param(
        None, "Columns that form the strata; by default those with the role stratum."
    )

    def strata(self, schema: Schema) -> tuple[str, ...]:
        """The named columns, else those with the role stratum."""
        names = self.within if self.within is not None else schema.with_role(Role.STRATUM)
        if not names:
            raise InputError(
                "stratified_sampling needs strata: name columns in `within`, or give a column the role stratum."
            )
        return tuple(schema[name].name for name in names)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Each stratum decides for itself."""
        return Plan(self._written(source.schema), published=(Sampled(self.strata(source.schema), self.fraction),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Keep some records of the stratum at random."""
        size = max(1, round(self.fraction * len(block))) if len(block) else 0
        kept = np.zeros(len(block), dtype=bool)
        kept[draws.generator("sample").permutation(len(block))[:size]] = True
        return self._kept(block, plan, kept, size / max(len(block), 1))
