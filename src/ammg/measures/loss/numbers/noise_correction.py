"""Kim's correction: moments of a noisy file for analysts who know the published law of the noise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ammg.data.pair import Pair
from ammg.data.published import NoiseLaw
from ammg.errors import NotDefined
from ammg.kernels.loss.cell_changes import CellChange
from ammg.kernels.pairwise import Moments
from ammg.measures.loss.numbers.moment_loss import Compared
from ammg.measures.measurement import Measurement


@dataclass(frozen=True, eq=False)
class Corrected(Compared):
    """A comparison whose masked moments are free of published noise; cells are as they were."""

    found: Compared
    pair: Pair

    @property
    def before(self) -> Moments:
        """Moments of the original file."""
        return self.found.before

    @cached_property
    def after(self) -> Moments:
        """Corrected moments of the masked file."""
        return without_noise(self.found.after, self.names, self.pair)

    def over_cells(self, entries: CellChange) -> Measurement:
        """As they were."""
        return self.found.over_cells(entries)

    def over_records(self, entries: CellChange) -> float:
        """As they were."""
        return self.found.over_records(entries)


def without_noise(masked: Moments, names: tuple[str, ...], pair: Pair) -> Moments:
    """Correct means and covariances for published noise and rescaling (Kim 1990), the last step first.

    Raises:
        NotDefined: no noise is published for any of the attributes.
    """
    laws = [law for law in pair.published if isinstance(law, NoiseLaw) and not law.logarithmic and law.among is None]
    laws = [law for law in laws if set(law.columns) & set(names)]
    if not laws:
        raise NotDefined("no noise on these attributes is published: drop the correction")
    mean, cov = masked.mean.copy(), masked.cov.copy()
    for law in reversed(laws):
        here = [place for place, name in enumerate(names) if name in law.columns]
        there = [law.columns.index(names[place]) for place in here]
        unit = np.array([pair.in_unit(names[place], 1.0) for place in here])
        if law.scale != 1.0 and law.centre is not None:
            centre = np.asarray(law.centre)[there] * unit
            mean[here] = (mean[here] - (1 - law.scale) * centre) / law.scale
            factor = np.ones(len(names))
            factor[here] = 1 / law.scale
            cov = cov * np.outer(factor, factor)
        cov[np.ix_(here, here)] -= law.covariance[np.ix_(there, there)] * np.outer(unit, unit)
    constant = np.flatnonzero(np.diag(cov) <= 0)
    cov[constant, constant] = 0.0  # a small part can have less variance than the noise
    return Moments(mean, cov)
