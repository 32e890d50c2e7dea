"""Correlated noise from a joint mixture of normal laws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.noise.coloured_noise import ColouredNoise
from ammg.params import param


class JointMixtureNoise(ColouredNoise):
    """Add correlated noise whose mixture component is drawn once per record, not once per value.

    A record moves as a whole, along one of K secret directions. The component means solve Σωθ = 0 and Σωθθ' = (1 - σ²)Σ
    in closed form. Keeps what correlated noise keeps: means and correlations in expectation, exact linear identities,
    and with `rescaled` the covariances. The directions do not stay secret: differences between pairs of records pile up
    along them, and an intruder who looks for them re-identifies all of CENSUS at d = 0.5. Source: Roque (2000), who
    solved the equations numerically.
    """

    components: int | None = param(
        None, "Number of components, more than the number of columns; by default twice that number.", ge=2
    )
    variance: float = param(
        0.025, "Covariance within each component, as a share of the whole.", gt=0, lt=1, search=(0.01, 0.5)
    )

    def prepared(self, names: tuple[str, ...], draws: Draws) -> Any:
        """Component means for white variates, from a random start."""
        from ammg.kernels.noise.mixture_noise import joint_mixture_means

        size, count = len(names), self._count(names)
        if count <= size:
            raise InputError(f"{size} columns need at least {size + 1} components, not {count}.")
        shares = np.full(count, 1 / count)
        start = draws.generator("component means").standard_normal((count, size))
        return shares, joint_mixture_means(start, shares, np.full(count, self.variance), np.eye(size))

    def joint_law(self, names: tuple[str, ...]) -> tuple[int, float]:
        """How many directions there are, and the variance around each."""
        return self._count(names), self.variance

    def variates(self, block: Block, names: tuple[str, ...], prepared: Any, draws: Draws) -> list[NDArray[np.float64]]:
        """Each record draws its component, and each cell its deviation from it."""
        from ammg.kernels.noise.mixture_noise import pick_component

        shares, means = prepared
        component = pick_component(draws.uniform(block.ids, "component"), shares)
        inside = np.sqrt(self.variance)
        return [means[component, j] + inside * draws.normal(block.ids, name) for j, name in enumerate(names)]

    def _count(self, names: tuple[str, ...]) -> int:
        return 2 * len(names) if self.components is None else self.components
