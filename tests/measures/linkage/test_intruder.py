"""What a scenario says, and which measures listen: every risk of single records by every field of the scenario."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.external_file import ExternalFile
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.linkage.intruder import Knowledge, Search

KNOWN = ("place", "age", "pay", "rent")
FEWER = ("place", "pay")
PLACES = tuple("abcdef")
SURE, UNSURE = 0.85, np.full((6, 6), 0.03)


def people(n: int = 160) -> ammg.Microdata:
    """Illness goes with the place, debt with the pay."""
    rng = np.random.default_rng(12)
    place = rng.integers(0, 6, n)
    pay = np.round(rng.lognormal(3, 0.6, n))
    ill = np.where(rng.random(n) < 0.8, place, rng.integers(0, 6, n))
    table = pl.DataFrame(
        {
            "id": np.arange(n) + 1000,
            "place": np.array(PLACES)[place],
            "age": rng.integers(20, 70, n).astype(float),
            "pay": pay,
            "rent": rng.lognormal(2, 0.5, n),
            "ill": ill.astype(str),
            "debt": pay * rng.lognormal(0, 0.01, n),
        }
    )
    return ammg.Microdata(table).with_roles(identifier="id", key=list(KNOWN), confidential=["ill", "debt"])


DATA = people()
STEPS = {
    "noise": ammg.AdditiveNoise(columns=["pay", "rent"], p=0.1),
    "swaps": ammg.RankSwapping(columns=["pay", "rent"], p=8),
    "groups": ammg.UnivariateMicroaggregation(columns=["pay", "rent"], k=4),
}


def masked(step: str) -> Pair:
    if step == "nothing":
        return Pair.identity(DATA)
    if step != "pram":
        return ammg.Pipeline([STEPS[step]]).run(DATA, 3).pair
    rng = np.random.default_rng(3)
    places = np.where(rng.random(len(DATA)) < SURE - 0.03, DATA.table["place"], rng.choice(PLACES, len(DATA)))
    matrix = UNSURE + (SURE - 0.03) * np.eye(6)
    released = ammg.Microdata(DATA.table.with_columns(place=pl.Series(places)), DATA.schema)
    return Pair(DATA, released, np.arange(len(DATA)), (Transition(("place",), matrix, PLACES),))


MEASURES = {
    "distance": (ammg.DistanceLinkage(), "noise"),
    "one to one": (ammg.DistanceLinkage(one_to_one=True), "noise"),
    "probabilistic": (ammg.ProbabilisticLinkage(), "noise"),
    "rank windows": (ammg.RankWindowLinkage(), "swaps"),
    "noise law": (ammg.NoiseLawLinkage(), "noise"),
    "groups": (ammg.GroupLinkage(), "groups"),
    "transition": (ammg.TransitionLinkage(), "pram"),
    "residual": (ammg.ResidualLinkage(), "noise"),
    "intact": (ammg.IntactRecords(), "nothing"),
    "inference": (ammg.AttributeInference(), "noise"),
    "target unit": (ammg.TargetUnit(), "nothing"),
    "worst case": (ammg.WorstCase(), "noise"),
    "rank intervals": (ammg.RankIntervalDisclosure(), "noise"),
    "deviation intervals": (ammg.DeviationIntervalDisclosure(), "noise"),
}
INTERVALS = {"rank intervals", "deviation intervals"}
LISTENING = [name for name in MEASURES if name not in INTERVALS]


def measured(name: str, **settings: object) -> ammg.Measurement:
    measure, step = MEASURES[name]
    return measure.measure(masked(step), Scenario(**settings))


def register(table: pl.DataFrame) -> ExternalFile:
    return ExternalFile(data=ammg.Microdata(table.select("id", *KNOWN)), match="id")


@pytest.mark.parametrize("name", LISTENING)
def test_who_knows_less_finds_less(name):
    assert measured(name, known=FEWER).value < measured(name, known=KNOWN).value


@pytest.mark.parametrize("name", LISTENING)
def test_what_is_known_of_each_person_apart_counts_as_what_is_known_of_all(name):
    of_all = measured(name, known=FEWER)
    of_each = measured(name, known=KNOWN, known_by_record=dict.fromkeys(range(len(DATA)), FEWER))
    assert of_each.value == pytest.approx(of_all.value)
    assert of_each.people.by_record == pytest.approx(of_all.people.by_record)


@pytest.mark.parametrize("name", MEASURES)
def test_only_targets_are_sought(name):
    chosen = np.array([3, 8, 50, 51, 120])
    found = measured(name, targets=tuple(chosen.tolist()))
    assert found.people.by_record[chosen].any()
    assert not np.delete(found.people.by_record, chosen).any()
    if name not in {"residual", "worst case"}:  # these learn from the people sought
        usual = measured(name)
        assert found.people.by_record[chosen] == pytest.approx(usual.people.by_record[chosen])
    if name != "inference":  # its value is above what the margins tell
        assert found.value == pytest.approx(
            found.people.by_record[chosen].mean(), abs=0.25 if name == "worst case" else 1e-12
        )


@pytest.mark.parametrize("name", LISTENING)
def test_errors_of_measurement_protect_and_do_not_blind(name):
    spread = {column: DATA.table[column].std() for column in KNOWN[1:]}
    sure = measured(name).value
    slightly = {column: 0.003 * value for column, value in spread.items()}
    if name == "transition":  # Bayes' rule for categories leaves numbers out that are not known for sure
        slightly = {"place": 0.05}
    slight = measured(name, error=slightly).value
    wild = measured(name, error={"place": 1.0, **{column: 20 * value for column, value in spread.items()}}).value
    assert wild < 0.3 * sure
    assert slight > 0.5 * sure


@pytest.mark.parametrize("name", LISTENING)
def test_a_register_of_the_same_people_finds_whom_the_original_finds(name):
    shuffled = DATA.table.sample(fraction=1.0, shuffle=True, seed=4)
    usual, holding = measured(name, known=KNOWN), measured(name, external=register(shuffled))
    if name == "intact":  # of the register alone it is known what stands in it
        usual = ammg.IntactRecords(columns=KNOWN).measure(masked("nothing"), Scenario())
    assert holding.people.by_record == pytest.approx(usual.people.by_record)
    assert holding.value == pytest.approx(usual.value)


@pytest.mark.parametrize("name", LISTENING)
def test_a_register_that_is_wrong_finds_hardly_anybody(name):
    wrong = DATA.table.with_columns(pl.col(name).shuffle(seed=seed) for seed, name in enumerate(KNOWN))
    assert measured(name, external=register(wrong)).value < 0.3 * measured(name).value


@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_intervals_refuse_a_register_and_do_not_depend_on_what_is_known(name):
    with pytest.raises(NotDefined, match="does not depend on the file that the intruder holds"):
        measured(name, external=register(DATA.table))
    usual = measured(name).people.by_record
    assert np.array_equal(measured(name, known=FEWER, error={"age": 50.0}).people.by_record, usual)


@pytest.mark.parametrize("name", MEASURES)
def test_taking_part_for_sure_or_not_matters_to_the_target_unit_alone(name):
    sure, unsure = measured(name, inclusion=1.0), measured(name, inclusion=0.001)
    assert (unsure.value < sure.value) == (name == "target unit")


@pytest.mark.parametrize("name", LISTENING)
def test_records_and_targets_that_do_not_exist_are_named(name):
    with pytest.raises(InputError, match="Record 160 of known_by_record does not exist: ids run from 0 to 159"):
        measured(name, known_by_record={160: KNOWN})
    with pytest.raises(InputError, match="Target 160 is not a record: ids run from 0 to 159"):
        measured(name, targets=tuple(range(300)))


def test_of_whom_nothing_is_known_that_an_attack_uses_is_not_found_by_it():
    found = measured("rank windows", known_by_record={3: ("place",)})
    assert found.facts["records"] == 160
    assert found.facts["nothing_to_use"] == 1
    assert found.people.by_record[3] == 0
    with pytest.raises(NotDefined, match="no swap range"):
        measured("rank windows", known=("place",))


def test_what_is_known_of_one_person_must_be_in_the_register():
    held = register(DATA.table)
    with pytest.raises(InputError, match="Known attribute 'debt' is not in the external file"):
        measured("distance", external=held, known_by_record={3: ("debt",)})


def test_a_confidential_value_that_is_known_of_somebody_is_not_guessed():
    found = measured("inference", known_by_record={5: (*KNOWN, "ill", "debt")})
    assert found.people.by_record[5] == 0
    assert found.facts["targets"] == 160


def test_records_are_drawn_by_the_ids_of_people_and_not_by_their_place_or_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.arange(3000.0)[:, None]
    known = Knowledge(("x",), values, values, np.zeros(1, dtype=bool), np.zeros(1))
    origin = np.where(np.arange(3000) % 5 == 0, -1, np.arange(3000))
    assert len(Search.of(known, origin).judged) == 2400
    monkeypatch.setattr("ammg.measures.linkage.intruder.JUDGED", 600)
    search = Search.of(known, origin)
    rows = search.judged
    assert len(rows) == len(set(rows.tolist())) == 600
    assert (search.origin[rows] >= 0).all()
    assert all(len(np.unique(rows % step)) == step for step in (2, 3, 4))
    mirrored = Search.of(replace(known, original=-values, masked=-values), origin)
    people = [set(each.people[each.origin[each.judged]].tolist()) for each in (search, mirrored)]
    assert people[0] == people[1]
