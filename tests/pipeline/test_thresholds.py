"""Which of the owner's limits a masked file breaks."""

import ammg
from ammg.pipeline.thresholds import broken, with_limited


def evaluated(patients: ammg.Microdata, **thresholds: float) -> tuple[ammg.Evaluation, dict[str, float]]:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(patients, secret="patients")
    return ammg.evaluate(masked, with_limited(["il1s"], thresholds)), thresholds


def test_what_is_limited_is_measured_though_nobody_asked_for_it() -> None:
    assert [measure.name for measure in with_limited(["il1s"], {"frequency": 0.1, "il1s": 1})] == ["il1s", "frequency"]
    mine = ammg.IL1s()
    assert with_limited([mine], {"il1s": 1}) == [mine]


def test_a_value_at_its_limit_keeps_it_and_one_above_does_not(patients: ammg.Microdata) -> None:
    evaluation, _ = evaluated(patients, frequency=1.0)
    value = evaluation.value("frequency")
    assert broken(evaluation, {"frequency": value}) == {}
    assert broken(evaluation, {"frequency": value / 2}) == {
        "frequency": f"frequency is {value:.4g}, the threshold is {value / 2:g}."
    }


def test_a_measure_without_a_value_keeps_no_limit_and_says_why(patients: ammg.Microdata) -> None:
    evaluation, thresholds = evaluated(patients, transition_linkage=1.0)
    sentence = broken(evaluation, thresholds)["transition_linkage"]
    assert sentence.startswith("transition_linkage is not defined (")
    assert sentence.endswith("the threshold of 1 is not shown to be kept.")
