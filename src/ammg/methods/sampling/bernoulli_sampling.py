"""Bernoulli sampling."""

from __future__ import annotations

from ammg.data.block import Block
from ammg.data.published import Sampled
from ammg.draws import Draws
from ammg.methods.method import Plan
from ammg.methods.sampling.sampling import SamplingMethod
from ammg.summaries.summary import Source


class BernoulliSampling(SamplingMethod):
    """Keep each record independently with probability f; the sample size is random.

    Keeps every value of the records that stay; divides a weight by f. Values are released unchanged: an intruder finds
    a unique record with certainty if the person is known to be in the sample, and otherwise with the probability of
    being drawn. The size of the sample does not reveal how many records there were. Source: Särndal, Swensson and
    Wretman (1992), section 3.2.
    """

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Nothing needs to be planned."""
        return Plan(self._written(source.schema), published=(Sampled((), self.fraction),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Keep a record when its draw is below f."""
        return self._kept(block, plan, draws.uniform(block.ids, "sample") < self.fraction, self.fraction)
