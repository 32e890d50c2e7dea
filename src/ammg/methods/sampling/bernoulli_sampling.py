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

    Keeps every value of the records that stay; divides a weight by f. Values are released as they are: an intruder who
    knows that a person is in the sample finds a unique record for certain, and others with the chance that the person
    was drawn. Nobody can tell from the size of the file how many records there were.
    Source: Särndal, Swensson and Wretman (1992), section 3.2.
    """

    def plan(self, source: Source, draws: Draws) -> Plan:
        """There is nothing to look up."""
        return Plan(self._written(source.schema), published=(Sampled((), self.fraction),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Keep a record when its draw is below f."""
        return self._kept(block, plan, draws.uniform(block.ids, "sample") < self.fraction, self.fraction)
