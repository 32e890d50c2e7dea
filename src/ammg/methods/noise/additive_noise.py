"""Uncorrelated additive noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan
from ammg.methods.noise.coloured_noise import VariateMoments, exact_map
from ammg.methods.noise.mixture_noise import MixtureNoise
from ammg.methods.noise.noise_options import Columns, NoisyMethod, gains_for_zeros, without_rounding
from ammg.methods.usage import Usage, listed, weighted
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.extremes import ExtremeValues
from ammg.summaries.group_moments import GroupMoments, GroupValues, places_in
from ammg.summaries.moments import Moments
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]
Map = tuple[float, Numbers, float]
"""Factor of the values, factor of the noise (one for all records or one per group), and shift."""
Mixture = tuple[tuple[float, ...], tuple[float, ...], float]

QUANTILES = 1 << 14
"""Points at which the law of the noise is published."""


class AdditiveNoise(NoisyMethod):
    """Add independent noise to each number: z = x + p·s·e.

    Keeps means and covariances between columns in expectation; variances grow by the factor 1 + p², so correlations
    shrink by 1/(1 + p²). With `exact`, each column keeps its mean, and its variance becomes (1 + p²) s² exactly. With
    `within`, s is the standard deviation of a group, so that groups with small values are not drowned in noise:
    variances grow by 1 + p² in each group, and overall by p² times the variance within groups. The published law has
    the average variance of all groups; an intruder who repeats the method learns that of each group. With all 13
    columns of CENSUS known, an intruder who knows the law re-identifies 17 percent at p = 1 (Laplace) and 62 percent at
    p = 0.5 (uniform). Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.1.
    """

    also_called: ClassVar[tuple[str, ...]] = ("AddNoise",)

    accepts: ClassVar[Kind] = Kind.NUMERIC

    p: float = param(
        0.1, "Standard deviation of the noise, in standard deviations of the column.", gt=0, le=5, search=(0.02, 0.5)
    )
    law: Literal["normal", "laplace", "uniform", "mixture"] = param(
        "normal",
        "Distribution of the noise; all have the same variance. The mixture is that of mixture_noise "
        "with its defaults: two normal distributions away from zero, so that nearly every value "
        "changes.",
    )
    exact: bool = param(
        False, "Make the noise uncorrelated with its column, with exactly the intended mean and variance."
    )
    within: tuple[str, ...] = param((), "Take s within each combination of these columns instead of in the whole file.")

    @model_validator(mode="after")
    def _is_exact_in_the_whole_file(self) -> Self:
        if self.exact and self.within:
            raise ValueError("exact noise keeps the moments of the whole file: drop either `within` or `exact`")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, another distribution with zeros kept, exact noise, a mixture, and noise within groups."""
        return [
            cls(),
            cls(law="laplace", zeros="keep", integers=True),
            cls(law="uniform", exact=True),
            cls(law="mixture"),
            cls(within=("zone",), zeros="keep"),
        ]

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns, the weight, and the columns of the groups."""
        return tuple(dict.fromkeys((*super().needs(schema), *(schema[name].name for name in self.within))))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Correct correlations for the noise (Spearman 1904)."""
        apart = " Noise was scaled within groups: estimate within each group." if self.within else ""
        code = (
            f"noisy = file.select({listed(columns)})\n"
            f"noise = ammg.estimators.independent_noise(noisy, p={self.p:g}{weighted(weight, 'weights')})\n"
            f"print(ammg.estimators.deattenuated_correlations(noisy, noise{weighted(weight, 'weights')}))"
        )
        return Usage(
            f"Means of the masked numbers. Their variances are {1 + self.p**2:g} times too large and "
            "correlations too small; the estimators correct both.",
            "independent_noise for the covariance of the noise, then deattenuated_correlations and "
            f"corrected_regression.{apart}",
            "Do not use single values, extremes or quantiles, and do not select records by a masked "
            "column: the noise has changed them.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find each column's standard deviation, weighted if there is a weight."""
        names = self.chosen(source.schema)
        extremes = refuse_unmeasurable(source, names)
        self.check_options(source.schema, names, extremes)
        floors = self.floors(source.schema, names, extremes)
        if self.exact and not self.plain:
            raise InputError(
                "exact noise keeps moments that bounds, integers or zeros would break: drop either `exact` or these."
            )
        notes = self.advice(source, names, extremes, floors)
        groups: Numbers | None = None
        maps: dict[str, Map]
        if self.within:
            found = {name: self._in_groups(source, name) for name in names}
            scales = {name: self._scales(values) for name, values in found.items()}
            groups = found[names[0]].groups
            maps = {name: (1.0, scales[name], 0.0) for name in names}
            scale = np.sqrt([_mean_square(scales[name], found[name].count) for name in names])
            notes += tuple(note for name in names if (note := self._note(name, found[name])))
        else:
            scale = np.array([self._scale(source, name, extremes.of(j)) for j, name in enumerate(names)])
            if self.exact:
                maps = {name: self._exact_map(source, name, extremes.of(j), draws) for j, name in enumerate(names)}
            else:
                scale = scale * self.zero_gains(source, names)
                maps = {name: (1.0, np.array(noise), 0.0) for name, noise in zip(names, scale, strict=True)}
        law = NoiseLaw(
            names,
            np.diag(scale**2),
            self.p**2,
            factor=np.diag(scale) / self.p,
            mixture=self._mixture(names, draws),
            quantiles=self._quantiles(),
            keeps="zeros" if self.zeros_are_told(floors) else "nothing",
            floors=floors,
            within=self.within,
        )
        return Plan(self.after(source.schema.select(names)), (groups, maps), (law,), notes=notes)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Add each record's own draw, column by column."""
        groups, maps = plan.state
        ids, place = block.ids, None if groups is None else places_in(groups, block, self.within)
        for name, (on_data, on_noise, shift) in maps.items():

            def noisy(
                part: Block, attempt: int, name: str = name, a: float = on_data, b: Numbers = on_noise, c: float = shift
            ) -> Columns:
                again = draws.at("redraw", attempt) if attempt else draws
                strength = b if place is None else b[place[np.searchsorted(ids, part.ids)]]
                noise = strength * self.variates(part, (name,), None, again)[0]
                values = part.numbers(name)
                return {name: (values if a == 1.0 else a * values) + noise + c}

            block = self.finished(block, plan, noisy, draws)
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
        """The law for publication; None if there is no noise or its size varies."""
        if self.within:
            return None
        if self.law == "mixture":
            return MixtureNoise().mixture(MixtureNoise().prepared(names, draws))
        return None

    def _quantiles(self) -> Numbers | None:
        """The law for publication where it is neither normal nor a mixture."""
        if self.law in ("normal", "mixture"):
            return None
        points = (np.arange(QUANTILES) + 0.5) / QUANTILES
        return _laplace(points) if self.law == "laplace" else np.sqrt(3.0) * (2 * points - 1)

    def _scale(self, source: Source, name: str, extremes: ExtremeValues) -> float:
        moments = source.fold(Moments((name,), source.schema.weight))
        return self.p * float(without_rounding(moments, extremes).deviation[0])

    def _in_groups(self, source: Source, name: str) -> GroupValues:
        found = source.fold(GroupMoments(name, self.within, source.schema.weight))
        small = (found.count > 0) & (found.positive < 2)
        if small.any() and source.count() > 1:
            of_weight = " of positive weight" if source.schema.weight else ""
            raise InputError(
                f"{int(small.sum()):,} of {len(small):,} groups by {', '.join(self.within)} have fewer than "
                f"two values of '{name}'{of_weight}, hence no standard deviation: name fewer columns in "
                "`within`, or recode them first."
            )
        return found

    def _scales(self, found: GroupValues) -> Numbers:
        gains = gains_for_zeros(found.weight, found.nonzero) if self.zeros == "keep" else 1.0
        return np.asarray(self.p * found.deviation * gains)

    def _note(self, name: str, found: GroupValues) -> str:
        """Note naming the groups left unchanged; empty if there are none."""
        same = (found.count > 0) & (found.deviation == 0)
        if not same.any():
            return ""
        return (
            f"'{name}' does not vary in {int(same.sum()):,} of {len(same):,} groups by "
            f"{', '.join(self.within)}: {int(found.count[same].sum()):,} values are left unchanged"
        )

    def _exact_map(self, source: Source, name: str, extremes: ExtremeValues, draws: Draws) -> Map:
        if source.fold(MissingCounts((name,))).any():
            raise InputError(
                f"exact noise needs complete columns, but '{name}' has missing values: impute them, or leave "
                "the column out."
            )
        joint = source.fold(VariateMoments(self, (name,), None, draws, source.schema.weight))
        joint = without_rounding(joint, extremes)
        scale = self.p * float(joint.deviation[0])
        on_data, on_noise, shift = exact_map(joint, np.array([[scale]]), source)
        return float(on_data[0, 0]), on_noise[0, 0], float(shift[0])


def _mean_square(scales: Numbers, count: Numbers) -> float:
    """The variance of the noise, on average over the values of the file."""
    return float((count * scales**2).sum() / max(count.sum(), 1.0))


def _laplace(uniforms: Numbers) -> Numbers:
    """Quantiles of the Laplace distribution with variance one."""
    centred = uniforms - 0.5
    tail = np.maximum(1 - 2 * np.abs(centred), np.finfo(float).tiny)
    return np.asarray(-np.sign(centred) * np.log(tail) / np.sqrt(2.0))
