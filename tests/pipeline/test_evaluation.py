"""Risk and loss side by side."""

import json
import math
from typing import ClassVar

import numpy as np
import pytest

import ammg
from ammg import registry
from ammg.errors import InputError

MEASURES = ["frequency", "il1s", "distance_linkage"]


@pytest.fixture(scope="module")
def evaluation(patients: ammg.Microdata) -> ammg.Evaluation:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=5)]).run(patients, 1)
    return ammg.evaluate(masked, MEASURES)


def test_risks_come_with_those_of_the_unmasked_file(evaluation: ammg.Evaluation) -> None:
    assert evaluation.before["frequency"].value == 0.2
    assert evaluation["frequency"].value == 0.1  # Angela Simms of Indiana
    assert "il1s" not in evaluation.before


def test_the_table_can_be_read(evaluation: ammg.Evaluation) -> None:
    lines = str(evaluation).splitlines()
    assert lines[0] == "10 records before, 10 after (sampling factor 1, simulated factor 0)"
    order = [line.split()[:2] for line in lines[3:]]
    assert order == [["risk", "frequency"], ["risk", "distance_linkage"], ["loss", "il1s"]]
    assert "20.00 %" in str(evaluation)
    assert repr(evaluation) == str(evaluation)


def test_a_notebook_gets_a_table(evaluation: ammg.Evaluation) -> None:
    assert evaluation._repr_html_().startswith("<table>")
    assert evaluation._repr_html_().count("<tr>") == 4
    assert "<caption>10 records before, 10 after (sampling factor 1, simulated factor 0)" in evaluation._repr_html_()


def test_a_notebook_is_told_why_a_measure_has_no_value(patients: ammg.Microdata) -> None:
    evaluation = ammg.evaluate(patients, "transition_linkage")
    reason = evaluation["transition_linkage"].reason
    assert reason
    assert f"<p>transition_linkage: not defined, {reason}</p>" in evaluation._repr_html_()


def test_plain_values_are_json(evaluation: ammg.Evaluation) -> None:
    plain = json.loads(json.dumps(evaluation.to_dict(), allow_nan=False))
    assert plain["records"] == {"n": 10, "t": 10, "r": 10, "sf": 1.0, "fs": 0.0}
    assert plain["measures"]["frequency"]["family"] == "risk"
    assert plain["unmasked"]["frequency"]["value"] == 0.2
    assert "by_record" not in json.dumps(plain)


def test_an_evaluation_comes_back_from_json_as_it_was(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=5)]).run(patients, 1)
    limits = [ammg.Limit(ammg.KAnonymity(k=2), 1), ammg.Limit(ammg.KAnonymity(k=99), 0)]
    scenario = ammg.Scenario(known=("Age",), error={"Age": 2.0})
    whole = ammg.evaluate(masked, [*MEASURES, "transition_linkage"], scenario, limits=limits)
    back = ammg.Evaluation.from_dict(json.loads(json.dumps(whole.to_dict(), allow_nan=False)))
    assert back == whole
    assert str(back) == str(whole)
    assert back.broken == whole.broken != {}


def test_what_is_not_defined_says_why(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.IdentifierRemoval(columns=["Age", "State"])]).run(patients)
    found = ammg.evaluate(masked, ["frequency"])
    assert math.isnan(found.value("frequency"))
    assert "frequency: not defined, no known attribute is in the masked file" in str(found)


def test_a_measure_may_come_with_parameters(patients: ammg.Microdata) -> None:
    found = ammg.evaluate(patients, [ammg.IL1(version="original"), "il2"])
    assert list(found.after) == ["il1", "il2"]


def test_one_measure_may_be_there_twice_with_other_parameters(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["Age"], cuts=[40])]).run(patients, 1)
    found = ammg.evaluate(masked, [ammg.KAnonymity(k=2), ammg.KAnonymity(k=9)])
    assert list(found) == ["k_anonymity(k=2)", "k_anonymity(k=9)"]
    for k in (2, 9):
        alone = ammg.evaluate(masked, [ammg.KAnonymity(k=k)])
        assert found[f"k_anonymity(k={k})"].value == found.value(ammg.KAnonymity(k=k)) == alone.value("k_anonymity")
    assert found.value("k_anonymity(k=2)") < found.value("k_anonymity(k=9)") == 1
    assert "risk  k_anonymity(k=9)" in str(found)
    with pytest.raises(InputError, match=r"more than once: use k_anonymity\(k=2\) or k_anonymity\(k=9\)"):
        found["k_anonymity"]
    with pytest.raises(InputError, match=r"'k_anonymity\(k=8\)' was not measured here\. Did you mean"):
        found["k_anonymity(k=8)"]
    assert list(ammg.evaluate(patients, ["il1", "il1"]).after) == ["il1"]


