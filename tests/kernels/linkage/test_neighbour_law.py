"""Laws of whole records learned from draws, on simulations whose law is known."""

from __future__ import annotations

import numpy as np

from ammg.kernels.linkage.neighbour_law import kin_likelihood, linear_likelihood, neighbours_likelihood

RNG = np.random.default_rng(7)
OWN = np.sort(RNG.normal(size=(400, 1)), axis=0) + RNG.normal(scale=0.3, size=(400, 3))


def found(likelihood: np.ndarray) -> float:
    return float((likelihood.argmax(axis=1) == np.arange(len(likelihood))).mean())


def masked(noise: np.ndarray) -> np.ndarray:
    """Shrunk values with noise along a direction of its own in each half of the file."""
    lower = (OWN[:, 0] < np.median(OWN[:, 0]))[:, None]
    along = np.where(lower, noise[..., :1] * np.array([1.0, 1.0, 0.0]), noise[..., :1] * np.array([1.0, -1.0, 0.0]))
    return 0.8 * OWN + 0.5 * along + 0.05 * noise


DRAWS = np.stack([masked(RNG.normal(size=OWN.shape)) for _ in range(40)])
RELEASED = masked(RNG.normal(size=OWN.shape))
EVERYBODY = np.arange(len(OWN))


def test_noise_that_differs_from_part_to_part_is_learned_from_neighbours() -> None:
    near = found(neighbours_likelihood(OWN, DRAWS, RELEASED, EVERYBODY))
    assert near > found(linear_likelihood(OWN, DRAWS, RELEASED, EVERYBODY)) + 0.05


def test_one_covariance_for_all_is_learned_from_everybody() -> None:
    mixing = RNG.normal(size=(3, 3))
    draws = 0.8 * OWN + 0.2 * RNG.normal(size=(40, *OWN.shape)) @ mixing
    released = 0.8 * OWN + 0.2 * RNG.normal(size=OWN.shape) @ mixing
    gaps = (released[:, None] - 0.8 * OWN) @ np.linalg.inv(mixing)
    truth = found(-(gaps**2).sum(axis=2))
    assert abs(found(linear_likelihood(OWN, draws, released, EVERYBODY)) - truth) < 0.03


def test_noise_of_parts_that_lie_anywhere_is_learned_from_those_whose_draws_spread_alike() -> None:
    part = RNG.random(len(OWN)) < 0.5  # nothing in the values tells it
    along = np.where(part[:, None], np.array([1.0, 0.2, 0.0]), np.array([0.2, -1.0, 0.0]))

    def drawn() -> np.ndarray:
        noise = RNG.normal(size=OWN.shape)
        return 0.8 * OWN + 0.5 * noise[:, :1] * along + 0.05 * noise

    draws, released = np.stack([drawn() for _ in range(40)]), drawn()
    kin = found(kin_likelihood(draws, released, EVERYBODY))
    assert kin > found(neighbours_likelihood(OWN, draws, released, EVERYBODY)) + 0.05
