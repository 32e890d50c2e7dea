"""What people earn, receive and pay in a year, in whole currency units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.datasets.population.households import Households
from ammg.datasets.population.law import Integers, chance
from ammg.datasets.population.people import People
from ammg.datasets.population.vocabulary import (
    CHILD,
    DISABLED,
    FEMALE,
    FULL_TIME,
    INACTIVE,
    MARRIED,
    PART_TIME,
    RETIRED,
    SELF_EMPLOYED,
    STUDENT,
    UNEMPLOYED,
    WIDOWED,
)

Rows = NDArray[np.intp]
Amounts = NDArray[np.float32]

GREATEST = 5_000_000  # of one kind of income: the sum over a household stays a 32-bit integer
CHILD_BENEFIT = 2_400

# none, mgr, prof, tech, clerk, service, farm, craft, machine, elementary, armed
_OCCUPATION = np.array([-0.35, 0.45, 0.3, 0.12, -0.05, -0.25, -0.3, 0.0, -0.05, -0.35, 0.1], dtype=np.float32)
_EDUCATION = np.array([0, -0.2, -0.12, 0, 0.05, 0.18, 0.32], dtype=np.float32)
_STANDING = np.array([-0.08, 0, 0.12], dtype=np.float32)
_URBAN = np.array([0.06, 0, -0.05], dtype=np.float32)


@dataclass(frozen=True)
class Money:
    """One amount per person; `income` is the exact sum of the five kinds above it."""

    wages: Integers
    self_employment: Integers
    pensions: Integers
    capital_income: Integers
    other_income: Integers
    income: Integers
    taxes: Integers
    household_income: Integers


def draw_money(homes: Households, people: People, rng: np.random.Generator) -> Money:
    """Draw the five kinds of income and the taxes of every person."""
    talent = rng.standard_normal(len(people.age), dtype=np.float32)
    kinds = (
        _wages(homes, people, talent, rng),
        _self_employment(homes, people, talent, rng),
        _pensions(people, talent, rng),
        _capital_income(homes, people, rng),
        _other_income(people, rng),
    )
    income = kinds[0] + kinds[1] + kinds[2] + kinds[3] + kinds[4]
    total = np.add.reduceat(income, people.first)[people.household]
    return Money(*kinds, income=income, taxes=_taxes(income, people, rng), household_income=total)


def _wages(homes: Households, people: People, talent: Amounts, rng: np.random.Generator) -> Integers:
    odds = np.zeros(10, dtype=np.float32)
    odds[[STUDENT, FULL_TIME, PART_TIME, SELF_EMPLOYED, UNEMPLOYED, RETIRED]] = 0.3, 1, 1, 0.08, 0.35, 0.05
    rows = np.flatnonzero(chance(rng, odds[people.activity] * (people.age > 15), len(talent)))
    hours = np.maximum(people.hours[rows], np.uint8(9)).astype(np.float32)
    hours[people.activity[rows] == SELF_EMPLOYED] = 7
    level = 10.35 + np.log(hours / 40) + _worth(homes, people, rows) + 0.36 * talent[rows]
    amount = np.exp(level) * _tail(rng, len(rows), 3.5, 2.1)
    # Many answer in round figures.
    rounded = chance(rng, 0.35, len(rows))
    amount[rounded] = 100 * np.rint(amount[rounded] / 100)
    return _amounts(len(talent), rows, amount)


def _self_employment(homes: Households, people: People, talent: Amounts, rng: np.random.Generator) -> Integers:
    odds = np.zeros(10, dtype=np.float32)
    odds[[FULL_TIME, PART_TIME, SELF_EMPLOYED, RETIRED, UNEMPLOYED]] = 0.04, 0.06, 1, 0.02, 0.02
    rows = np.flatnonzero(chance(rng, odds[people.activity], len(talent)))
    main = people.activity[rows] == SELF_EMPLOYED
    level = np.where(main, np.float32(10.1), np.float32(8.0)) + _worth(homes, people, rows) + 0.4 * talent[rows]
    level += 0.6 * rng.standard_normal(len(rows), dtype=np.float32)
    return _amounts(len(talent), rows, np.exp(level) * _tail(rng, len(rows), 3.0, 1.6))


def _pensions(people: People, talent: Amounts, rng: np.random.Generator) -> Integers:
    odds = np.zeros(10, dtype=np.float32)
    odds[[RETIRED, DISABLED]] = 0.97, 0.5
    chances = np.maximum(odds[people.activity], 0.4 * ((people.marital_status == WIDOWED) & (people.age > 45)))
    rows = np.flatnonzero(chance(rng, chances, len(talent)))
    level = 9.65 + 1.3 * _EDUCATION[people.education[rows]] - 0.28 * (people.sex[rows] == FEMALE)
    level += 0.32 * talent[rows] - 0.4 * (people.activity[rows] != RETIRED)
    return _amounts(len(talent), rows, np.exp(level.astype(np.float32)) * _tail(rng, len(rows), 4.5, 2.5))


def _capital_income(homes: Households, people: People, rng: np.random.Generator) -> Integers:
    age, standing = people.age, homes.standing[people.household]
    odds = (
        np.clip((age.astype(np.float32) - 16) / 130, 0, 0.42) * np.array([0.35, 0.8, 1.5], dtype=np.float32)[standing]
    )
    rows = np.flatnonzero(chance(rng, odds, len(age)))
    level = 5.2 + 0.02 * age[rows].astype(np.float32) + 0.55 * standing[rows]
    level += 1.25 * rng.standard_normal(len(rows), dtype=np.float32)
    return _amounts(len(age), rows, np.exp(level) * _tail(rng, len(rows), 2.5, 1.4))


def _other_income(people: People, rng: np.random.Generator) -> Integers:
    odds = np.zeros(10, dtype=np.float32)
    odds[[STUDENT, UNEMPLOYED, DISABLED, INACTIVE, FULL_TIME, PART_TIME]] = 0.35, 0.8, 0.75, 0.5, 0.03, 0.08
    mean = np.full(10, 1_500, dtype=np.float32)
    mean[[STUDENT, UNEMPLOYED, DISABLED, INACTIVE]] = 4_200, 9_500, 8_800, 4_000
    rows = np.flatnonzero(chance(rng, odds[people.activity] * (people.age > 15), len(people.age)))
    amount = mean[people.activity[rows]] * (0.4 + 0.3 * rng.standard_gamma(2, len(rows), dtype=np.float32))
    received = _amounts(len(people.age), rows, amount)
    young = ((people.age < 18) & (people.relationship == CHILD)).astype(np.int32)
    received[people.first] += CHILD_BENEFIT * np.add.reduceat(young, people.first)
    return received


def _taxes(income: Integers, people: People, rng: np.random.Generator) -> Integers:
    brackets = [0, 10_000, 25_000, 60_000, 150_000, 10_000_000]
    due = np.interp(income, brackets, [0, 0, 3_000, 14_000, 51_500, 4_483_750])
    relief = 0.2 * rng.random(len(income), dtype=np.float32) + 0.08 * (people.marital_status == MARRIED)
    taxes: Integers = np.floor(due * (1 - relief)).astype(np.int32)
    return taxes


def _worth(homes: Households, people: People, rows: Rows) -> Amounts:
    """Log of what an hour of work is worth: education and occupation, experience, sex, place."""
    household = people.household[rows]
    age = people.age[rows].astype(np.float32)
    female = people.sex[rows] == FEMALE
    worth = _OCCUPATION[people.occupation[rows]] + _EDUCATION[people.education[rows]]
    worth += _STANDING[homes.standing[household]] + _URBAN[homes.urbanisation[household]]
    worth += 0.08 * np.cos(1.3 * homes.region[household].astype(np.float32))
    worth -= np.float32(0.00055) * (age - 50) ** 2 * np.where(female, np.float32(0.8), np.float32(1))
    worth -= np.float32(0.1) * female
    return worth


def _tail(rng: np.random.Generator, size: int, start: float, index: float) -> Amounts:
    """Factors that are 1 but for a share exp(-start), where they follow a Pareto law with this index."""
    excess = np.maximum(rng.standard_exponential(size, dtype=np.float32) - start, 0)
    factor: Amounts = np.exp(excess / index, dtype=np.float32)
    return factor


def _amounts(size: int, rows: Rows, amount: Amounts) -> Integers:
    """Whole positive amounts in these rows, zero elsewhere."""
    column = np.zeros(size, dtype=np.int32)
    column[rows] = np.clip(np.rint(amount), 1, GREATEST)
    return column
