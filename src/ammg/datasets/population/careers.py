"""Schooling, work and health of people."""

from __future__ import annotations

from functools import cache

import numpy as np

from ammg.datasets.population.law import AGES, Codes, Law, by_age, log_shares
from ammg.datasets.population.vocabulary import FULL_TIME, PART_TIME, SELF_EMPLOYED

WORKING = np.isin(np.arange(10), [FULL_TIME, PART_TIME, SELF_EMPLOYED])
_TIE = np.array([0, 1, 1, 2, 2, 2], dtype=np.uint8)  # marital status: never, now, formerly in a union
_SCHOOLING = np.array([0, 0, 0, 1, 1, 2, 2], dtype=np.uint8)  # education: low, middle, high


def draw_careers(
    age: Codes, sex: Codes, marital: Codes, urban: Codes, history: Codes, standing: Codes, rng: np.random.Generator
) -> tuple[Codes, Codes, Codes]:
    """Return education, activity and occupation; only workers have an occupation other than code 0."""
    education = _education().draw(rng, age, sex, urban, history, standing)
    activity = _activity().draw(rng, age, sex, _TIE[marital], urban, history, _SCHOOLING[education])
    own_account = (activity == SELF_EMPLOYED).astype(np.uint8)
    occupation = _occupation().draw(rng, education, sex, urban, history, own_account) + np.uint8(1)
    return education, activity, np.where(WORKING[activity], occupation, np.uint8(0))


def draw_hours(activity: Codes, rng: np.random.Generator) -> Codes:
    """Return weekly hours of work, 0 for those who do not work."""
    spread = rng.standard_normal(len(activity), dtype=np.float32)
    mean = np.zeros(10, dtype=np.float32)
    mean[[FULL_TIME, PART_TIME, SELF_EMPLOYED]] = 39.5, 21, 42
    deviation, least, most = np.zeros((3, 10), dtype=np.float32)
    deviation[[FULL_TIME, PART_TIME, SELF_EMPLOYED]] = 4, 6, 12
    least[[FULL_TIME, PART_TIME, SELF_EMPLOYED]] = 30, 4, 8
    most[[FULL_TIME, PART_TIME, SELF_EMPLOYED]] = 65, 34, 80
    return np.clip(np.rint(mean[activity] + deviation[activity] * spread), least[activity], most[activity]).astype(
        np.uint8
    )


@cache
def _education() -> Law:
    base = by_age(
        {
            0: [100, 0, 0, 0, 0, 0, 0],
            4: [100, 0, 0, 0, 0, 0, 0],
            6: [0, 100, 0, 0, 0, 0, 0],
            11: [0, 100, 0, 0, 0, 0, 0],
            13: [0, 6, 94, 0, 0, 0, 0],
            16: [0, 2, 90, 8, 0, 0, 0],
            19: [0, 2, 16, 72, 9, 1, 0],
            25: [0, 2, 10, 34, 26, 22, 6],
            35: [0, 3, 11, 24, 27, 20, 15],
            50: [0, 6, 16, 26, 30, 12, 10],
            65: [0, 14, 25, 24, 25, 7, 5],
            80: [0, 34, 32, 16, 12, 3, 3],
            100: [0, 50, 30, 10, 7, 2, 1],
        }
    )
    level = np.array([0, -1.5, -1, 0, 0.1, 0.8, 1.4])  # how far a level lies from the middle of the ladder
    # Young women overtook the men, old women had less schooling: sex acts through age.
    sex = np.stack([0 * AGES, np.clip((52 - AGES) / 60, -0.6, 0.4) * (AGES > 17)], axis=1)
    adult = (AGES > 15).astype(float)
    effect = sex[:, :, None, None, None] + adult[:, None, None, None, None] * (
        np.array([0.35, 0.0, -0.25])[:, None, None]
        + np.array([0.0, 0.25, -0.5, 0.1])[:, None]
        + np.array([-0.7, 0.0, 0.9])
    )
    return Law(base[:, None, None, None, None] + effect[..., None] * level)


