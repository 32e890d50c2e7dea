"""The AMMG target unit probability (Truta, Fotouhi and Barth-Jones 2003, equations 4.10 and 4.11)."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError
from ammg.kernels.linkage.target_unit import link_probability


def measured(masked: object, scenario: ammg.Scenario | None = None, **options: object) -> ammg.Measurement:
    return ammg.evaluate(masked, [ammg.TargetUnit(**options)], scenario)["target_unit"]


@pytest.mark.parametrize(("ratio", "percent"), [(50_000, 0.024996), (1e7, 4.7624), (6e7, 23.0787)])
def test_worked_examples_of_the_paper(ratio: float, percent: float) -> None:
    # Case A is printed as 4.98 %, which is a slip: the formula gives 4.7624 %.
    found = 100 * float(link_probability(np.array(ratio), np.array(ratio), 1e-4, 20_000))
    assert found == pytest.approx(percent, abs=5e-5 if percent > 1 else 5e-7)


def test_the_worked_examples_come_out_of_the_measure_itself() -> None:
    # 20,000 records of which one agrees, a population of 2·10⁸: π = 10⁻⁴.
    table = pl.DataFrame({"k": ["target", *["other"] * 19_999]})
    data = ammg.Microdata(table).with_roles(key="k")
    scenario = ammg.Scenario(targets=(0,), inclusion=1e-4)
    for population, percent in ((2e-5, 0.024996), (1e-7, 4.7624), (1 / 6e7, 23.0787)):
        assert 100 * measured(data, scenario, population=population).value == pytest.approx(percent, rel=5e-5)


@settings(max_examples=100)
@given(
    arrays.arrays(float, st.integers(1, 30), elements=st.floats(0, 1e9)),
    st.floats(1e-6, 1, exclude_max=True),
)
def test_all_records_and_not_being_there_add_up_to_one(ratios: np.ndarray, inclusion: float) -> None:
    total = np.array(ratios.sum())
    there = link_probability(ratios, total, inclusion, len(ratios))
    absent = (1 - inclusion) / (inclusion * ratios.mean() + 1 - inclusion)
    assert there.sum() + absent == pytest.approx(1)


def test_a_participant_among_c_who_look_alike_is_picked_with_1_in_c(patients: ammg.Microdata) -> None:
    found = measured(patients, ammg.Scenario(inclusion=1.0))
    assert sorted(found.people.by_record) == pytest.approx([1 / 3] * 6 + [1 / 2] * 2 + [1.0] * 2)
    assert found.value == pytest.approx(0.5)
    assert found.facts["expected_identifications"] == pytest.approx(5)
    assert found.tables["share_above"].lookup("probability", "share") == {0.05: 1.0, 0.2: 1.0}


def test_a_target_that_may_not_be_in_the_file_is_picked_less_often(patients: ammg.Microdata) -> None:
    values = [measured(patients, ammg.Scenario(inclusion=p)).value for p in (1.0, 0.5, 0.1, 0.01)]
    assert values == sorted(values, reverse=True)


def test_a_record_that_was_dropped_is_picked_by_nobody(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(patients, 1)
    found = measured(masked)
    assert found.facts["inclusion"] == 0.5
    assert found.facts["expected_identifications"] == pytest.approx(found.people.by_record.sum())


def test_different_attributes_are_known_of_different_targets(patients: ammg.Microdata) -> None:
    all_know = ammg.Scenario(known=("State",), inclusion=1.0)
    one_more = ammg.Scenario(known=("State",), inclusion=1.0, known_by_record={4: ("State", "Income")})
    usual, special = measured(patients, all_know).people.by_record, measured(patients, one_more).people.by_record
    assert special[4] == pytest.approx(1.0)  # the only one with this income
    assert usual[4] == pytest.approx(1 / 9)
    assert np.delete(special, 4) == pytest.approx(np.delete(usual, 4))


def test_only_the_targets_are_sought(patients: ammg.Microdata) -> None:
    found = measured(patients, ammg.Scenario(targets=(6, 7), inclusion=1.0))
    assert found.facts["targets"] == 2
    assert found.value == pytest.approx(1.0)  # Angela Simms and Nike Wood are alone in their cells


@pytest.mark.parametrize("target", [-1, 10])
def test_a_target_that_is_no_record_is_refused(patients: ammg.Microdata, target: int) -> None:
    with pytest.raises(InputError, match=f"Target {target} is not a record: ids run from 0 to 9"):
        measured(patients, ammg.Scenario(targets=(0, target)))


def test_a_recoded_key_is_known_as_its_class(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["Age"], cuts=(40, 50))]).run(patients)
    found = measured(masked, ammg.Scenario(known=("Age",), inclusion=1.0))
    assert sorted(found.people.by_record) == pytest.approx([1 / 5] * 5 + [1 / 3] * 3 + [1 / 2] * 2)


def test_errors_of_measurement_lower_the_risk(patients: ammg.Microdata) -> None:
    values = [
        measured(patients, ammg.Scenario(known=("Income",), inclusion=1.0, error={"Income": error})).value
        for error in (1.0, 1000.0, 1e5)
    ]
    assert values[0] == pytest.approx(1.0)
    assert values == sorted(values, reverse=True)
    assert values[2] == pytest.approx(0.1, abs=0.02)  # nothing is known


def test_a_wrong_category_now_and_then_spreads_the_suspicion(patients: ammg.Microdata) -> None:
    exact, wrong = (
        measured(patients, ammg.Scenario(known=("State",), inclusion=1.0, error={"State": error})).people.by_record
        for error in (0.0, 0.2)
    )
    assert wrong[6] < exact[6] == 1.0


def test_the_unit_of_a_number_does_not_matter(patients: ammg.Microdata) -> None:
    thousands = ammg.Microdata(patients.table.with_columns(pl.col("Income") / 1000), patients.schema)
    for inclusion in (1.0, 0.1):
        first = measured(patients, ammg.Scenario(known=("Income",), inclusion=inclusion, error={"Income": 2000}))
        second = measured(thousands, ammg.Scenario(known=("Income",), inclusion=inclusion, error={"Income": 2}))
        assert first.people.by_record == pytest.approx(second.people.by_record)


def test_weights_lower_the_chance_that_a_target_took_part(survey: ammg.Microdata) -> None:
    plain = ammg.Microdata(survey.table, survey.schema.replace(survey.schema["weight"].replace(role=ammg.Role.OTHER)))
    assert measured(survey).value < measured(plain).value


def test_a_file_without_keys_gives_away_nothing_but_its_size(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval(columns=["Age", "State"])]).run(patients)
    assert measured(masked, ammg.Scenario(inclusion=1.0)).value == pytest.approx(0.1)


def test_a_missing_value_agrees_with_any() -> None:
    table = pl.DataFrame({"a": list("abcdef"), "b": list("xyxyxy")})
    data = ammg.Microdata(table).with_roles(key=["a", "b"])
    hidden = ammg.Microdata(table.with_columns(b=pl.lit(None, dtype=pl.String)), data.schema)
    assert ammg.TargetUnit().measure(Pair(data, hidden, np.arange(6)), Scenario()).value == pytest.approx(1)


@pytest.mark.parametrize("noise", [1e-6, 1e-3])
def test_a_little_noise_does_not_protect(noise: float) -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    data = ammg.Microdata(table).with_roles(key=["x", "y"])
    masked = ammg.Microdata(table.select(pl.all() + pl.Series(noise * rng.normal(size=100))), data.schema)
    assert ammg.TargetUnit().measure(Pair(data, masked, np.arange(100)), Scenario()).value > 0.95
