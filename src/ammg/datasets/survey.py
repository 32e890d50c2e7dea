"""A household survey of a fictitious country, simulated to any size with dependencies like those of real surveys.

Households are drawn first (region, form, number of children), then their members (age, sex, ethnic group, marital
status), then schooling, work and health, last the money. Each step draws from log-linear laws given the earlier ones,
so the keys depend on each other mainly in pairs. Records of a household stand together, the reference person first.

| column | kind | level | meaning |
|---|---|---|---|
| person_id | integer | person | number of the person, 1 to n |
| household_id | integer | household | number of the household |
| household_size | integer | household | members, 1 to 9, all of them in the file |
| region | category, 18 | household | region of the dwelling |
| urbanisation | ordered, 3 | household | city, town, rural |
| dwelling | category, 4 | household | type of building |
| tenure | category, 5 | household | owned, mortgaged, rented |
| rooms | integer | household | rooms of the dwelling, 1 to 10 |
| household_income | integer | household | sum of `income` over the members |
| weight | number | household | design weight, at least 1; the weights add up to about 40 million persons |
| relationship | category, 5 | person | to the reference person |
| sex | category, 2 | person | |
| age | integer | person | completed years, 0 to 100 |
| marital_status | category, 6 | person | married people live with their spouse; cohabiting ones keep their own status |
| ethnicity | category, 17 | person | ethnic group; one is large |
| education | ordered, 7 | person | highest level attended (under 16) or completed |
| activity | category, 10 | person | main activity; preschool child up to 5, pupil from 6 to 15 |
| occupation | category, 11 | person | major group (as ISCO); "none" for all who do not work |
| hours | integer | person | weekly hours of work, 0 for all who do not work |
| health | ordered, 5 | person | health as stated, very good to very bad |
| wages | integer | person | yearly wages; zero but for workers, some students, unemployed and retired |
| self_employment | integer | person | yearly profit of own business, Pareto tail of index 1.6 |
| pensions | integer | person | old-age, survivor's and disability pensions |
| capital_income | integer | person | interest, dividends and rents, Pareto tail of index 1.4 |
| other_income | integer | person | benefits and grants; child benefit goes to the reference person |
| income | integer | person | wages + self_employment + pensions + capital_income + other_income, exactly |
| taxes | integer | person | progressive tax on `income` less random reliefs |

There are no missing values and no negative amounts.

For studies of re-identification risk use `RISK_KEYS`: urbanisation, sex, age, marital_status, ethnicity and activity
span 3 × 2 × 101 × 6 × 17 × 10 = 618,120 cells.

Forty simple random samples of 1 % from `survey(1_000_000)`, seeds 0 to 3, gave:

| figure | least | mean | greatest |
|---|---|---|---|
| sample uniques, percent of the sample | 29.6 | 30.4 | 31.3 |
| τ1, sample uniques that are population uniques | 197 | 235 | 263 |
| τ2, sum of 1/F over sample uniques | 476 | 513 | 547 |
| independence model, estimate over true τ1 | 1.86 | 2.11 | 2.33 |
| independence model, estimate over true τ2 | 1.64 | 1.75 | 1.82 |

The model of all two-way interactions, fitted to the whole population of seed 1, expects τ1 = 238.6 and τ2 = 517.1 in a
sample; the truth is 241.1 and 520.4, so little is left to three-way terms. Fitted to a sample it over-fits (0.6 τ1,
0.75 τ2), while four pairs (age × marital_status, age × activity, sex × activity, sex × marital_status) come within 12 %
of τ1 and 6 % of τ2: the pattern of Skinner and Shlomo (2008) for census samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.datasets.population import vocabulary
from ammg.datasets.population.households import Households, draw_households
from ammg.datasets.population.money import draw_money
from ammg.datasets.population.people import draw_people
from ammg.errors import InputError
from ammg.forks import refuse_forked

if TYPE_CHECKING:
    import polars as pl

SURVEY_ROLES = {
    "person_id": "identifier",
    "household_id": "household",
    "household_size": "key",
    "region": "key",
    "urbanisation": "key",
    "dwelling": "other",
    "tenure": "other",
    "rooms": "other",
    "household_income": "confidential",
    "weight": "weight",
    "relationship": "other",
    "sex": "key",
    "age": "key",
    "marital_status": "key",
    "ethnicity": "key",
    "education": "key",
    "activity": "key",
    "occupation": "key",
    "hours": "other",
    "health": "confidential",
    "wages": "confidential",
    "self_employment": "confidential",
    "pensions": "confidential",
    "capital_income": "confidential",
    "other_income": "confidential",
    "income": "confidential",
    "taxes": "confidential",
}
"""Role of each column, in the order of the columns."""

SURVEY_LEVELS = {
    "household_id": "household",
    "household_size": "household",
    "region": "household",
    "urbanisation": "household",
    "dwelling": "household",
    "tenure": "household",
    "rooms": "household",
    "household_income": "household",
    "weight": "household",
}
"""The columns that are the same for all members of a household; every other column is of the person."""

RISK_KEYS = ("urbanisation", "sex", "age", "marital_status", "ethnicity", "activity")
"""Six keys whose cells are as sparse as those of a census sample."""

POPULATION = 40_000_000
_CHUNK = 1 << 18  # persons drawn at a time: their arrays stay in the processor's cache


def survey(n: int = 10_000, seed: int = 0) -> pl.DataFrame:
    """Return a household survey of exactly `n` persons, the same for the same seed."""
    if n < 1:
        raise InputError(f"survey(n={n}) has nobody to ask. Give n of at least 1.")
    import polars as pl

    refuse_forked()
    rng = np.random.Generator(np.random.PCG64(seed))
    frames: list[pl.DataFrame] = []
    households = 0
    for start in range(0, n, _CHUNK):
        homes = draw_households(min(_CHUNK, n - start), rng)
        frames.append(_frame(homes, start, households, POPULATION / n, rng))
        households += len(homes.age)
    return pl.concat(frames, rechunk=True)


def _frame(homes: Households, persons: int, households: int, weight: float, rng: np.random.Generator) -> pl.DataFrame:
    """Draw the people of these households and lay them out; ids go on from those already given."""
    import polars as pl

    people = draw_people(homes, rng)
    money = draw_money(homes, people, rng)
    row = people.household
    numbers = {
        "person_id": np.arange(persons + 1, persons + 1 + len(row), dtype=np.int32),
        "household_id": (row + households + 1).astype(np.int32),
        "household_size": homes.size.astype(np.int16)[row],
        "rooms": homes.rooms.astype(np.int16)[row],
        "age": people.age.astype(np.int16),
        "hours": people.hours.astype(np.int16),
        **vars(money),
        "weight": _weights(homes, weight, rng)[row],
    }
    categories = {
        "region": (homes.region[row], vocabulary.REGION),
        "urbanisation": (homes.urbanisation[row], vocabulary.URBANISATION),
        "dwelling": (homes.dwelling[row], vocabulary.DWELLING),
        "tenure": (homes.tenure[row], vocabulary.TENURE),
        "relationship": (people.relationship, vocabulary.RELATIONSHIP),
        "sex": (people.sex, vocabulary.SEX),
        "marital_status": (people.marital_status, vocabulary.MARITAL_STATUS),
        "ethnicity": (people.ethnicity, vocabulary.ETHNICITY),
        "education": (people.education, vocabulary.EDUCATION),
        "activity": (people.activity, vocabulary.ACTIVITY),
        "occupation": (people.occupation, vocabulary.OCCUPATION),
        "health": (people.health, vocabulary.HEALTH),
    }
    columns = [pl.Series(name, values) for name, values in numbers.items()]
    columns += [pl.Series(name, codes).cat.to(pl.Enum(labels)) for name, (codes, labels) in categories.items()]
    return pl.DataFrame(columns).select(list(SURVEY_ROLES))


def _weights(homes: Households, mean: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Design weights: small regions are sampled more, city people, the young and those alone answer less."""
    size = homes.size
    factor = np.exp(0.3 * rng.standard_normal(len(size)))
    factor *= np.linspace(1.25, 0.45, len(vocabulary.REGION))[homes.region]
    factor *= np.array([1.2, 1.0, 0.85])[homes.urbanisation]
    factor *= np.where(size == 1, 1.2, 1.0) * np.where(homes.age < 35, 1.15, 1.0)
    return np.round(1 + max(mean - 1, 0) * factor / 1.16, 2)
