import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.tables import Dominance, PPercent, Threshold, sensitive_cells

FIRMS = pl.DataFrame({"cell": ["a"] * 3 + ["b"] * 3 + ["c"] * 4, "turnover": [80, 15, 5, 50, 30, 20, 40, 38, 2, 1]})


def failing(*rules: object) -> list[str]:
    return sensitive_cells(ammg.tabulate(FIRMS, "cell", value="turnover"), rules)["cell"].to_list()


def test_dominance_looks_at_the_share_of_the_largest() -> None:
    # a: 80 %, b: 50 %, c: 40/81 = 49 %; of the two largest 95 %, 80 %, 96 %.
    assert failing(Dominance(n=1, k=75)) == ["a"]
    assert failing(Dominance(n=2, k=90)) == ["a", "c"]
    assert failing(Dominance(n=2, k=79)) == ["a", "b", "c"]


def test_the_p_percent_rule_lets_the_second_largest_guess() -> None:
    # The rest hides 5 of 80 (6.25 %), 20 of 50 (40 %), 3 of 40 (7.5 %).
    assert failing(PPercent(p=7)) == ["a"]
    assert failing(PPercent(p=8)) == ["a", "c"]
    reasons = sensitive_cells(ammg.tabulate(FIRMS, "cell", value="turnover"), PPercent(p=7))["reason"]
    assert reasons.to_list() == ["the second largest knows the largest to within 6.2 %, less than 7 %"]


def test_the_threshold_is_about_cells_that_are_not_empty(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    found = sensitive_cells(table, [Threshold(least=3)])
    assert len(found) == 6
    assert found.row(0) == ("IN", "Diabetes", "threshold", "1 record, fewer than 3")


def test_rules_are_found_by_name_and_refused_where_they_say_nothing(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State")
    assert len(sensitive_cells(table, "threshold")) == 1
    assert len(sensitive_cells(table, {"threshold": {"least": 10}})) == 2
    with pytest.raises(InputError, match=r"Unknown 'treshold'\. Did you mean 'threshold'\?"):
        sensitive_cells(table, "treshold")
    with pytest.raises(InputError, match="dominance is about contributions to a sum"):
        sensitive_cells(table, "dominance")
    with pytest.raises(InputError, match="'least' of threshold"):
        sensitive_cells(table, {"threshold": {"least": 1}})
