"""The random numbers of `splitmix` for plain Python, many at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.splitmix import State

Floats = NDArray[np.float64]

_BLOCK = 1 << 13


class UniformBlocks:
    """The numbers that `next_uniform` would draw from a state, in the same order."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._numbers: Floats = np.empty(0)
        self._place = 0

    def take(self, many: int) -> Floats:
        """The next numbers."""
        if self._place + many > self._numbers.size:
            self._draw(max(many, _BLOCK))
        self._place += many
        return self._numbers[self._place - many : self._place]

    def _draw(self, many: int) -> None:
        # NOTE: the formula of `next_uniform`; arrays of integers overflow silently, as kernels do
        z = self._state + np.arange(1, many + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        self._state = z[-1:].copy()
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        uniform = ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        self._numbers, self._place = np.concatenate([self._numbers[self._place :], uniform]), 0
