"""Multiplicative noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.alteration import Alteration
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.draws import Draws
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan
from ammg.methods.noise.noise_options import Columns, NoisyMethod
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]
Mixture = tuple[tuple[float, ...], tuple[float, ...], float]

QUANTILES = 1 << 14
"""Points at which the law of the factors is summed up."""


class MultiplicativeNoise(NoisyMethod):
    """Multiply each number by a random factor with mean one, which changes large values more than small ones.

    Keeps means in expectation, signs, zeros and constant columns; second moments grow by 1 + cv². Correlations shrink.
    An intruder who knows the distribution compares logarithms and re-identifies two thirds of CENSUS at cv = 0.4, and
    all of it with two-sided factors: forcing a minimum change protects less, not more. Source: Kim and Winkler (2003);
    for `two_sided` Evans, Zayatz and Slanta (1998).
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    law: Literal["lognormal", "truncated_normal", "two_sided"] = param(
        "lognormal",
        "Distribution of the factors: log-normal; normal, truncated at two standard deviations; or "
        "two-sided, which changes every value by at least a third of the largest change.",
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

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Correct second moments for the variance of the factors."""
        code = (
            f"values = file[{quoted(columns[0])}]\n"
            f"second_moment = (values**2).mean() / {1 + self.cv**2:g}\n"
            "print(values.mean(), (second_moment - values.mean() ** 2) ** 0.5)  # mean and standard deviation"
            if columns
            else ""
        )
        return Usage(
            f"Means, zeros and signs; second moments are {1 + self.cv**2:g} times too large.",
            f"Divide sums of squares by {1 + self.cv**2:g}; sums of products of two masked numbers need no correction.",
            "Do not use single values or extremes: large values were changed most.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the columns that vary, and the law of the log factors, which an intruder could use."""
        names = self.chosen(source.schema)
        extremes = refuse_unmeasurable(source, names)
        self.check_options(source.schema, names, extremes)
        varying = extremes.lowest < extremes.highest
        factor = np.diag(varying.astype(np.float64))
        mean, variance, mixture, quantiles = self._log_law()
        law = NoiseLaw(
            names,
            variance * factor,
            variance,
            factor=factor,
            mixture=mixture,
            logarithmic=True,
            mean=mean,
            quantiles=quantiles,
            keeps="nothing" if self.integers else "signs",
        )
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

            block = self.finished(block, plan, noisy, draws)
        return block

    def alters(self, plan: Plan) -> Alteration | None:
        """Every value. No factor changes a zero, so a zero that only one person has cannot be masked; see `zeros`."""
        promise = super().alters(plan)
        return None if promise is None else replace(promise, zeros_stay=self.zeros == "keep")

    def _log_law(self) -> tuple[float, float, Mixture | None, Numbers | None]:
        """Mean, variance and standardised quantiles of the logarithm of a factor; of two-sided ones the components."""
        if self.law == "lognormal":
            variance = float(np.log1p(self.cv**2))
            return -variance / 2, variance, None, None
        points = (np.arange(QUANTILES) + 0.5) / QUANTILES
        logs = np.log(self._factors(points, points))
        mean, variance = float(logs.mean()), float(logs.var())
        quantiles = (logs - mean) / np.sqrt(variance)
        if self.law == "truncated_normal":
            return mean, variance, None, quantiles
        sides = logs.reshape(2, -1)
        below, above = ((sides.mean(axis=1) - mean) / np.sqrt(variance)).tolist()
        mixture = (0.5, 0.5), (below, above), float(sides.var(axis=1).mean()) / variance
        return mean, variance, mixture, quantiles

    def _factors(self, uniforms: Numbers, normals: Numbers) -> Numbers:
        from ammg.kernels.noise.multiplicative_noise import (
            lognormal_factors,
            truncated_normal_factors,
            two_sided_factors,
        )

        if self.law == "lognormal":
            return lognormal_factors(normals, self.cv)
        if self.law == "truncated_normal":
            return truncated_normal_factors(uniforms, self.cv)
        # The triangle from m/3 to m has second moment m²/3, so m = √3·cv gives the factors the standard deviation cv.
        most = np.sqrt(3.0) * self.cv
        return two_sided_factors(uniforms, most / 3, most)
