"""Labels tell measures of one name apart."""

import ammg
from ammg.pipeline.labels import labelled, meaning


def test_a_measure_that_is_alone_is_called_by_its_name() -> None:
    assert list(labelled([ammg.KAnonymity(k=20), ammg.IL1s()])) == ["k_anonymity", "il1s"]


def test_measures_of_one_name_show_what_is_not_at_its_default() -> None:
    measures = [ammg.KAnonymity(), ammg.KAnonymity(k=20), ammg.KAnonymity(k=20, missing="category")]
    assert list(labelled(measures)) == [
        "k_anonymity(k=3, missing=available)",
        "k_anonymity(k=20)",
        "k_anonymity(k=20, missing=category)",
    ]
    columns = [ammg.S0(columns=["a", "b"]), ammg.S0()]
    assert list(labelled(columns)) == ["s0(columns=[a, b])", "s0(columns=None)"]


def test_a_measure_is_there_once_however_its_defaults_are_written() -> None:
    assert list(labelled([ammg.KAnonymity(), ammg.KAnonymity(k=3)])) == ["k_anonymity"]


def test_the_meaning_tells_the_chosen_parameters_where_the_label_does_not() -> None:
    assert meaning("k_anonymity", ammg.KAnonymity(k=10)).endswith("of fewer than k records (k = 10).")
    assert meaning("k_anonymity", ammg.KAnonymity(k=3)).endswith("of fewer than k records (k = 3).")
    assert meaning("k_anonymity", ammg.KAnonymity()).endswith("of fewer than k records.")
    assert meaning("k_anonymity(k=10)", ammg.KAnonymity(k=10)).endswith("of fewer than k records.")
