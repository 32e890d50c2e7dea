"""Multiplicative noise."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.draws import Draws
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan
from ammg.methods.noise_options import Columns, NoisyMethod
from ammg.params import param
from ammg.summaries.moments import Moments
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]


class MultiplicativeNoise(NoisyMethod):
    """Multiply each number by a random factor of mean one: large values are changed by more than small ones.

    Keeps means in expectation, signs, zeros and constant columns; second moments grow by 1 + cv². Correlations shrink.
    Source: Kim and Winkler (2003); for `two_sided` Evans, Zayatz and Slanta (1998).
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    law: Literal["lognormal", "truncated_normal", "two_sided"] = param(
        "lognormal",
        "Law of the factors: log-normal; normal, cut at two standard deviations; or two-sided, which changes every "
        "value by at least a third of the greatest change.",
        search=["lognormal", "two_sided"],
    )
    cv: float = param(
        0.1,
        "Standard deviation of the factors; beyond 0.4 some laws would change signs.",
        gt=0,
        le=0.4,
        search=(0.02, 0.4),
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without a least change."""
        return [cls(), cls(law="two_sided", integers=True)]

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find what the factors do to each column on average, which is what an intruder could use."""
        names = self.chosen(source.schema)
        extremes = refuse_unmeasurable(source, names)
        self.check_options(source.schema, names, extremes)
        moments = source.fold(Moments(names, source.schema.weight))
        squares = np.diag(moments.covariance) + moments.mean**2
        varying = extremes.lowest < extremes.highest
        law = NoiseLaw(names, np.diag(np.where(varying, self.cv**2 * squares, 0.0)), self.cv**2)
        changed = tuple(name for name, varies in zip(names, varying, strict=True) if varies)
        return Plan(self.after(source.schema.select(names)), changed, (law,))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Multiply by each record's own factor; every column by itself, and none that is constant."""
        for name in plan.state:

            def noisy(part: Block, attempt: int, name: str = name) -> Columns:
                place = draws.at("redraw", attempt) if attempt else draws
                normal = self.law == "lognormal"
                drawn = (place.normal if normal else place.uniform)(part.ids, name)
                return {name: part.numbers(name) * self._factors(drawn, drawn)}

            block = self.finished(block, noisy, draws)
        return block

    def _factors(self, uniforms: Numbers, normals: Numbers) -> Numbers:
        from ammg.kernels.multiplicative_noise import lognormal_factors, truncated_normal_factors, two_sided_factors

        if self.law == "lognormal":
            return lognormal_factors(normals, self.cv)
        if self.law == "truncated_normal":
            return truncated_normal_factors(uniforms, self.cv)
        # The triangle from m/3 to m has second moment m²/3, so m = √3·cv gives the factors the standard deviation cv.
        most = np.sqrt(3.0) * self.cv
        return two_sided_factors(uniforms, most / 3, most)
