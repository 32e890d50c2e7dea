"""Correlated additive noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.draws import Draws
from ammg.methods.noise.coloured_noise import ColouredNoise


class CorrelatedNoise(ColouredNoise):
    """Add normal noise whose covariance is d times that of the data: Z = X + √d·W·A', A·A' = Σ.

    Keeps means and correlations in expectation, and every exact linear identity of the data; covariances grow by the
    factor 1 + d, which `rescaled` undoes. With `exact`, the sample moments themselves are kept: the noise is
    uncorrelated with the data and has exactly the covariance dΣ. An intruder who knows the covariance measures
    distances by it, and re-identifies 91 percent of CENSUS at d = 0.1 with all 13 columns known. Source: Kim (1986);
    Yancey, Winkler and Creecy (2002), appendix, with √d where they print d.
    """

    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[NDArray[np.float64]]:
        """A standard normal number for each cell."""
        return [draws.normal(block.ids, name) for name in names]
