"""The members of households: who they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ammg.datasets.population.careers import draw_careers, draw_hours, health_law
from ammg.datasets.population.households import (
    ALONE,
    EXTENDED,
    LONE_PARENT,
    MARRIAGE,
    REGISTERED_UNION,
    Households,
    ethnicity_law,
)
from ammg.datasets.population.law import AGES, Codes, Law, by_age, chance, log_shares
from ammg.datasets.population.vocabulary import (
    CHILD,
    HISTORY,
    MARRIED,
    MIXED,
    OTHER,
    PARENT,
    PARTNER,
    PARTNERSHIP,
    REFERENCE,
)


@dataclass(frozen=True)
class People:
    """One value per person; `household` is the row of their household, `first` where each household begins."""

    household: NDArray[np.intp]
    first: NDArray[np.intp]
    relationship: Codes
    sex: Codes
    age: Codes
    marital_status: Codes
    ethnicity: Codes
    education: Codes
    activity: Codes
    occupation: Codes
    hours: Codes
    health: Codes


def draw_people(homes: Households, rng: np.random.Generator) -> People:
    """Draw the members of all households, household by household, the reference person first."""
    size = homes.size
    household = np.repeat(np.arange(len(size)), size)
    first = np.cumsum(size) - size
    relationship = _relationship(homes, household, np.arange(len(household)) - first[household])
    age = _age(homes, household, first, relationship, rng)
    sex = _sex(homes, household, relationship, age, rng)
    ethnicity = _ethnicity(homes, household, first, relationship, age, rng)
    history, urban, standing = HISTORY[ethnicity], homes.urbanisation[household], homes.standing[household]

    marital = _unmarried().draw(rng, age, sex, (homes.form[household] == LONE_PARENT) & (relationship == REFERENCE))
    in_union = ((relationship == REFERENCE) & homes.paired[household]) | (relationship == PARTNER)
    marital[in_union & (homes.union[household] == MARRIAGE)] = MARRIED
    marital[in_union & (homes.union[household] == REGISTERED_UNION)] = PARTNERSHIP

    education, activity, occupation = draw_careers(age, sex, marital, urban, history, standing, rng)
    return People(
        household=household,
        first=first,
        relationship=relationship,
        sex=sex,
        age=age,
        marital_status=marital,
        ethnicity=ethnicity,
        education=education,
        activity=activity,
        occupation=occupation,
        hours=draw_hours(activity, rng),
        health=health_law().draw(rng, age, sex, standing),
    )


def _relationship(homes: Households, household: NDArray[np.intp], position: NDArray[np.intp]) -> Codes:
    paired = homes.paired
    core = (paired + homes.children + np.uint8(1))[household]
    extra = np.where(homes.form == EXTENDED, PARENT, OTHER).astype(np.uint8)[household]
    relationship = np.where(position < core, np.uint8(CHILD), extra)
    relationship[(position == 1) & paired[household]] = PARTNER
    relationship[position == 0] = REFERENCE
    return relationship


def _age(
    homes: Households,
    household: NDArray[np.intp],
    first: NDArray[np.intp],
    relationship: Codes,
    rng: np.random.Generator,
) -> Codes:
    age = homes.age[household].astype(np.float32)
    partner = np.flatnonzero(relationship == PARTNER)
    # Folding back at the least age, where clipping would pile people up.
    age[partner] = 18 + np.abs(np.rint(age[partner] - 19 + 4 * rng.standard_normal(len(partner), dtype=np.float32)))
    head, second = age[first], age[np.minimum(first + 1, len(age) - 1)]
    younger = np.where(homes.paired, np.minimum(head, second), head)
    older = np.where(homes.paired, np.maximum(head, second), head)

    child = np.flatnonzero(relationship == CHILD)
    parent = younger[household[child]]
    least, most = np.maximum(parent - 44, 0), np.minimum(parent - 18, 34)
    age[child] = np.floor(least + (most - least + 1) * rng.random(len(child), dtype=np.float32))
    parents = np.flatnonzero(relationship == PARENT)
    age[parents] = older[household[parents]] + 18 + np.floor(18 * rng.random(len(parents), dtype=np.float32))
    mates = np.flatnonzero(relationship == OTHER)
    age[mates] = 16 + np.abs(np.rint(age[mates] - 16 + 7 * rng.standard_normal(len(mates), dtype=np.float32)))
    return np.clip(age, 0, 100).astype(np.uint8)


def _sex(
    homes: Households, household: NDArray[np.intp], relationship: Codes, age: Codes, rng: np.random.Generator
) -> Codes:
    # 0 others, 1 the head of a couple, 2 a lone parent, 3 alone or a parent who moved in
    situation = np.where(homes.paired, 1, 0).astype(np.uint8)
    situation[homes.form == LONE_PARENT] = 2
    situation[homes.form == ALONE] = 3
    situation = np.where(relationship == REFERENCE, situation[household], np.uint8(0))
    situation[relationship == PARENT] = 3
    sex = _sex_law().draw(rng, situation, age)
    partner = np.flatnonzero(relationship == PARTNER)
    same = chance(rng, 0.015, len(partner))
    sex[partner] = sex[partner - 1] ^ ~same
    return sex


def _ethnicity(
    homes: Households,
    household: NDArray[np.intp],
    first: NDArray[np.intp],
    relationship: Codes,
    age: Codes,
    rng: np.random.Generator,
) -> Codes:
    head = homes.ethnicity[household]
    drawn = ethnicity_law().draw(rng, homes.region[household], homes.urbanisation[household], age // 10)
    own = (relationship == OTHER) | ((relationship == PARTNER) & chance(rng, 0.3, len(head)))
    ethnicity = np.where(own, drawn, head)
    second = ethnicity[np.minimum(first + 1, len(head) - 1)][household]
    blended = np.flatnonzero((relationship == CHILD) & homes.paired[household] & (second != head))
    ethnicity[blended] = np.where(chance(rng, 0.5, len(blended)), np.uint8(MIXED), second[blended])
    return ethnicity


@cache
def _sex_law() -> Law:
    female = np.array([np.interp(AGES, [0, 60, 90], shares) for shares in
                       [[0.49, 0.5, 0.6], [0.36, 0.3, 0.2], [0.87, 0.8, 0.7], [0.42, 0.56, 0.8]]])  # fmt: skip
    return Law(log_shares(np.stack([1 - female, female], axis=-1)))


@cache
def _unmarried() -> Law:
    """Marital status of everyone who is not in a registered union, given age, sex and lone parenthood."""
    base = by_age(
        {
            0: [100, 0, 0, 0, 0, 0],
            19: [100, 0, 0, 0, 0, 0],
            25: [97, 0, 0, 1.5, 1.5, 0.02],
            35: [80, 0, 0, 6, 13.5, 0.4],
            50: [46, 0, 0, 9, 40, 5],
            65: [20, 0, 0, 5, 42, 33],
            80: [9, 0, 0, 1.5, 13, 76],
            100: [6, 0, 0, 0.3, 4, 90],
        }
    )
    sex = np.array([[0.3, 0, 0, 0, 0, -1.0], [-0.1, 0, 0, 0, 0.1, 0.4]])
    lone = np.array([[0.0] * 6, [-0.7, 0, 0, 1.0, 0.9, 0.9]])
    return Law(base[:, None, None] + sex[:, None] + lone)
