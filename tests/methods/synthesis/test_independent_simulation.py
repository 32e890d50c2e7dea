import numpy as np
import polars as pl
import pytest

import ammg
from ammg.datasets.survey import SURVEY_LEVELS, SURVEY_ROLES
from ammg.draws import Secret
from ammg.errors import InputError, ReleaseBlocked


def simulated(data: object, share: float = 0.2, secret: object = 1, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.IndependentSimulation(share=share, **options)]).run(data, secret)


def artificial(masked: ammg.Masked) -> pl.DataFrame:
    return masked.table.filter(pl.Series(masked.link < 0))


def homes(n: int = 1000) -> ammg.Microdata:
    data = ammg.Microdata(ammg.datasets.survey(n, seed=3)).with_roles(SURVEY_ROLES).with_levels(SURVEY_LEVELS)
    return data.with_rules(
        "income = wages + self_employment + pensions + capital_income + other_income",
        "household_income = sum of income by household_id",
        "age < 16 implies marital_status = 'single'",
    )


def test_the_share_of_artificial_records_is_the_simulated_factor(patients: ammg.Microdata) -> None:
    masked = simulated(patients, 0.5)
    assert (masked.n, masked.t, masked.r) == (10, 20, 10)
    assert masked.pair.simulated_factor == 0.5
    assert masked.steps[0].notes == ("10 artificial records were added",)
    assert masked.table.head(10).equals(patients.table)


def test_artificial_records_come_after_the_last_real_one_whatever_was_dropped() -> None:
    data = pl.DataFrame({"x": np.arange(100.0)})
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.5), ammg.IndependentSimulation(share=0.5)]).run(data, 1)
    ids = masked.source.collect()["__ammg_id__"].to_list()
    assert ids[50:] == list(range(100, 150))
    again = ammg.Pipeline([ammg.IndependentSimulation(share=0.5), ammg.IndependentSimulation(share=0.5)]).run(data, 1)
    assert again.source.collect()["__ammg_id__"].to_list() == list(range(400))


def test_nobody_artificial_has_an_identifier(patients: ammg.Microdata) -> None:
    assert artificial(simulated(patients, 0.5)).select("Name", "SSN").null_count().row(0) == (10, 10)


def test_margins_are_kept_and_attributes_become_independent() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    data = pl.DataFrame({"x": x, "same": x, "letter": rng.choice(["a", "b"], 4000, p=[0.3, 0.7])})
    added = artificial(simulated(data, 0.5))
    # 4000 draws: the standard error of the mean is 1/63, of a share 0.0072, of a correlation 1/63.
    assert added["x"].mean() == pytest.approx(x.mean(), abs=4 / 63)
    assert (added["letter"] == "a").mean() == pytest.approx(0.3, abs=4 * 0.0072 + 0.03)
    assert abs(np.corrcoef(added["x"], added["same"])[0, 1]) < 4 / 63


def test_weighted_means_stay_and_so_does_the_total_of_the_weights() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)
    data = ammg.Microdata(pl.DataFrame({"x": x, "w": np.exp(x)})).with_roles(weight="w")
    masked = simulated(data, 0.5)
    assert masked.table["w"].sum() == pytest.approx(data.table["w"].sum())
    before = np.average(x, weights=np.exp(x))
    assert np.average(masked.table["x"], weights=masked.table["w"]) == pytest.approx(before, abs=0.15)


def test_survey_weights_stay_at_least_one() -> None:
    data = ammg.Microdata(pl.DataFrame({"x": range(100), "w": np.linspace(1.0, 9.0, 100)})).with_roles(weight="w")
    weights = simulated(data, 0.5).table["w"]
    assert weights.sum() == pytest.approx(500)
    assert weights.min() == 1.0


def test_missing_values_are_as_frequent_as_before() -> None:
    data = pl.DataFrame({"x": [1.0, None, 3.0, 4.0] * 500})
    assert artificial(simulated(data, 0.5))["x"].null_count() == pytest.approx(500, abs=4 * np.sqrt(2000 * 3 / 16))