def test_an_evaluation_is_gone_through_like_a_dictionary(evaluation: ammg.Evaluation) -> None:
    assert list(evaluation) == list(dict(evaluation)) == MEASURES
    assert len(evaluation) == 3
    assert "frequency" in evaluation
    assert "suda" not in evaluation
    assert "nonsense" not in evaluation
    assert 0 not in evaluation
    assert dict(evaluation.items())["frequency"] is evaluation["frequency"]


def test_an_evaluation_is_a_table_with_the_parameters_of_its_measures(patients: ammg.Microdata) -> None:
    found = ammg.evaluate(patients, [ammg.IL1(), ammg.KAnonymity(k=4)], limits={"k_anonymity": 0.5, "frequency": 1})
    table = found.to_polars()
    assert table["measure"].to_list() == ["k_anonymity", "frequency", "il1"]
    assert table["limit"].to_list() == [0.5, 1.0, None]
    assert json.loads(table["parameters"][0]) == {"k": 4, "missing": "available"}
    assert table["after"].to_list() == [found.value(label) for label in table["measure"]]
    assert found.to_pandas().shape == table.shape
    assert found.to_dict()["measures"]["k_anonymity"]["parameters"] == {"k": 4, "missing": "available"}
    assert "(k = 4)" in str(found)
    assert ammg.evaluate(patients, []).to_polars().columns == table.columns


def test_an_evaluation_knows_its_scenario_and_which_limits_it_breaks(patients: ammg.Microdata) -> None:
    scenario = ammg.Scenario(known=("Age",))
    limits = [ammg.Limit(ammg.KAnonymity(k=2), 0.0), ammg.Limit(ammg.KAnonymity(k=20), 1.0)]
    found = ammg.evaluate(patients, ["il1"], scenario, limits=limits)
    assert found.scenario is scenario
    assert {label: limit.at_most for label, limit in found.limits.items()} == {
        "k_anonymity(k=2)": 0.0,
        "k_anonymity(k=20)": 1.0,
    }
    value = found.value("k_anonymity(k=2)")
    sentence = f"k_anonymity(k=2) is {value:.4g}, the limit is 0."
    assert found.broken == {"k_anonymity(k=2)": sentence}
    assert str(found).endswith(sentence)
    plain = found.to_dict()
    assert (plain["missed"], plain["reasons"]) == ({"k_anonymity(k=2)": 0.0}, [sentence])
    assert plain["scenario"]["known"] == ["Age"]


def test_a_limit_by_name_means_the_measure_that_is_asked_for(patients: ammg.Microdata) -> None:
    found = ammg.evaluate(patients, [ammg.KAnonymity(k=20)], limits={"k_anonymity": 0})
    assert list(found) == ["k_anonymity"]
    assert found.limits["k_anonymity"].measure == ammg.KAnonymity(k=20)


def test_record_ids_of_a_scenario_are_not_told(patients: ammg.Microdata) -> None:
    scenario = ammg.Scenario(targets=(7,), known_by_record={3: ("Age",)})
    told = ammg.evaluate(patients, ["il1"], scenario).to_dict()["scenario"]
    assert not {"targets", "known_by_record"} & set(told)


def test_an_unknown_measure_gets_the_nearest_one(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match=r"Unknown measure 'il1ss'\. Did you mean 'il1s'\?"):
        ammg.evaluate(patients, ["il1ss"])


def test_one_measure_need_not_be_in_a_list(patients: ammg.Microdata) -> None:
    assert list(ammg.evaluate(patients, "frequency").after) == ["frequency"]
    assert list(ammg.evaluate(patients, ammg.Frequency()).after) == ["frequency"]


def test_a_table_is_measured_as_it_is() -> None:
    table = ammg.datasets.patients()
    assert ammg.evaluate(table, "s0").to_dict() == ammg.evaluate(ammg.Microdata(table), "s0").to_dict()


def test_what_is_no_measure_or_no_file_is_refused(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="is not a measure: give its name, or a measure with its parameters"):
        ammg.evaluate(patients, [ammg.Frequency])
    with pytest.raises(InputError, match="A int is not a table"):
        ammg.evaluate(5)


