"""Noise on outliers only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.alteration import Alteration
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.draws import Draws
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import MultivariateMethod, Plan, Sees
from ammg.methods.noise.coloured_noise import combined
from ammg.methods.noise.noise_options import Columns, NoisyMethod, gains_for_zeros
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import NonzeroCounts
from ammg.summaries.summary import Source, whole


class OutlierNoise(NoisyMethod, MultivariateMethod):
    """Add correlated noise to outlying records and leave the others unchanged.

    Outliers by a robust distance are the records that an intruder recognises. Keeps everything about the other records,
    means in expectation and exact linear identities. Records that are not outliers are released unmasked: combine it
    with a method that protects them. Source: Templ and Meindl (2008) for noise on outliers; Maronna and Zamar (2002)
    for the distances.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC
    sees: ClassVar[Sees] = Sees.FILE
    searched: ClassVar[bool] = False
    """On its own it leaves most records unchanged."""

    level: float = param(
        0.975, "Records beyond this quantile of the distances in normal data are outliers.", gt=0.5, lt=1
    )
    d: float = param(
        0.1, "Covariance of the noise, as a multiple of that of the data.", gt=0, le=2, search=(0.01, 0.5), log=True
    )

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Use robust estimators."""
        code = f"print(file.select({listed(columns)}).median())"
        return Usage(
            "Everything about the bulk of the records: medians, quartiles, robust regressions.",
            "Robust estimators, on which outliers have little influence.",
            "Do not study the extreme records: they are the ones that were changed.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the outliers and the covariance of all records."""
        from ammg.kernels.outliers import find_outliers
        from ammg.kernels.pairwise import pairwise_moments
        from ammg.kernels.psd import nearest_psd, psd_factor

        names = self.chosen(source.schema)
        extremes = refuse_unmeasurable(source, names)
        self.check_options(source.schema, names, extremes)
        weight = source.schema.weight
        block = whole(source).block((*names, weight) if weight else names)
        records = block.matrix(names)
        marked = find_outliers(records, self.level) if len(records) > 1 else np.zeros(len(records), dtype=bool)
        covariance = np.zeros((len(names), len(names)))
        if len(records) > 1:
            moments = pairwise_moments(records, block.numbers(weight) if weight else None)
            covariance = nearest_psd(np.nan_to_num(moments.cov))
        floors = self.floors(source.schema, names, extremes, covariance)
        gains = np.ones(len(names))
        if self.zeros == "keep":
            counts = NonzeroCounts(names, weight)
            gains = gains_for_zeros(*counts.finish(counts.add(block.take(marked))))
        factor = gains[:, None] * psd_factor(covariance)
        law = NoiseLaw(
            names,
            self.d * covariance * np.outer(gains, gains),
            self.d,
            factor=factor,
            keeps="zeros" if self.zeros_are_told(floors) else "nothing",
            floors=floors,
        )
        note = f"{int(marked.sum())} of {len(records)} records are outliers and were masked; the others are unchanged"
        state = (block.ids[marked], np.sqrt(self.d) * factor.T)
        return Plan(
            self.after(source.schema.select(names)),
            state,
            (law,),
            notes=(note, *self.advice(source, names, extremes, floors)),
        )

    def alters(self, plan: Plan) -> Alteration | None:
        """None: records that are not outliers stay by design."""
        return None

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Add noise to the outliers."""
        from ammg.kernels.threads import in_threads

        outliers, on_noise = plan.state
        names = tuple(plan.schema.names)
        marked = np.flatnonzero(np.isin(block.ids, outliers))

        def noisy(part: Block, attempt: int) -> Columns:
            place = draws.at("redraw", attempt) if attempt else draws
            one = np.ones(1)
            # Outliers lie in all chunks of the file, whose noise is drawn whole.
            noise = in_threads(lambda name: place.normal(part.ids, name), names, len(block) * len(names))

            def noisy_column(j: int) -> NDArray[np.float64]:
                return combined([part.numbers(names[j])], one, noise, on_noise[:, j], 0.0)

            columns = in_threads(noisy_column, range(len(names)), len(part) * len(names) ** 2)
            return dict(zip(names, columns, strict=True))

        changed = self.finished(block.take(marked), plan, noisy, draws)

        def masked(name: str) -> NDArray[np.float64]:
            values = block.numbers(name).copy()
            values[marked] = changed.numbers(name)
            return values

        columns = in_threads(masked, names, len(block) * len(names))
        return block.with_columns(dict(zip(names, columns, strict=True)))
