"""Correlated noise on logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.data.published import NoiseLaw, Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Plan
from ammg.methods.noise.coloured_noise import ColouredNoise
from ammg.methods.noise.noise_options import Numbers
from ammg.methods.usage import Usage, listed
from ammg.summaries.extremes import Extremes, ExtremeValues
from ammg.summaries.summary import Source


class LogNoise(ColouredNoise):
    """Add correlated normal noise to the logarithms of positive numbers.

    Errors are proportional to values and values stay positive. Keeps means and correlations of the logarithms in
    expectation, and with `rescaled` their covariances; means of the values themselves grow, and sums of parts no longer
    add up. Columns must be positive, or also zero with `zeros: keep`. An intruder who knows the distribution compares
    logarithms, as with correlated noise. Source: Kim and Winkler (2003), section 2.
    """

    searched: ClassVar[bool] = False
    """Most files have numbers without a logarithm."""

    @classmethod
    def examples(cls) -> list[Self]:
        """Zeros occur."""
        return [cls(zeros="keep")]

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Work with logarithms, to which the noise was added."""
        code = (
            f"positive = file.select({listed(columns)}).filter(pl.all_horizontal(pl.all() > 0))\n"
            "logs = positive.select(pl.all().log())\n"
            "print(logs.mean(), logs.corr())"
        )
        return Usage(
            "Means and correlations of the logarithms of the masked numbers.",
            "Analyse logarithms: geometric means, log-linear regressions"
            + ("." if self.rescaled else f"; divide their variances by {1 + self.d:g}."),
            "Do not use means and totals of the values themselves, which are too large, and do not use extremes.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Refuse values that have no logarithm."""
        names = self.chosen(source.schema)
        for name, lowest in zip(names, source.fold(Extremes(names)).lowest, strict=True):
            if lowest < 0 or (lowest == 0 and self.zeros == "mask"):
                way = "set zeros: keep, or use correlated_noise" if lowest == 0 else "use correlated_noise"
                raise InputError(f"'{name}' has the value {lowest:g}, which has no logarithm: {way}.")
        return super().plan(source, draws)

    def floors(
        self, schema: Schema, names: tuple[str, ...], extremes: ExtremeValues, covariance: Numbers | None = None
    ) -> tuple[str, ...]:
        """None: powers of e are positive."""
        return ()

    def advice(
        self, source: Source, names: tuple[str, ...], extremes: ExtremeValues, floors: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Nothing: values stay positive, and zeros stay zero or are refused."""
        return ()

    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[NDArray[np.float64]]:
        """A standard normal number for each cell."""
        return [draws.normal(block.ids, name) for name in names]

    def zero_gains(self, source: Source, names: tuple[str, ...]) -> NDArray[np.float64]:
        """Zeros do not count in the moments of the logarithms, so nothing compensates for them."""
        return np.ones(len(names))

    def on_scale(self, block: Block, names: tuple[str, ...]) -> Block:
        """Logarithms; a zero counts as missing."""
        logs = {}
        for name in names:
            values = block.numbers(name)
            logs[name] = np.log(values, out=np.full(len(values), np.nan), where=values > 0)
        return block.with_columns(logs)

    def off_scale(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Powers of e."""
        return np.exp(values)

    def published(self, law: NoiseLaw) -> Published:
        """The law of the noise on logarithms; rounding to whole numbers creates new zeros."""
        return replace(law, logarithmic=True, keeps="nothing" if self.integers else "signs")
