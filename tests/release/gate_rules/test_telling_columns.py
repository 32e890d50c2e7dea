"""The gate stops columns that tell what a masked one was, and lets others pass."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from stopped import noise, reasons

import ammg
from ammg.draws import CHUNK
from ammg.methods.method import Method
from ammg.pipeline.masked import Masked

MERGED = {"r0": "north", "r1": "north", "r2": "south", "r3": "south"}


def people(n: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    town = rng.integers(0, 20, n)
    return pl.DataFrame(
        {
            "town": [f"t{number}" for number in town],
            "region": [f"r{number % 4}" for number in town],
            "age": rng.integers(18, 90, n),
            "wage": rng.lognormal(8, 1, n).round(2),
        }
    )


def recoded(table: pl.DataFrame, **roles: str) -> Masked:
    data = ammg.Microdata(table).with_roles(key=["region", "age"], confidential="wage", **roles)
    return ammg.Pipeline([ammg.GlobalRecoding(columns=["region"], map=MERGED)]).run(data, secret=1)


def test_a_town_beside_a_masked_region_is_stopped() -> None:
    assert "'town' would be released and reveals what 'region' was" in reasons(recoded(people()))
    assert recoded(people().drop("town")).release().clearance.notes == ()


def test_a_few_wrong_entries_hide_no_relation_and_many_do() -> None:
    rng = np.random.default_rng(1)
    table, other = people(), pl.Series(rng.permutation(people()["region"].to_numpy()))
    few, many = (
        table.with_columns(pl.when(pl.Series(rng.random(600) < share)).then(other).otherwise("region").alias("region"))
        for share in (0.005, 0.1)
    )
    assert "'town' would be released" in reasons(recoded(few))
    assert recoded(many).release().clearance.reasons == ()


def test_a_column_as_fine_as_few_records_is_noted_and_members_of_a_household_tell_nothing() -> None:
    home = np.arange(600) // 3
    table = people().with_columns(home=pl.Series(home), rent=pl.Series(np.random.default_rng(2).random(200)[home]))
    table = table.with_columns(region=pl.col("region").first().over("home")).drop("town")
    assert any("'rent' would be released" in note for note in recoded(table.drop("home")).release().clearance.notes)
    assert recoded(table, household="home").release().clearance.notes == ()


def test_a_weight_that_tells_a_masked_region_is_noted() -> None:
    weights = pl.col("region").replace_strict({"r0": 10.5, "r1": 11.5, "r2": 12.5, "r3": 13.5})
    release = recoded(people().drop("town").with_columns(weight=weights), weight="weight").release()
    assert any("'weight' would be released and reveals what 'region' was" in note for note in release.clearance.notes)


@pytest.mark.parametrize("image", [pl.col("wage").log(), pl.col("wage").log().round(3), 1 / pl.col("wage")])
def test_a_column_in_the_order_of_a_masked_one_is_stopped(image: pl.Expr) -> None:
    data = ammg.Microdata(people().with_columns(image=image)).with_roles(key="age", confidential="wage")
    assert "'image' would be released and puts the records in the order" in reasons(noise("wage").run(data, secret=1))
    assert len(noise("wage", "image").run(data, secret=1).release()) == 600


def households() -> ammg.Microdata:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 7, 200)
    table = pl.DataFrame(
        {
            "home": np.repeat(np.arange(200), sizes),
            "size": np.repeat(sizes, sizes),
            "age": rng.integers(0, 90, sizes.sum()),
        }
    )
    return ammg.Microdata(table).with_roles(household="home", key=["size", "age"]).with_levels(household=["size"])


RECODED = ammg.GlobalRecoding(columns=["size"], cuts=[3])
AGES = ammg.GlobalRecoding(columns=["age"], cuts=[30, 60])
TOLD = "'home' would be released, and the number of its members reveals what 'size' was"


@pytest.mark.parametrize(
    "steps",
    [
        [RECODED, AGES],
        [RECODED, ammg.RandomIds(columns=["home"])],
        [ammg.AdditiveNoise(columns=["size"], where="home < 5"), AGES],
        [RECODED, ammg.Sampling(fraction=0.5, households=True)],
        [RECODED, ammg.CopulaSimulation(share=0.2)],
    ],
)
def test_a_masked_size_that_the_members_of_a_household_tell_is_stopped(steps: list[Method]) -> None:
    assert TOLD in reasons(ammg.Pipeline(steps).run(households(), secret=1))


@pytest.mark.parametrize(
    "steps",
    [
        [AGES],
        [RECODED, AGES, ammg.IdentifierRemoval(columns=["home"])],
        [RECODED, AGES, ammg.Sampling(fraction=0.5)],
    ],
)
def test_a_size_passes_as_it_is_or_without_the_household_number_or_where_members_are_missing(
    steps: list[Method],
) -> None:
    assert "members" not in " ".join(ammg.Pipeline(steps).run(households(), secret=1).release().clearance.notes)


def test_a_dropped_size_and_one_that_is_told_of_most_households_are_noted() -> None:
    dropped = ammg.Pipeline([AGES, ammg.IdentifierRemoval(columns=["size"])]).run(households(), secret=1)
    assert TOLD in " ".join(dropped.release().clearance.notes)
    sampled = ammg.Pipeline([RECODED, AGES, ammg.Sampling(fraction=0.9)]).run(households(), secret=1)
    assert "reveals, for most households, what 'size' was" in " ".join(sampled.release().clearance.notes)


def test_households_of_a_stream_are_counted_across_its_chunks(tmp_path: Path) -> None:
    n = CHUNK + 5_000
    sizes = np.random.default_rng(3).integers(1, 7, n)
    homes = np.repeat(np.arange(n), sizes)[:n]
    table = pl.DataFrame({"home": homes, "size": sizes[homes], "age": homes % 90})
    table = table.sample(fraction=1.0, shuffle=True, seed=1)  # members stand in different chunks
    table.write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(household="home", key=["size", "age"])
    assert TOLD in reasons(ammg.Pipeline([RECODED, AGES]).run(streamed, secret=1))