@cache
def _activity() -> Law:
    """Activity given age, sex, marital tie, urbanisation, history and schooling."""
    base = by_age(
        {
            0: [100, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            5: [100, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            6: [0, 100, 0, 0, 0, 0, 0, 0, 0, 0],
            15: [0, 100, 0, 0, 0, 0, 0, 0, 0, 0],
            17: [0, 86, 8, 3, 0.1, 2, 0, 0.2, 0.3, 1],
            20: [0, 50, 32, 8, 0.8, 6, 0, 1, 0.8, 2],
            25: [0, 15, 58, 11, 3, 7, 0, 3, 1.2, 2],
            35: [0, 2, 65, 14, 7, 5, 0, 5, 2, 1.5],
            50: [0, 0.2, 60, 14, 10, 5, 0.8, 5, 5, 1.5],
            58: [0, 0.05, 47, 13, 9, 5, 11, 6, 8, 2],
            64: [0, 0, 17, 6, 6, 2, 55, 5, 6, 3],
            70: [0, 0, 1.5, 2, 3, 0, 87, 4, 1, 2],
            80: [0, 0, 0.1, 0.4, 1, 0, 92, 4, 1, 2],
            100: [0, 0, 0, 0, 0.3, 0, 93, 4, 1, 2],
        }
    )
    # preschool, student, full, part, self, unemployed, retired, homemaker, disabled, inactive
    sex = np.array(
        [[0, 0, 0.2, -1.3, 0.4, 0.2, 0.05, -3.0, 0.1, 0], [0, 0, -0.3, 0.5, -0.6, -0.2, -0.05, 0.6, -0.1, 0]]
    )
    tie = np.array([[0, 0.7, 0, -0.1, -0.3, 0.3, 0, -1.2, 0.5, 0.3], [0, -1.8, 0, 0.2, 0.2, -0.4, 0, 0.5, -0.5, -0.3],
                    [0, -1.2, 0, 0, 0, 0.3, 0.1, -0.6, 0.4, 0.1]])  # fmt: skip
    urban = np.array(
        [[0, 0.4, 0.1, 0, -0.3, 0.4, 0, -0.4, 0, 0.3], [0] * 10, [0, -0.4, 0, 0, 0.8, -0.5, 0, 0.4, 0.1, -0.4]]
    )
    history = np.array([[0] * 10, [0, 0, 0, 0.1, 0.1, 0.2, 0, 0, -0.1, 0], [0, 0, -0.2, 0, 0.3, 0.6, 0, 0.8, 0.3, 0.2],
                        [0, 0.4, -0.2, 0.2, 0, 0.7, 0, 0.3, -0.3, 0.5]])  # fmt: skip
    schooling = np.array([[0, 0.1, -0.4, 0, -0.1, 0.6, 0.1, 0.6, 0.8, 0.5], [0] * 10,
                          [0, 0.1, 0.4, 0, 0.2, -0.6, -0.1, -0.6, -1.0, -0.3]])  # fmt: skip
    return Law(
        base[:, None, None, None, None, None]
        + sex[:, None, None, None, None]
        + tie[:, None, None, None]
        + urban[:, None, None]
        + history[:, None]
        + schooling
    )


@cache
def _occupation() -> Law:
    """Occupation of workers given education, sex, urbanisation, history and self-employment."""
    # mgr, prof, tech, clerk, service, farm, craft, machine, elementary, armed
    shares: list[list[float]] = [
        [1, 0, 1, 2, 20, 5, 20, 15, 36, 0],
        [1, 0.2, 2, 3, 21, 6, 17, 15, 34, 0.1],
        [2, 1, 5, 7, 26, 4, 18, 15, 21, 0.5],
        [5, 4, 15, 20, 26, 3, 12, 7, 7, 1],
        [5, 5, 20, 14, 20, 4, 20, 8, 3.5, 0.5],
        [14, 42, 22, 12, 5, 1, 2, 0.5, 1, 0.8],
        [17, 66, 11, 4, 1, 0.4, 0.3, 0.1, 0.2, 0.4],
    ]
    education = log_shares(shares)
    sex = np.array(
        [[0.2, -0.1, 0.1, -0.6, -0.5, 0.3, 0.8, 0.7, -0.1, 0.9], [-0.3, 0.15, 0, 0.5, 0.5, -0.4, -1.5, -1.0, 0.2, -1.2]]
    )
    urban = np.array(
        [
            [0.1, 0.2, 0.1, 0.1, 0.1, -1.8, -0.2, -0.2, 0.0, 0.0],
            [0] * 10,
            [0, -0.2, -0.1, -0.1, 0, 1.5, 0.2, 0.2, 0, 0.2],
        ]
    )
    history = np.array(
        [
            [0] * 10,
            [-0.1, 0, 0, -0.1, 0.1, -0.2, 0.3, 0.1, 0.4, -1.5],
            [-0.2, -0.3, -0.2, -0.3, 0.5, -0.8, 0, 0.4, 0.7, -2],
            [-0.3, 0.1, 0, -0.3, 0.4, -0.8, -0.2, 0, 0.6, -2.5],
        ]
    )
    own_account = np.array([[0] * 10, [0.9, 0.2, -0.1, -1.8, 0, 2.0, 0.4, -0.6, -0.9, -9]])
    return Law(
        education[:, None, None, None, None]
        + sex[:, None, None, None]
        + urban[:, None, None]
        + history[:, None]
        + own_account
    )


@cache
def health_law() -> Law:
    """Health given age, sex and standing."""
    base = by_age(
        {
            0: [72, 24, 3, 0.7, 0.3],
            20: [58, 34, 6, 1.5, 0.5],
            50: [24, 46, 22, 6, 2],
            75: [8, 34, 40, 14, 4],
            100: [4, 18, 42, 26, 10],
        }
    )
    worse = np.array([-1.0, -0.4, 0.2, 0.7, 1.1])
    effect = np.array([-0.05, 0.05])[:, None] + np.array([0.3, 0.0, -0.35])
    return Law(base[:, None, None] + effect[..., None] * worse)
