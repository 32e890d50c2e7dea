"""Files as an intruder sees them who counts the members of households."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.pairs.members import counted_columns, told_columns, views
from ammg.data.published import Recoding
from ammg.methods.method import Method

MERGED = ammg.GlobalRecoding(columns=["size"], cuts=[3])
AGES = ammg.GlobalRecoding(columns=["age"], cuts=[30, 60])


def households(homes: int = 150) -> ammg.Microdata:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 7, homes)
    table = pl.DataFrame(
        {
            "home": np.repeat(np.arange(homes), sizes),
            "size": np.repeat(sizes, sizes),
            "rent": np.repeat(rng.integers(3, 9, homes), sizes),
            "age": rng.integers(0, 90, sizes.sum()),
        }
    )
    data = ammg.Microdata(table).with_roles(household="home", key=["size", "age"])
    return data.with_levels(household=["size", "rent"])


def run(*steps: Method) -> Pair:
    return ammg.Pipeline(list(steps)).run(households(), secret=1).pair


@pytest.mark.parametrize(
    "step",
    [
        MERGED,
        ammg.RankSwapping(columns=["size"], p=30),
        ammg.AdditiveNoise(columns=["size"], p=1.0),
        ammg.UnivariateMicroaggregation(columns=["size"], k=20),
        ammg.TopCoding(columns=["size"], threshold=4),
        ammg.AdditiveNoise(columns=["size"], where="home < 9"),
        ammg.IdentifierRemoval(columns=["size"]),
    ],
    ids=lambda step: step.name + str(step.where or ""),
)
def test_a_masked_size_is_seen_as_it_was(step: Method) -> None:
    pair = run(step, ammg.AdditiveNoise(columns=["rent"]))
    counted = views(pair)[1]
    assert counted_columns(pair) == ("size",)
    assert counted.masked.table["size"].equals(pair.original.table["size"])
    others = ["home", "rent", "age"]
    assert counted.masked.table.select(others).equals(pair.masked.table.select(others))


def test_a_few_suppressed_sizes_are_seen_too() -> None:
    table = households().table.with_columns(pl.when(pl.col("home") > 3).then("size"))
    pair = Pair(households(), ammg.Microdata(table, households().schema), np.arange(len(table)))
    assert views(pair)[1].masked.table["size"].equals(households().table["size"])


def test_nothing_is_counted_without_a_household_number_or_where_the_size_is_released_as_it_is() -> None:
    for pair in (
        run(AGES),
        run(MERGED, ammg.IdentifierRemoval(columns=["home"])),
        run(ammg.AdditiveNoise(columns=["rent"])),
        run(AGES, ammg.Sampling(fraction=0.5)),
        Pair.identity(households()),
    ):
        assert views(pair) == (pair,)


def right_guesses(pair: Pair) -> float:
    truth = pl.Series(pair.original.table["size"].to_numpy()[pair.link])
    return float((views(pair)[1].masked.table["size"] == truth).mean())  # type: ignore[arg-type]


def test_whole_households_in_a_sample_tell_their_size_and_others_a_lower_bound() -> None:
    assert right_guesses(run(MERGED, ammg.Sampling(fraction=0.5, households=True))) == 1.0
    some = [right_guesses(run(MERGED, ammg.Sampling(fraction=fraction))) for fraction in (0.95, 0.8, 0.6)]
    assert 1 > some[0] > some[1] > some[2] > 0.3
    assert len(views(run(MERGED, ammg.Sampling(fraction=0.1)))) == 1


def test_a_guess_by_a_lower_bound_also_uses_the_released_class() -> None:
    pair = run(MERGED, ammg.Sampling(fraction=0.6))
    guessed = views(pair)[1].masked.table["size"]
    large = (pair.masked.codes("size")[0] == 1) & (guessed.to_numpy() < 3)
    assert pair.masked.dictionary("size")[1] == "≥ 3"
    assert large.mean() < 0.05  # where fewer than five households show the same, the number alone is used


def test_other_facts_stay_published_and_what_is_said_of_the_size_does_not() -> None:
    pair = run(AGES, ammg.GlobalRecoding(columns=["size"], cuts=[3]))
    assert {name for fact in views(pair)[1].published for name in fact.columns} == {"age"}
    assert views(pair)[1].recodings("age") and not views(pair)[1].recodings("size")


def test_without_a_link_the_original_tells_what_the_numbers_of_members_mean() -> None:
    pair = run(MERGED)
    unlinked = Pair(pair.original, pair.masked, None)
    assert views(unlinked)[1].masked.table["size"].equals(pair.original.table["size"])


def test_a_replay_of_the_recipe_leaves_the_size_alone() -> None:
    pair = run(AGES, MERGED)
    replayed = views(pair)[1].again
    assert replayed is not None
    again = replayed(households(), 5)
    assert again.masked.table["size"].equals(households().table["size"])
    assert not again.masked.table["age"].equals(households().table["age"])


def test_records_without_a_household_number_have_no_guess() -> None:
    pair = run(MERGED)
    table = pair.masked.table.with_columns(pl.when(pl.col("home") > 3).then("home"))
    gaps = Pair(pair.original, ammg.Microdata(table, pair.masked.schema), pair.link)
    assert views(gaps)[1].masked.table["size"].is_null().equals(table["home"].is_null())


def test_shares_of_columns_are_those_of_the_file_itself() -> None:
    shares = told_columns(households(), "home", ["size", "rent", "age"])
    assert shares["size"] == 1.0
    assert max(shares["rent"], shares["age"]) < 0.3


def test_facts_about_several_columns_lose_those_that_are_known() -> None:
    fact = Recoding(("a", "b"), ("any",), bounds=())
    assert fact.without({"a"}) == Recoding(("b",), ("any",), bounds=())
    assert fact.without({"a", "b"}) is None
    assert fact.without({"c"}) is fact
