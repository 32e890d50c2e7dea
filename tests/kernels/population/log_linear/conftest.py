from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.population.log_linear.layout import Layout


@pytest.fixture(scope="session")
def truth():
    """A five-way population law with all main effects and three interactions: 3,840 cells, means that add up to 1."""
    rng = np.random.default_rng(17)
    layout = Layout((4, 2, 8, 6, 10))
    generators = ((0, 2), (2, 3), (1, 4))
    log = np.zeros(layout.shape)
    for axis, size in enumerate(layout.shape):
        log += rng.normal(0, 0.8, size).reshape([-1 if a == axis else 1 for a in range(5)])
    for pair in generators:
        block = rng.normal(0, 0.6, [layout.shape[axis] for axis in pair])
        log += block.reshape([layout.shape[axis] if axis in pair else 1 for axis in range(5)])
    law = np.exp(log)
    return layout, generators, layout.flatten(law / law.sum())
