"""A limit is a measure with its parameters and a greatest value."""

import math

import numpy as np
import pytest

import ammg
from ammg import Limit, registry
from ammg.errors import InputError
from ammg.measures.measurement import Measurement
from ammg.pipeline.limits import limits_of, meant, suggested_limits


def test_a_limit_takes_a_measure_or_its_name() -> None:
    assert Limit("k_anonymity", 0) == Limit(ammg.KAnonymity(), at_most=0.0)
    assert Limit("k_anonymity", 0) != Limit(ammg.KAnonymity(k=20), 0)
    assert Limit("k_anonymity", np.float64(0.5)).at_most == 0.5


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "0.1", None, True])
def test_a_limit_is_a_number_of_at_least_0(value: object) -> None:
    with pytest.raises(InputError, match=r"The limit of 'frequency' is .*: it must be a number of at least 0"):
        Limit("frequency", value)  # type: ignore[arg-type]


def test_a_limit_is_set_to_measures_alone() -> None:
    with pytest.raises(InputError, match=r"Unknown measure 'frequncy'\. Did you mean 'frequency'\?"):
        Limit("frequncy", 0)
    with pytest.raises(InputError, match="is not a measure: give its name"):
        Limit(ammg.KAnonymity, 0)  # type: ignore[arg-type]


def test_a_value_at_its_limit_keeps_it_and_one_above_does_not() -> None:
    limit = Limit("frequency", 0.25)
    assert limit.broken("frequency", Measurement(0.25)) is None
    assert limit.broken("frequency", Measurement(0.5)) == "frequency is 0.5, the limit is 0.25."


def test_a_measure_without_a_value_keeps_no_limit_and_says_why() -> None:
    sentence = Limit("frequency", 1).broken("frequency", Measurement(None, reason="no keys"))
    assert sentence == "frequency is not defined (no keys), so it cannot meet the limit of 1."


@pytest.mark.parametrize(
    ("at_most", "value", "kept"), [(0, 0, True), (0, 1e-9, False), (0.2, 0.2, True), (0.2, 0.3, False)]
)
def test_pressure_is_at_most_1_where_the_limit_is_kept(at_most: float, value: float, kept: bool) -> None:
    limit = Limit("frequency", at_most)
    assert (limit.pressure(value) <= 1) == kept == (limit.broken("frequency", Measurement(value)) is None)


def test_a_bare_name_means_the_measure_that_is_listed() -> None:
    twenty = ammg.KAnonymity(k=20)
    assert limits_of({"k_anonymity": 0}, [twenty, ammg.IL1s()]) == (Limit(twenty, 0),)
    assert limits_of({"k_anonymity": 0}) == (Limit(ammg.KAnonymity(), 0),)
    assert limits_of(Limit("k_anonymity", 0), [twenty]) == (Limit(ammg.KAnonymity(), 0),)


def test_a_bare_name_of_two_listed_measures_is_refused() -> None:
    with pytest.raises(InputError, match=r"more than once \(k_anonymity\(k=5\), k_anonymity\(k=20\)\): say which one"):
        meant("k_anonymity", [ammg.KAnonymity(k=5), ammg.KAnonymity(k=20)])


def test_two_limits_of_one_measure_need_different_parameters() -> None:
    with pytest.raises(InputError, match="'k_anonymity' has two limits with the same parameters: keep one"):
        limits_of([Limit("k_anonymity", 0), Limit(ammg.KAnonymity(k=3), 0.1)])
    assert len(limits_of([Limit("k_anonymity", 0), Limit(ammg.KAnonymity(k=4), 0.1)])) == 2


@pytest.mark.parametrize("given", [0.05, "frequency", ["frequency"], [("frequency", 0.1)]])
def test_what_is_no_limit_is_refused(given: object) -> None:
    with pytest.raises(InputError, match="is not a limit: write"):
        limits_of(given)  # type: ignore[arg-type]


def test_suggested_limits_are_risks_a_newcomer_knows_and_come_from_the_measures() -> None:
    suggested = suggested_limits()
    assert suggested["k_anonymity"] == 0
    assert {registry.find("measures", name).family for name in suggested} == {"risk"}
    assert all(Limit(name, value) for name, value in suggested.items())
    assert len(suggested) == 2
