"""Random numbers inside compiled loops: SplitMix64, started from a numpy generator.

Steele, Lea and Flood (2014). The stream depends only on the first number drawn from the generator.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

State = NDArray[np.uint64]


def start_stream(rng: np.random.Generator) -> State:
    """A state for `next_uniform`, from one draw of the generator."""
    return rng.integers(0, 2**64, 1, dtype=np.uint64)


@jit
def skip_uniform(state: State) -> None:
    """Advance the state as if a number had been drawn."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)


@jit
def go_to(state: State, start: State, draws: int) -> None:
    """Move the state to `draws` numbers after `start`."""
    state[0] = start[0] + np.uint64(draws) * np.uint64(0x9E3779B97F4A7C15)


@jit
def next_uniform(state: State) -> float:
    """A uniform number in [0, 1); advances the state."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    uniform: float = (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    return uniform
