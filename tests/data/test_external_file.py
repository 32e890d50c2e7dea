"""A voter list in the place of the original: attacks on a release by somebody who holds other records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.external_file import ExternalFile
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined

ATTACKS = [ammg.DistanceLinkage(), ammg.ProbabilisticLinkage(), ammg.WorstCase()]


@pytest.fixture(scope="module")
def people() -> ammg.Microdata:
    table = ammg.datasets.survey(400, seed=8)
    return ammg.Microdata(table).with_roles(identifier="person_id", key=["region", "sex", "age", "wages"])


@pytest.fixture(scope="module")
def masked(people: ammg.Microdata) -> ammg.Masked:
    return ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"], p=0.3), ammg.IdentifierRemoval()]).run(people, 1)


def voters(table: pl.DataFrame, **settings: object) -> Scenario:
    held = ammg.Microdata(table.select("person_id", "age", "sex", "region", "wages"))
    return Scenario(external=ExternalFile(data=held, match="person_id"), **settings)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_list_of_the_same_people_finds_as_many_as_the_original(people, masked, attack):
    usual = attack.measure(masked.pair, Scenario())
    held = attack.measure(masked.pair, voters(people.table))
    assert held.value == usual.value
    # Links one to one break ties by the order of the people, which differs between the two files.
    assert np.abs(held.people.by_record - usual.people.by_record).mean() < 0.005


def test_the_order_of_the_list_does_not_matter(people, masked):
    shuffled = people.table.sample(fraction=1.0, shuffle=True, seed=4)
    usual = ammg.DistanceLinkage().measure(masked.pair, Scenario())
    held = ammg.DistanceLinkage().measure(masked.pair, voters(shuffled))
    # Links one to one break ties by the order of the people, which differs between the two files.
    assert np.abs(held.people.by_record - usual.people.by_record).mean() < 0.005
    assert held.facts.items() >= {"external_people": 400, "external_records": 400}.items()


def more_people(people: ammg.Microdata) -> pl.DataFrame:
    """The people and as many again whose wages lie between those of people like them."""
    others = people.table.with_columns(
        person_id=pl.int_range(100_000, 100_000 + pl.len()).cast(people.table["person_id"].dtype),
        wages=(pl.col("wages") * 1.01).cast(people.table["wages"].dtype),
    )
    return pl.concat([others, people.table])


@pytest.mark.parametrize("attack", ATTACKS[:2], ids=lambda attack: attack.name)
def test_people_who_are_not_in_the_data_stand_in_the_way(people, masked, attack):
    usual = attack.measure(masked.pair, Scenario())
    among_others = attack.measure(masked.pair, voters(more_people(people)))
    assert among_others.value < usual.value - 0.05
    assert among_others.facts.items() >= {"external_people": 800, "external_records": 400}.items()
    assert among_others.facts["records"] == 400


def test_records_of_people_who_are_not_on_the_list_are_not_sought(people, masked):
    measured = ammg.DistanceLinkage().measure(masked.pair, voters(people.table.head(100)))
    assert measured.facts["records"] == 100
    assert not measured.people.by_record[100:].any()


def test_targets_and_what_is_known_of_them_follow_the_people_to_the_list(people, masked):
    reverse = people.table.reverse()
    settings = {"targets": (3, 17, 200), "known_by_record": {17: ("sex", "wages")}}
    usual = ammg.DistanceLinkage().measure(masked.pair, Scenario(**settings))
    held = ammg.DistanceLinkage().measure(masked.pair, voters(reverse, **settings))
    # Links one to one break ties by the order of the people, which differs between the two files.
    assert np.abs(held.people.by_record - usual.people.by_record).mean() < 0.005
    assert held.facts["records"] == 3


def test_swapped_ranks_stay_in_their_windows_among_more_people(people):
    swapped = ammg.Pipeline([ammg.RankSwapping(columns=["wages"], p=5)]).run(people, 2)
    measured = ammg.RankWindowLinkage().measure(swapped.pair, voters(more_people(people), known=("wages",)))
    assert measured.facts["holds_truth"] > 0.95


def test_values_are_compared_in_the_type_of_the_data(people, masked):
    as_text = people.table.with_columns(pl.col("age").cast(pl.String), pl.col("person_id").cast(pl.Float64))
    usual = ammg.DistanceLinkage().measure(masked.pair, Scenario())
    assert ammg.DistanceLinkage().measure(masked.pair, voters(as_text)).value == pytest.approx(usual.value)
    words = people.table.with_columns(age=pl.lit("young"))
    with pytest.raises(InputError, match="'age' of the external file has 400 values that are not Int"):
        ammg.DistanceLinkage().measure(masked.pair, voters(words))


def test_files_that_cannot_be_joined_are_refused_with_the_reason(people, masked):
    attack = ammg.DistanceLinkage()
    table = people.table

    def against(frame: pl.DataFrame, match: str = "person_id", **settings: object) -> None:
        external = ExternalFile(data=ammg.Microdata(frame), match=match)
        attack.measure(masked.pair, Scenario(external=external, **settings))

    with pytest.raises(InputError, match=r"'person' is not in the data. Did you mean 'person_id'"):
        against(table, "person")
    with pytest.raises(InputError, match="'person_id' is not in the external file"):
        against(table.select("age"))
    with pytest.raises(InputError, match="'person_id' has 1 values more than once in the external file"):
        against(pl.concat([table, table.head(1)]))
    with pytest.raises(NotDefined, match="no attribute in common"):
        against(table.select("person_id", shoe_size=pl.lit(40)))
    with pytest.raises(NotDefined, match="no attribute that the scenario calls known"):
        against(table.select("person_id", "pensions"))
    with pytest.raises(InputError, match="'wages' is not in the external file"):
        against(table.select("person_id", "age"), known=("wages",))
    with pytest.raises(NotDefined, match="no masked record stands for a target"):
        against(table.with_columns(person_id=-np.arange(1, 401)))
    with pytest.raises(InputError, match=r"'voters.csv' has not been read yet"):
        attack.measure(masked.pair, Scenario(external=ExternalFile(path="voters.csv", match="person_id")))
