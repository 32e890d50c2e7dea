"""Households: where they are, who heads them, how many belong to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ammg.datasets.population.law import AGES, Codes, Floats, Integers, Law, by_age, chance, log_shares
from ammg.datasets.population.vocabulary import ETHNICITY, HISTORY, REGION

ALONE, COUPLE, FAMILY, LONE_PARENT, EXTENDED, SHARED = range(6)
PAIRED = np.array([False, True, True, False, True, False])  # by form
UNMARRIED_UNION, MARRIAGE, REGISTERED_UNION = range(3)


@dataclass(frozen=True)
class Households:
    """One value per household; `form` is its composition, `standing` (0 low to 2 high) a latent social position."""

    region: Codes
    urbanisation: Codes
    standing: Codes
    age: Codes
    ethnicity: Codes
    form: Codes
    union: Codes
    children: Codes
    extra: Codes
    dwelling: Codes
    tenure: Codes
    rooms: Codes

    @property
    def paired(self) -> NDArray[np.bool_]:
        """Whether the reference person lives with a partner."""
        return PAIRED[self.form]

    @property
    def size(self) -> Integers:
        """Members of each household."""
        return (1 + self.paired + self.children + self.extra).astype(np.int32)


def draw_households(members: int, rng: np.random.Generator) -> Households:
    """Draw households that have exactly `members` members together.

    Households are drawn until the next one would not fit; the few places left over go to people who live alone.
    """
    # The mean size is above 2.2, so this many reach the total but for odds beyond ten standard deviations.
    drawn = members // 2 + 4 * int(members**0.5) + 10
    none = np.zeros(drawn, dtype=np.uint8)
    region = _region().draw(rng, none)
    urbanisation = _urbanisation().draw(rng, region)
    standing = _standing().draw(rng, region, urbanisation)
    age = _age().draw(rng, region, urbanisation)
    ethnicity = ethnicity_law().draw(rng, region, urbanisation, age // 10)
    history = HISTORY[ethnicity]
    form = _form().draw(rng, age, urbanisation, history)
    children = np.where((form == FAMILY) | (form == LONE_PARENT), 1 + _children().draw(rng, age, history), 0)
    children = np.where(form == EXTENDED, _children().draw(rng, age, history), children)
    extra = np.where(form == EXTENDED, 1 + chance(rng, 0.3, drawn), 0)
    extra = np.where(form == SHARED, 1 + _mates().draw(rng, urbanisation), extra)

    size = 1 + PAIRED[form] + children + extra
    total = np.cumsum(size)
    whole = int(np.searchsorted(total, members, side="right"))
    alone = members - (int(total[whole - 1]) if whole else 0)
    kept = slice(whole + alone)
    form[whole:], children[whole:], extra[whole:] = ALONE, 0, 0

    urban, position, decade = urbanisation[kept], standing[kept], age[kept] // 10
    dwelling = _dwelling().draw(rng, urban, position)
    return Households(
        region=region[kept],
        urbanisation=urban,
        standing=position,
        age=age[kept],
        ethnicity=ethnicity[kept],
        form=form[kept],
        union=_union().draw(rng, age[kept], history[kept]),
        children=children[kept].astype(np.uint8),
        extra=extra[kept].astype(np.uint8),
        dwelling=dwelling,
        tenure=_tenure().draw(rng, decade, position, dwelling),
        rooms=_rooms(dwelling, position, children[kept], rng),
    )


@cache
def _region() -> Law:
    return Law(log_shares([14, 11, 9.5, 8.5, 7.5, 6.5, 6, 5.5, 5, 4.5, 4, 3.6, 3.2, 2.9, 2.6, 2.2, 1.9, 1.6])[None])


def _region_lean(phase: float) -> Floats:
    """A score per region, between -1 and 1 and without order, that tilts shares from region to region."""
    lean: Floats = np.sin(phase + 2.4 * np.arange(len(REGION)))
    return lean


@cache
def _urbanisation() -> Law:
    return Law(log_shares([0.42, 0.36, 0.22]) + _region_lean(0.5)[:, None] * np.array([0.8, 0.0, -0.7]))


@cache
def _standing() -> Law:
    urban = np.array([[0.1, -0.1, 0.25], [0.0, 0.1, 0.0], [0.1, 0.1, -0.3]])
    return Law(log_shares([0.3, 0.5, 0.2]) + _region_lean(0.9)[:, None, None] * np.array([-0.3, 0, 0.3]) + urban)


@cache
def _age() -> Law:
    knots = {
        0: 0,
        17: 0,
        18: 2,
        22: 12,
        28: 22,
        35: 25,
        45: 26,
        55: 26,
        65: 23,
        75: 16,
        83: 8,
        90: 2.5,
        97: 0.4,
        100: 0.1,
    }
    base = log_shares(np.interp(AGES, list(knots), list(knots.values())))
    slope = 0.35 * _region_lean(1.7)[:, None] + np.array([-0.6, 0.0, 0.5])
    return Law(base + slope[..., None] * (AGES - 50) / 40)


@cache
def ethnicity_law() -> Law:
    """Ethnic group given region, urbanisation and age in decades."""
    count = len(ETHNICITY)
    shares = [1700, 30, 7, 4, 32, 10, 5, 3, 30, 9, 4, 2, 18, 4, 2, 5, 2]
    # Each minority has regions of its own, lives in cities the more the later it came, and is younger.
    region = 1.1 * np.sin(1.9 * np.arange(count) * (1 + np.arange(len(REGION)))[:, None] + 0.7) * (np.arange(count) > 0)
    urban = np.array([[0.0, 0.5, 0.9, 1.2], [0.0, 0, 0, 0], [0.0, -0.7, -1.3, -1.8]])[:, HISTORY]
    age = (np.arange(11) - 4.5)[:, None] * np.array([0.0, -0.15, -0.3, -0.45])[HISTORY]
    return Law(log_shares(shares) + region[:, None, None] + urban[:, None] + age)


@cache
def _form() -> Law:
    base = by_age(
        {
            18: [45, 14, 2, 3, 0, 36],
            25: [34, 27, 12, 5, 1, 21],
            35: [20, 15, 48, 9, 2, 6],
            45: [20, 14, 48, 10, 4, 4],
            55: [26, 36, 24, 6, 5, 3],
            65: [33, 54, 6, 2, 3, 2],
            74: [41, 54, 1, 1, 1, 2],
            75: [43, 55, 0, 0, 0, 2],
            85: [67, 31, 0, 0, 0, 2],
            100: [92, 6, 0, 0, 0, 2],
        }
    )
    urban = np.array([[0.3, 0, -0.2, 0.1, 0, 0.4], [0.0] * 6, [-0.3, 0.1, 0.15, -0.1, 0.3, -0.4]])
    history = np.array(
        [[0.0] * 6, [0, 0, 0, 0, 0, 0.3], [-0.6, -0.2, 0.4, 0.1, 1.2, 0], [-0.3, -0.2, 0.3, 0.1, 0.8, 0.6]]
    )
    return Law(base[:, None, None] + urban[:, None] + history)


@cache
def _children() -> Law:
    """Children beyond the first: 0 to 5."""
    base = by_age(
        {
            18: [95, 5, 0, 0, 0, 0],
            25: [62, 30, 7, 1, 0, 0],
            38: [34, 46, 15, 4, 0.8, 0.2],
            48: [48, 38, 11, 2.5, 0.4, 0.1],
            60: [78, 18, 3, 1, 0, 0],
            75: [92, 8, 0, 0, 0, 0],
        }
    )
    return Law(base[:, None] + np.array([0.0, 0.0, 0.35, 0.25])[:, None] * np.arange(6))


@cache
def _mates() -> Law:
    return Law(log_shares([0.62, 0.26, 0.12]) + np.array([[0.0, 0.2, 0.5], [0, 0, 0], [0, -0.4, -0.6]]))


@cache
def _union() -> Law:
    base = by_age(
        {18: [84, 14, 2], 25: [62, 34, 4], 35: [26, 69, 5], 50: [15, 81, 4], 65: [7, 91, 2], 100: [2, 97.5, 0.5]}
    )
    return Law(base[:, None] + np.array([0.0, 0.1, 1.3, 0.6])[:, None] * np.array([0.0, 1.0, 0.0]))


@cache
def _dwelling() -> Law:
    urban = log_shares([[0.10, 0.24, 0.64, 0.02], [0.32, 0.36, 0.30, 0.02], [0.66, 0.20, 0.10, 0.04]])
    return Law(urban[:, None] + np.array([-0.4, 0.0, 0.5])[:, None] * np.array([1.0, 0.4, 0.0, -0.6]))


@cache
def _tenure() -> Law:
    knots = {
        0: [5, 5, 60, 20, 10],
        25: [4, 20, 60, 12, 4],
        40: [12, 46, 26, 13, 3],
        60: [48, 24, 12, 13, 3],
        80: [66, 4, 10, 16, 4],
    }
    decade = by_age(knots)[5:101:10]
    decade = np.concatenate([decade, decade[-1:]])
    standing = np.array([[-0.5, -0.6, 0.1, 0.9, 0.2], [0.0] * 5, [0.4, 0.4, 0, -1.6, 0]])
    dwelling = np.array([[0.6, 0.6, -0.6, -0.9, 0], [0.1, 0.2, 0, 0.1, 0], [-0.5, -0.4, 0.4, 0.3, 0], [0.0] * 5])
    return Law(decade[:, None, None] + standing[:, None] + dwelling)


def _rooms(dwelling: Codes, standing: Codes, children: NDArray[np.integer], rng: np.random.Generator) -> Codes:
    mean = np.array([4.6, 4.0, 2.6, 2.2])[dwelling] + 0.5 * standing + 0.35 * children
    drawn = np.rint(mean + 1.1 * rng.standard_normal(len(mean), dtype=np.float32))
    rooms: Codes = np.clip(drawn, 1, 10).astype(np.uint8)
    return rooms
