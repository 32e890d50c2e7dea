"""What users of a masked file may be told."""

import json

import ammg
from ammg.release.public_summary import public_summary, summary_text


def summary(patients: ammg.Microdata) -> dict[str, object]:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(patients, secret="patients")
    return public_summary(masked, ammg.evaluate(masked, ["frequency", "il1s"]).measured)


def test_the_summary_names_what_leaves_and_what_was_done(patients: ammg.Microdata) -> None:
    told = summary(patients)
    assert [a["name"] for a in told["attributes"]] == ["Age", "State", "Diagnosis", "Income", "Billing"]
    assert told["methods"][0]["parameters"] == {
        "columns": ["Age"],
        "k": 2,
        "within": [],
        "integers": False,
        "where": None,
        "post_edit": None,
    }
    assert set(told["measures"]) == {"frequency", "il1s"}


def test_the_summary_says_nothing_about_single_records_and_nothing_of_the_secret(patients: ammg.Microdata) -> None:
    text = json.dumps(summary(patients))
    for value in ("Wayne", "123456789", "45500", "by_record", "largest_change", "secret"):
        assert value not in text


def test_the_summary_tells_defaults_so_that_users_can_allow_for_the_noise(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.CorrelatedNoise()]).run(patients, 1)
    told = public_summary(masked, ammg.evaluate(masked, []).measured)
    assert told["methods"][0]["parameters"]["d"] == ammg.CorrelatedNoise().d
    assert "columns = Age, Income, Billing" in summary_text(told)
    assert f"d = {ammg.CorrelatedNoise().d}" in summary_text(told)


def test_conditions_are_told_but_for_those_on_identifiers(patients: ammg.Microdata) -> None:
    told = []
    for where in ("Age > 40", "Name != 'John Wayne'"):
        masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["Income"], where=where)]).run(patients, 1)
        told.append(public_summary(masked, ammg.evaluate(masked, []).measured)["methods"][0]["parameters"]["where"])
        assert masked.steps[0].parameters["where"] == where
    assert told == ["Age > 40", "a condition that is not published"]


def test_every_line_of_a_table_has_the_cells_of_its_header(patients: ammg.Microdata) -> None:
    lines = [line for line in summary_text(summary(patients)).splitlines() if line.startswith("|")]
    assert any("\\|x - z\\|" in line for line in lines)
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}


def test_the_text_lists_risks_before_losses(patients: ammg.Microdata) -> None:
    text = summary_text(summary(patients))
    assert text.index("| risk | frequency |") < text.index("| loss | il1s |")
    assert "1. `univariate_microaggregation`: Replace each number by the mean" in text


def test_the_parameters_of_measures_are_told(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(patients, secret="patients")
    told = public_summary(masked, ammg.evaluate(masked, [ammg.KAnonymity(), ammg.KAnonymity(k=10)]).measured)
    assert told["measures"]["k_anonymity(k=10)"]["parameters"]["k"] == 10
    text = summary_text(told)
    assert "| risk | k_anonymity(k=3) |" in text
    assert "fewer than k records. (k = 10, missing = available) |" in text
