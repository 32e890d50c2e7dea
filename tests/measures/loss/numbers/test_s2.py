import pytest

import ammg

PARTS = ["il1s", "il2", "il4", "il5"]


def test_s2_is_the_mean_of_its_parts(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.CorrelatedNoise(columns=["wages", "pensions", "income"], d=0.2)]).run(survey, 1)
    found = ammg.evaluate(masked, ["s2", *PARTS])
    assert found.value("s2") == pytest.approx(sum(found.value(part) for part in PARTS) / 4)
    assert found["s2"].facts == {part: found.value(part) for part in PARTS}


def test_s2_may_look_at_some_columns(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"], p=0.5)]).run(survey, 1)
    quiet = ammg.evaluate(masked, [ammg.S2(columns=["pensions", "income"])]).value("s2")
    assert quiet == 0 < ammg.evaluate(masked, [ammg.S2(columns=["wages", "income"])]).value("s2")


def test_s2_is_not_defined_where_a_part_is_not(survey: ammg.Microdata) -> None:
    assert ammg.evaluate(survey, [ammg.S2(columns=["wages"])])["s2"].reason.startswith("a correlation needs two")
