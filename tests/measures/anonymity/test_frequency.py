import numpy as np
import polars as pl
import pytest

import ammg


def measured(data: ammg.Microdata, *steps: ammg.Method, scenario: ammg.Scenario | None = None) -> ammg.Measurement:
    return ammg.evaluate(ammg.Pipeline(steps).run(data, 1), ["frequency"], scenario)["frequency"]


def test_clusters_of_the_patients_are_those_of_the_paper(patients: ammg.Microdata) -> None:
    # Truta et al. (2003): keys Age and State have clusters of 3, 3, 2, 1 and 1 records.
    found = measured(patients)
    assert found.value == 0.2
    assert found.facts["cells"] == 5
    assert found.tables["below_k"].lookup("k", "records") == {2: 2, 3: 4, 5: 10}
    assert found.facts["expected_reidentifications"] == pytest.approx(5)
    assert sorted(1 / found.people.by_record) == pytest.approx([1, 1, 2, 2, 3, 3, 3, 3, 3, 3])


def test_nobody_is_unique_after_k_anonymous_recoding(patients: ammg.Microdata) -> None:
    classes, no_state = ammg.GlobalRecoding(columns=["Age"], cuts=(40, 50)), ammg.IdentifierRemoval(columns=["State"])
    found = measured(patients, classes, no_state)
    assert found.value == 0
    assert found.facts["keys"] == ("Age",)


def test_weights_estimate_how_many_there_are_in_the_population() -> None:
    table = pl.DataFrame({"k": ["a", "a", "b"], "w": [10.0, 30.0, 0.5]})
    data = ammg.Microdata(table).with_roles(key="k", weight="w")
    assert measured(data).people.by_record.tolist() == [1 / 40, 1 / 40, 1.0]


def test_a_missing_value_is_a_category_of_its_own() -> None:
    data = ammg.Microdata(pl.DataFrame({"k": ["a", None, None]})).with_roles(key="k")
    assert measured(data).value == pytest.approx(1 / 3)


def test_what_the_intruder_knows_decides(patients: ammg.Microdata) -> None:
    assert measured(patients, scenario=ammg.Scenario(known=("State",))).facts["uniques"] == 1
    assert measured(patients, scenario=ammg.Scenario(known=("Income",))).value == 1


def test_the_chart_counts_every_record(survey: ammg.Microdata) -> None:
    (chart,) = measured(survey, ammg.GlobalRecoding(columns=["age"], groups=3)).charts
    assert np.all(np.diff(chart.x) > 0)
    assert sum(chart.series["records"]) <= 600


@pytest.mark.parametrize(
    ("steps", "reason"),
    [([ammg.IdentifierRemoval(columns=["Age", "State"])], "no known attribute is in the masked file")],
)
def test_without_keys_there_is_no_frequency(patients: ammg.Microdata, steps: list[ammg.Method], reason: str) -> None:
    assert measured(patients, *steps).reason == reason


def test_an_empty_file_has_no_frequency(patients: ammg.Microdata) -> None:
    assert measured(ammg.Microdata(patients.table.clear(), patients.schema)).reason == "the masked file has no records"