def test_an_artificial_household_is_a_whole_household() -> None:
    masked = simulated(homes(), 0.3)
    added = artificial(masked)
    real = masked.original.table["household_id"]
    assert not added["household_id"].is_in(real.implode()).any()
    sizes = added.group_by("household_id").agg(pl.len(), pl.col("household_size").first())
    assert (sizes["len"] == sizes["household_size"]).all()
    shared = ["region", "tenure", "rooms", "household_income", "weight"]
    assert added.group_by("household_id").agg(pl.col(shared).n_unique()).select(shared).max().row(0) == (1,) * 5
    heads = added.group_by("household_id", maintain_order=True).first()
    assert set(heads["relationship"]) == set(
        masked.original.table.group_by("household_id", maintain_order=True).first()["relationship"]
    )


def test_household_names_that_are_text_get_new_names() -> None:
    table = pl.DataFrame({"home": ["a", "a", "b", "c", "c", "c"], "x": [1, 2, 3, 4, 5, 6]})
    masked = simulated(ammg.Microdata(table).with_roles(household="home"), 0.5)
    assert set(artificial(masked)["home"].cast(pl.String)).isdisjoint({"a", "b", "c"})
    assert masked.release(force="a test").table["home"].null_count() == 0


def test_rules_are_obeyed_and_totals_computed() -> None:
    masked = simulated(homes(), 0.3)
    added = artificial(masked)
    parts = added["wages"] + added["self_employment"] + added["pensions"]
    assert (parts + added["capital_income"] + added["other_income"] == added["income"]).all()
    sums = added.group_by("household_id").agg(pl.col("income").sum(), pl.col("household_income").first())
    assert (sums["income"] == sums["household_income"]).all()
    assert (added.filter(pl.col("age") < 16)["marital_status"].cast(pl.String) == "single").all()


def test_what_meets_no_rule_in_20_tries_takes_a_donor_and_is_counted() -> None:
    x = np.arange(2000)
    data = ammg.Microdata(pl.DataFrame({"x": x, "y": x, "z": x % 7})).with_rules("x <= y", "y <= x")
    masked = simulated(data, 0.5)
    added = artificial(masked)
    assert (added["x"] == added["y"]).all()
    assert (added["z"] != added["x"] % 7).any()
    told = [note for note in masked.steps[0].notes if "donor" in note]
    assert len(told) == 1
    assert int(told[0].split()[0].replace(",", "")) > 1900


def test_rules_that_no_record_meets_are_said_at_once() -> None:
    data = ammg.Microdata(pl.DataFrame({"x": [3.0, 3.0, 3.0], "y": [1.0, 2.0, 3.0]})).with_rules("x <= 3")
    steps = [ammg.Rounding(columns=("x",), base=4), ammg.IndependentSimulation(share=0.5)]
    with pytest.raises(InputError, match=r"No record satisfies all rules, so none can be simulated"):
        ammg.Pipeline(steps).run(data, 1)


def test_no_record_of_the_original_appears_where_that_is_excluded() -> None:
    rng = np.random.default_rng(2)
    data = pl.DataFrame({"a": rng.integers(0, 12, 300), "b": rng.integers(0, 12, 300)})
    assert len(artificial(simulated(data, 0.5)).join(data, on=["a", "b"])) > 0
    for secret in map(Secret.known, range(20)):
        assert len(artificial(simulated(data, 0.5, secret, distinct=True)).join(data, on=["a", "b"])) == 0


def test_where_nothing_new_is_possible_records_are_left_out_and_counted() -> None:
    data = pl.DataFrame({"a": ["x", "y"] * 50})
    masked = simulated(data, 0.5, distinct=True)
    assert masked.t == 100
    assert (
        masked.steps[0].notes[1] == "100 artificial records still equalled real ones after 20 draws and were left out"
    )


