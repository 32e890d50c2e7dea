import pytest

import ammg

RISKS = {"distance_linkage": 12.5, "probabilistic_linkage": 12.5, "rank_interval_disclosure": 25}


def test_half_is_loss_and_half_is_risk(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages", "pensions", "income"], p=0.3)]).run(survey, 1)
    losses = [ammg.IL1(version="original"), "il2", "il3", "il4", "il5"]
    found = ammg.evaluate(masked, ["domingo_ferrer_torra_score", *losses, *RISKS])
    loss = sum(found.value(name) for name in ("il1", "il2", "il3", "il4", "il5")) / 5
    risk = sum(weight * found.value(name) for name, weight in RISKS.items())
    assert found.value("domingo_ferrer_torra_score") == pytest.approx(50 * loss + risk)


def test_it_is_not_defined_where_a_part_is_not() -> None:
    data = ammg.Microdata(ammg.datasets.survey(50, seed=1).select("region", "sex"))
    reason = ammg.evaluate(data, "domingo_ferrer_torra_score")["domingo_ferrer_torra_score"].reason
    assert reason == "no numeric attribute to compare"
