"""Uncorrelated additive noise."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.coloured_noise import VariateMoments, exact_map
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan
from ammg.methods.mixture_noise import MixtureNoise
from ammg.methods.noise_options import Columns, NoisyMethod, without_rounding
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.extremes import ExtremeValues
from ammg.summaries.moments import Moments
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]
Mixture = tuple[tuple[float, ...], tuple[float, ...], float]

FLAT = 8
"""Normal laws that together are nearly uniform."""


class AdditiveNoise(NoisyMethod):
    """Add independent noise to each number: z = x + p·s·e.

    Keeps means and covariances between columns in expectation; variances grow by 1 + p², so correlations shrink by
    1/(1 + p²). With `exact` each column's mean is kept and its variance is (1 + p²) s² to the last digit.
    Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.1.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    p: float = param(
        0.1, "Standard deviation of the noise, in standard deviations of the column.", gt=0, le=5, search=(0.02, 0.5)
    )
    law: Literal["normal", "laplace", "uniform", "mixture"] = param(
        "normal",
        "The law of the noise; all have the same variance. The mixture is that of mixture_noise with its defaults: two "
        "normal laws away from zero, so that nearly every value is moved.",
    )
    exact: bool = param(
        False, "Make each column's noise uncorrelated with the column and give it its mean and variance exactly."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, with another law and zeros that stay, exact, and from a mixture."""
        return [
            cls(),
            cls(law="laplace", zeros="keep", integers=True),
            cls(law="uniform", exact=True),
            cls(law="mixture"),
        ]

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find each column's standard deviation, weighted where there is a weight, and so its map."""
        names = self.chosen(source.schema)
        extremes = refuse_unmeasurable(source, names)
        self.check_options(source.schema, names, extremes)
        if self.exact and not self.plain:
            raise InputError("exact noise keeps moments that bounds, integers and zeros break: leave one of them out.")
        scale = np.array([self._scale(source, name, extremes.of(j)) for j, name in enumerate(names)])
        if self.exact:
            maps = {name: self._exact_map(source, name, extremes.of(j), draws) for j, name in enumerate(names)}
        else:
            scale = scale * self.zero_gains(source, names)
            maps = {name: (1.0, noise, 0.0) for name, noise in zip(names, scale.tolist(), strict=True)}
        law = NoiseLaw(
            names,
            np.diag(scale**2),
            self.p**2,
            factor=np.diag(scale) / self.p,
            mixture=self._mixture(names, draws),
            keeps="zeros" if self.zeros_are_told else "nothing",
        )
        return Plan(self.after(source.schema.select(names)), maps, (law,))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Add each record's own draw; every column by itself."""
        for name, (on_data, on_noise, shift) in plan.state.items():

            def noisy(
                part: Block, attempt: int, name: str = name, a: float = on_data, b: float = on_noise, c: float = shift
            ) -> Columns:
                place = draws.at("redraw", attempt) if attempt else draws
                noise = b * self.variates(part, (name,), None, place)[0]
                values = part.numbers(name)
                return {name: (values if a == 1.0 else a * values) + noise + c}

            block = self.finished(block, noisy, draws)
        return block

    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[Numbers]:
        """Variates of mean zero and variance one, each record from its own draws."""
        if self.law == "normal":
            return [draws.normal(block.ids, name) for name in names]
        if self.law == "mixture":
            return MixtureNoise().variates(block, names, MixtureNoise().prepared(names, draws), draws)
        uniforms = [draws.uniform(block.ids, name) for name in names]
        return [_laplace(values) if self.law == "laplace" else np.sqrt(3.0) * (2 * values - 1) for values in uniforms]

    def _mixture(self, names: tuple[str, ...], draws: Draws) -> Mixture | None:
        """The law for publication, None for one that counts as normal."""
        if self.law == "mixture":
            return MixtureNoise().mixture(MixtureNoise().prepared(names, draws))
        return _flat_mixture() if self.law == "uniform" else None

    def _scale(self, source: Source, name: str, extremes: ExtremeValues) -> float:
        moments = source.fold(Moments((name,), source.schema.weight))
        return self.p * float(without_rounding(moments, extremes).deviation[0])

    def _exact_map(
        self, source: Source, name: str, extremes: ExtremeValues, draws: Draws
    ) -> tuple[float, float, float]:
        if source.fold(MissingCounts((name,))).any():
            raise InputError(f"exact noise needs a complete column, '{name}' has gaps: fill them in, or leave it out.")
        joint = source.fold(VariateMoments(self, (name,), None, draws, source.schema.weight))
        joint = without_rounding(joint, extremes)
        scale = self.p * float(joint.deviation[0])
        on_data, on_noise, shift = exact_map(joint, np.array([[scale]]), source)
        return float(on_data[0, 0]), float(on_noise[0, 0]), float(shift[0])


def _flat_mixture() -> Mixture:
    """The uniform law of variance one as a mixture: normals side by side, half a step wide, are flat but for the ends.

    To whoever knows the law, noise that ends tells more than normal noise of the same variance.
    """
    means = np.arange(FLAT) - (FLAT - 1) / 2
    size = float(np.sqrt(means.var() + 0.25))
    return (1 / FLAT,) * FLAT, tuple((means / size).tolist()), 0.25 / size**2


def _laplace(uniforms: Numbers) -> Numbers:
    """Quantiles of the double exponential law with variance one."""
    centred = uniforms - 0.5
    tail = np.maximum(1 - 2 * np.abs(centred), np.finfo(float).tiny)
    return np.asarray(-np.sign(centred) * np.log(tail) / np.sqrt(2.0))