def test_linked_attributes_take_the_value_of_the_same_record() -> None:
    table = pl.DataFrame({"x": np.arange(50), "text": [f"number {i}" for i in range(50)], "y": np.arange(50)})
    data = ammg.Microdata(table).with_kinds(text="text").with_links(text="x")
    added = artificial(simulated(data, 0.5))
    assert (added["text"] == pl.Series([f"number {i}" for i in added["x"]])).all()


def test_free_text_and_pseudonyms_would_tell_artificial_records_and_are_refused(patients: ammg.Microdata) -> None:
    data = ammg.Microdata(pl.DataFrame({"x": [1, 2], "note": ["a", "b"]})).with_kinds(text="note")
    with pytest.raises(InputError, match="Column 'note' is free text, which cannot be simulated"):
        simulated(data, 0.5)
    with pytest.raises(InputError, match="holds pseudonyms, which artificial records do not have"):
        ammg.Pipeline([ammg.Pseudonyms(columns=["SSN"]), ammg.IndependentSimulation(share=0.5)]).run(patients, 1)


def test_bad_parameters_are_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match=r"A share of 0\.01 adds no record to 10: raise it"):
        simulated(patients, 0.01)
    with pytest.raises(InputError, match="adds whole records: remove `columns`"):
        simulated(patients, columns=["Age"])


def test_target_unit_has_artificial_records_among_the_candidates_as_in_4_10() -> None:
    table = pl.DataFrame({"age": [30, 40, 50, 60], "zip": [1, 2, 3, 4]})
    data = ammg.Microdata(table).with_roles(key=["age", "zip"])
    masked = simulated(data, 0.5, secret=Secret.known(3), distinct=True)
    found = ammg.evaluate(masked, [ammg.TargetUnit(population=1 / 50)], ammg.Scenario(inclusion=0.2), before=False)
    measured = found["target_unit"]
    t, ratio = masked.t, 50
    assert measured.value == pytest.approx(0.2 / t * ratio / (0.2 / t * ratio + 0.8))
    assert measured.facts["simulated_factor"] == masked.pair.simulated_factor
    assert measured.facts["if_recognised"] == pytest.approx(0.2 / 4 * ratio / (0.2 / 4 * ratio + 0.8))


def test_other_risks_are_those_of_an_intruder_who_recognises_artificial_records(patients: ammg.Microdata) -> None:
    masked = simulated(patients, 0.8)
    found = ammg.evaluate(masked, ["frequency", "k_anonymity"])
    for name in found:
        assert found[name].value >= found.before[name].value
        assert len(found[name].people.by_record) == masked.t


def test_answers_are_about_real_records_that_artificial_ones_do_not_hide(patients: ammg.Microdata) -> None:
    masked = simulated(patients, 0.8)
    assert ammg.records_below(masked, 3) == ammg.records_below(patients, 3)
    assert len(ammg.record_risks(masked, measure="frequency")) == 10
    risky = ammg.AdditiveNoise(columns=["Income"], p=5, where={"risk": "frequency", "above": 0.9})
    after = ammg.Pipeline([ammg.IndependentSimulation(share=0.8), risky]).run(patients, 1)
    alone = patients.table.filter(pl.struct("Age", "State").is_unique())["Name"].to_list()
    income = after.table.filter(pl.col("Name").is_in(alone))["Income"].to_list()
    assert len(alone) > 0
    assert not set(income) & set(patients.table.filter(pl.col("Name").is_in(alone))["Income"].to_list())


def test_a_column_that_only_real_records_have_is_stopped_by_the_gate(patients: ammg.Microdata) -> None:
    steps = [ammg.IndependentSimulation(share=0.5), ammg.Pseudonyms(columns=["SSN"]), ammg.AdditiveNoise()]
    masked = ammg.Pipeline(steps).run(patients, 1)
    with pytest.raises(ReleaseBlocked, match="'SSN' has values only in real records"):
        masked.release()


def test_adding_records_alone_does_not_make_a_release(patients: ammg.Microdata) -> None:
    with pytest.raises(ReleaseBlocked, match="no step masked anything"):
        simulated(patients, 0.5).release()