def test_a_measure_that_was_not_asked_for_is_named(evaluation: ammg.Evaluation) -> None:
    with pytest.raises(InputError, match="'suda' was not measured here"):
        evaluation["suda"]
    with pytest.raises(InputError, match=r"Unknown measure 'frequncy'\. Did you mean 'frequency'"):
        evaluation.value("frequncy")


def test_two_files_and_a_link_are_compared_without_a_pipeline(patients: ammg.Microdata) -> None:
    masked = ammg.Microdata(patients.table.reverse(), patients.schema)
    pair = ammg.Pair(patients, masked, np.arange(10)[::-1].copy())
    assert ammg.evaluate(pair, ["il1"]).value("il1") == 0


def test_without_a_link_only_what_needs_none_is_defined(patients: ammg.Microdata) -> None:
    found = ammg.evaluate(ammg.Pair(patients, patients, None), ["frequency", "il1"], before=False)
    assert found.value("frequency") == 0.2
    assert found["il1"].reason == "no link between masked and original records"
    assert str(found).startswith("10 records before, 10 after (no link between them)")


def test_progress_is_told_measure_by_measure(patients: ammg.Microdata) -> None:
    told: list[tuple[int, int, str]] = []
    ammg.evaluate(patients, ["il1", "il2"], progress=lambda *news: told.append(news))
    assert told == [(0, 2, "il1"), (1, 2, "il2"), (2, 2, "")]


def test_a_table_alone_is_measured_once_and_is_its_own_before() -> None:
    class Counted(ammg.Risk):
        """Count how often it is asked."""

        asked: ClassVar[list[int]] = []

        def measure(self, pair: ammg.Pair, scenario: ammg.Scenario) -> ammg.Measurement:
            self.asked.append(pair.t)
            return ammg.Measurement(value=0.5)

    try:
        found = ammg.evaluate(ammg.datasets.patients(), [Counted()])
        assert Counted.asked == [10]
        assert found.before["counted"].value == found["counted"].value == 0.5
    finally:
        registry.forget("measures", "counted")


def test_the_unmasked_file_is_measured_once_whatever_is_made_of_it() -> None:
    class Tallied(ammg.Risk):
        """Count how often it is asked."""

        asked: ClassVar[list[int]] = []

        def measure(self, pair: ammg.Pair, scenario: ammg.Scenario) -> ammg.Measurement:
            self.asked.append(pair.t)
            return ammg.Measurement(value=0.5)

    try:
        data = ammg.Microdata(ammg.datasets.patients())
        ammg.evaluate(ammg.Pipeline([]).run(data, 1), [Tallied()])
        assert Tallied.asked == [10], "nothing was masked: before is after"
        for secret in (1, 2):
            ammg.evaluate(ammg.Pipeline([ammg.Sampling(fraction=0.8)]).run(data, secret), [Tallied()])
        assert Tallied.asked == [10, 8, 10, 8]
        ammg.evaluate(ammg.Pipeline([ammg.Sampling(fraction=0.8)]).run(data.with_roles(key="Age"), 1), [Tallied()])
        assert Tallied.asked[4:] == [8, 10], "other roles, another risk"
    finally:
        registry.forget("measures", "tallied")


def test_a_number_is_no_measure(evaluation: ammg.Evaluation) -> None:
    with pytest.raises(InputError, match="0 is not a measure: use one of frequency, il1s, distance_linkage"):
        evaluation[0]


def test_measures_side_by_side_find_what_they_find_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ammg.datasets.survey(3000, seed=4)
    data = ammg.Microdata(data).with_roles(key=["age", "sex", "region"], confidential=["income", "wages"])
    steps = [ammg.RankSwapping(columns=["income"], p=5), ammg.Pram(columns=["region"], stay=0.7)]
    masked = ammg.Pipeline(steps).run(data, 1)
    one_by_one = ammg.evaluate(masked)
    monkeypatch.setattr("ammg.pipeline.evaluation.MANY", 0)
    again = ammg.Pipeline(steps).run(ammg.Microdata(data.table, data.schema), 1)
    together = ammg.evaluate(again)
    assert list(together) == list(one_by_one)
    for label in one_by_one:
        for before, after in ((one_by_one[label], together[label]), *_both(one_by_one, together, label)):
            assert after.value == pytest.approx(before.value, rel=1e-12, nan_ok=True)
            records = before.people.by_record, after.people.by_record
            assert all(part is None for part in records) or np.allclose(*records, rtol=1e-12)


def _both(one: ammg.Evaluation, other: ammg.Evaluation, label: str) -> list[tuple[ammg.Measurement, ammg.Measurement]]:
    return [(one.before[label], other.before[label])] if label in one.before else []
