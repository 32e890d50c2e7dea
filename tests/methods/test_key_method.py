"""Keys of households are keys: a step on persons leaves them as they are and counts them."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.methods.key_method import KeyMethod

HOMES = ["region", "tenure"]
PERSONS = ["age", "sex", "job"]


def people(n: int = 1500, regions: int = 4) -> ammg.Microdata:
    rng = np.random.default_rng(5)
    home = np.sort(rng.integers(0, n // 3, n))
    table = pl.DataFrame(
        {
            "home": home,
            "region": rng.integers(0, regions, n // 3)[home],
            "tenure": np.array(["owner", "tenant"])[rng.integers(0, 2, n // 3)[home]],
            "age": rng.integers(0, 9, n) * 10,
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(["a", "b", "c", "d", "e"], n),
            "illness": rng.choice(["flu", "cold", "mumps"], n),
            "w": rng.integers(20, 60, n).astype(float),
        }
    )
    data = ammg.Microdata(table).with_kinds(nominal="region", ordinal="age").with_levels(household=HOMES)
    return data.with_roles(household="home", weight="w", key=[*HOMES, *PERSONS], confidential="illness")


def look_alikes(table: pl.DataFrame, keys: list[str]) -> int:
    """The fewest records that agree with one, a missing value agreeing with all; counted record by record."""
    codes = np.column_stack([(table[name].cast(pl.String).rank("dense").fill_null(0)).to_numpy() for name in keys])
    return min(int(((codes == one) | (codes == 0) | (one == 0)).all(axis=1).sum()) for one in codes)


METHODS = [
    ammg.LocalSuppression(k=4, rounds=20),
    ammg.LocalSuppression(k=4, missing="category"),
    ammg.LocalSuppression(k=4, counted=0.5),
    ammg.OptimalRecoding(k=4, suppression=0.2),
    ammg.Mondrian(k=4),
    ammg.LocalRecoding(k=4, moves=500),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_records_that_look_alike_share_the_keys_of_their_households_too(method: KeyMethod) -> None:
    data = people()
    assert look_alikes(data.table, [*HOMES, *PERSONS]) == 1
    masked = ammg.Pipeline([method]).run(data, secret=1).table
    assert look_alikes(masked, [*HOMES, *PERSONS]) >= 4
    assert masked.select(HOMES).equals(data.table.select(HOMES))


@pytest.mark.parametrize("name", ["RiskSuppression", "RecordSuppression"])
def test_the_risk_of_a_person_counts_the_keys_of_the_household(name: str) -> None:
    data = people()
    masked = ammg.Pipeline([getattr(ammg, name)(threshold=0.02)]).run(data, secret=1)
    if name == "RiskSuppression":
        assert masked.table.select(HOMES).equals(data.table.select(HOMES))
    found = ammg.evaluate(masked, [ammg.IndividualRisk(threshold=0.02)])
    assert found["individual_risk"].facts["unsafe"] == 0


@pytest.mark.parametrize("method", [METHODS[0], *METHODS[3:]], ids=repr)
def test_rare_keys_of_households_are_refused_until_a_step_on_households_masks_them(method: KeyMethod) -> None:
    data = people(regions=400)
    with pytest.raises(
        InputError, match=r"region, tenure.*mask these household-level keys in an earlier step, or name"
    ):
        ammg.Pipeline([method]).run(data, secret=1)


def test_after_a_step_on_households_all_keys_together_reach_k() -> None:
    steps = [ammg.LocalSuppression(columns=HOMES, k=4, rounds=10), ammg.LocalSuppression(k=4, rounds=10)]
    masked = ammg.Pipeline(steps).run(people(regions=120), secret=1).table
    assert look_alikes(masked, [*HOMES, *PERSONS]) >= 4
    assert masked.group_by("home").agg(pl.col("region").n_unique())["region"].max() == 1


def test_a_step_on_named_columns_says_which_keys_it_does_not_count() -> None:
    masked = ammg.Pipeline([ammg.LocalSuppression(columns=PERSONS, k=4, rounds=10)]).run(people(), secret=1)
    assert "household-level keys (region, tenure) are not part of the equivalence classes" in str(masked.steps[0].notes)
