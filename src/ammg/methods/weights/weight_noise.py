"""Noise on sampling weights."""

from __future__ import annotations

from ammg.data.block import Block
from ammg.draws import Draws
from ammg.methods.method import Plan
from ammg.methods.weights.weight_method import WeightMethod
from ammg.params import param


class WeightNoise(WeightMethod):
    """Multiply each sampling weight by a random factor near 1.

    People sampled with the same probability share a weight, so weights can reveal design strata, such as a region that
    is not released. Factors are uniform from 1 - p to 1 + p: totals stay the same in expectation, and every weight
    stays positive. An intruder who knows the design can still distinguish strata whose weights differ by more than the
    noise. Source: μ-ARGUS, which offers noise on weights; Hundepool et al. (2012), section 3.6.
    """

    p: float = param(0.1, "Largest relative change of a weight.", gt=0, lt=1, search=(0.02, 0.3))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """One factor per record."""
        return block.with_columns(
            {
                name: block.numbers(name) * (1.0 + self.p * (2.0 * draws.uniform(block.ids, name) - 1.0))
                for name in plan.schema.names
            }
        )
