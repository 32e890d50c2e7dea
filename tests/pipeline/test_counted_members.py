"""Risks count a masked household size as known where the release shows how many members a household has."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import CHUNK
from ammg.engines.local import LocalSource
from ammg.errors import DataWarning
from ammg.methods.method import Method
from ammg.pipeline import folded

AGES = ammg.GlobalRecoding(columns=["age"], cuts=[20, 40, 60])
SIZES = ammg.GlobalRecoding(columns=["size"], cuts=[3])
WITHOUT = ammg.IdentifierRemoval(columns=["home"])
MEASURES = [
    "k_anonymity",
    "frequency",
    "distance_linkage",
    "household_linkage",
    "target_unit",
    "suda",
]


def people(homes: int = 150) -> ammg.Microdata:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 7, homes)
    ages, sexes = rng.integers(0, 90, sizes.sum()), rng.choice(["f", "m"], sizes.sum())
    table = pl.DataFrame(
        {"home": np.repeat(np.arange(homes), sizes), "size": np.repeat(sizes, sizes), "age": ages, "sex": sexes}
    )
    data = ammg.Microdata(table).with_roles(household="home", key=["size", "age", "sex"])
    return data.with_levels(household="size")


def run(*steps: Method, data: ammg.Microdata | None = None) -> ammg.Masked:
    return ammg.Pipeline(list(steps)).run(data or people(), secret=1)


def risks(*steps: Method) -> dict[str, float]:
    found = ammg.evaluate(run(*steps), MEASURES, before=False)
    return {name: found.value(name) for name in found}


@pytest.mark.parametrize(
    "step", [SIZES, ammg.RankSwapping(columns=["size"], p=30), ammg.IdentifierRemoval(columns=["size"])]
)
def test_masking_the_size_lowers_no_risk_as_long_as_members_can_be_counted(step: Method) -> None:
    unmasked, masked = risks(AGES), risks(AGES, step)
    assert all(masked[name] >= unmasked[name] - 1e-12 for name in MEASURES)
    assert risks(AGES, step, WITHOUT)["distance_linkage"] < unmasked["distance_linkage"]


def test_a_size_left_as_it_is_and_a_file_without_a_household_number_have_the_risks_of_their_columns() -> None:
    for masked in (run(AGES), run(AGES, SIZES, WITHOUT), run(AGES, ammg.Sampling(fraction=0.5))):
        found = ammg.evaluate(masked, ["k_anonymity", "distance_linkage"], before=False)
        for name in found:
            alone = found.measures[name].measure(masked.pair, ammg.Scenario())
            assert found[name].value == alone.value
            assert "told_by_members" not in found[name].facts


def test_the_fact_says_which_columns_were_counted_and_each_record_has_its_risk() -> None:
    found = ammg.evaluate(run(AGES, SIZES), "distance_linkage", before=False)["distance_linkage"]
    assert found.facts["told_by_members"] == ("size",)
    assert found.people.by_record is not None
    assert len(found.people.by_record) == len(people())


def test_artificial_members_hide_no_size_from_who_recognises_them() -> None:
    unmasked = ammg.evaluate(run(AGES), "distance_linkage", before=False).value("distance_linkage")
    masked = run(AGES, SIZES, ammg.CopulaSimulation(share=0.3))
    assert ammg.evaluate(masked, "distance_linkage", before=False).value("distance_linkage") >= unmasked


def test_scores_and_first_answers_count_members_too() -> None:
    unmasked, masked, without = run(AGES), run(AGES, SIZES), run(AGES, SIZES, WITHOUT)
    assert ammg.records_below(masked, 3) == ammg.records_below(unmasked, 3) > ammg.records_below(without, 3)
    sums = [ammg.expected_reidentifications(file) for file in (unmasked, masked, without)]
    assert sums[0] == sums[1] > sums[2]
    frames = [ammg.record_risks(file) for file in (unmasked, masked, without)]
    assert frames[0].select("f", "F", "risk").equals(frames[1].select("f", "F", "risk"))
    swapped = run(ammg.RankSwapping(columns=["size"], p=30))
    score = ammg.evaluate(swapped, "sscore", before=False)["sscore"]
    assert score.facts["distance_linkage"] == ammg.evaluate(swapped, "distance_linkage").value("distance_linkage")
    assert score.facts["distance_linkage"] > ammg.DistanceLinkage().measure(swapped.pair, ammg.Scenario()).value


@pytest.fixture
def streamed(tmp_path: Path) -> tuple[ammg.Microdata, ammg.Microdata]:
    n = CHUNK + 3_000
    sizes = np.random.default_rng(3).integers(1, 7, n)
    homes = np.repeat(np.arange(n), sizes)[:n]
    table = pl.DataFrame({"home": homes, "size": sizes[homes], "age": homes % 90, "zone": homes % 7})
    table = table.sample(fraction=1.0, shuffle=True, seed=1)  # members stand in different chunks
    table.write_parquet(tmp_path / "in.parquet")
    here, there = ammg.Microdata(table), ammg.read(tmp_path / "in.parquet", stream=True)
    return tuple(data.with_roles(household="home", key=["size", "age", "zone"]) for data in (here, there))  # type: ignore[return-value]


def test_a_stream_is_read_where_members_tell_a_masked_size_and_says_so(
    streamed: tuple[ammg.Microdata, ammg.Microdata], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = (ammg.evaluate(run(SIZES, data=data), ammg.KAnonymity(k=30), before=False) for data in streamed)
    assert there.value("k_anonymity") == here.value("k_anonymity")
    assert there["k_anonymity"].facts["told_by_members"] == ("size",)
    monkeypatch.setattr(folded, "_MANY", 1_000)
    with pytest.warns(DataWarning, match="the number of released members reveals size, so that k_anonymity cannot be"):
        ammg.evaluate(run(SIZES, data=streamed[1]), "k_anonymity", before=False)


def test_other_streams_with_households_are_folded(
    streamed: tuple[ammg.Microdata, ammg.Microdata], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalSource, "collect", None)  # which would read the stream
    for steps in ([AGES], [AGES, SIZES, WITHOUT]):
        assert ammg.evaluate(run(*steps, data=streamed[1]), "k_anonymity").value("k_anonymity") is not None
