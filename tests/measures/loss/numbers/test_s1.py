import pytest

import ammg

PARTS = ["il1", "il2", "il3", "il4", "il5"]


def test_s1_is_the_mean_of_its_parts(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.CorrelatedNoise(columns=["wages", "pensions", "income"], d=0.2)]).run(survey, 1)
    found = ammg.evaluate(masked, ["s1", *PARTS])
    assert found.value("s1") == pytest.approx(sum(found.value(part) for part in PARTS) / 5)
    assert found["s1"].facts == {part: found.value(part) for part in PARTS}


def test_s1_may_look_at_some_columns(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"], p=0.5)]).run(survey, 1)
    quiet = ammg.evaluate(masked, [ammg.S1(columns=["pensions", "income"])]).value("s1")
    assert quiet == 0 < ammg.evaluate(masked, [ammg.S1(columns=["wages", "income"])]).value("s1")


def test_s1_is_not_defined_where_a_part_is_not(survey: ammg.Microdata) -> None:
    assert ammg.evaluate(survey, [ammg.S1(columns=["wages"])])["s1"].reason.startswith("a correlation needs two")
