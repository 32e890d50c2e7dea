"""A step may be limited to some records."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import CHUNK
from ammg.errors import ColumnError, InputError
from ammg.methods.method import RiskAbove

TABLE = pl.DataFrame(
    {"age": [20, 85, 90, None], "sex": ["f", "m", "f", "m"], "wage": [1.0, 2.0, 3.0, 4.0], "it's": [1, 2, 3, 4]}
)


def changed(where: object, table: pl.DataFrame = TABLE) -> list[bool]:
    step = ammg.Rounding(columns=["wage"], base=1000, where=where)
    return (ammg.Pipeline([step]).run(table).table["wage"] != table["wage"]).to_list()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("age > 80", [False, True, True, False]),
        ("age > 80 AND sex = 'f'", [False, False, True, False]),
        ("age IS NULL", [False, False, False, True]),
        ("NOT (sex = 'f')", [False, True, False, True]),
        ("age BETWEEN 20 AND 85", [True, True, False, False]),
        ("age IN (20, 90)", [True, False, True, False]),
        ("sex = 'm' or age not in (85, 90)", [True, True, False, True]),
        ("sex in ('f', 'it''s (x)')", [True, False, True, False]),
        ("sex IN ('m')", [False, True, False, True]),
        ('"it\'s" >= 3', [False, False, True, True]),
    ],
)
def test_only_records_that_meet_the_condition_are_masked(where: str, expected: list[bool]) -> None:
    assert changed(where) == expected


def test_what_is_not_a_number_is_missing_in_conditions_too() -> None:
    table = pl.DataFrame({"w": [1.0, float("nan"), 3.0, None], "wage": [1.0, 2.0, 3.0, 4.0]})
    assert changed("w > 2", table) == [False, False, True, False]
    assert changed("w IS NULL OR w < 2", table) == [True, True, False, True]
    assert changed("w > 2", table.with_columns(pl.col("w").fill_nan(None))) == [False, False, True, False]


def test_the_plan_is_made_from_those_records_alone() -> None:
    step = ammg.TopCoding(columns=["wage"], share=0.5, where="sex = 'f'")
    assert ammg.Pipeline([step]).run(TABLE).table["wage"].to_list() == [1, 2, 3, 4]
    step = ammg.UnivariateMicroaggregation(columns=["wage"], k=2, where="sex = 'f'")
    assert ammg.Pipeline([step]).run(TABLE).table["wage"].to_list() == [2, 2, 2, 4]


def test_records_above_a_risk_are_masked_and_others_stay(patients: ammg.Microdata) -> None:
    step = ammg.Rounding(columns=["Age"], base=10, where=RiskAbove(risk="frequency", above=0.5))
    masked = ammg.Pipeline([step]).run(patients)
    # Angela Simms (25, IN) and Nike Wood (35, MI) are alone in their cells.
    assert masked.table["Age"].to_list() == [44, 44, 55, 44, 55, 45, 20, 40, 55, 45]


def test_recode_then_perturb_what_is_still_risky(survey: ammg.Microdata) -> None:
    recode = ammg.GlobalRecoding(columns=["age"], groups=5)
    risk = ammg.evaluate(ammg.Pipeline([recode]).run(survey, 1), ["frequency"])["frequency"].people.by_record
    risky = RiskAbove(risk="frequency", above=float(np.median(risk)))
    masked = ammg.Pipeline([recode, ammg.AdditiveNoise(columns=["wages"], p=0.5, where=risky)]).run(survey, 1)
    touched = (masked.table["wages"] != survey.table["wages"]).to_numpy()
    assert np.array_equal(touched, risk > np.median(risk))


def test_when_nobody_meets_the_condition_nothing_changes_and_it_is_noted() -> None:
    masked = ammg.Pipeline([ammg.Rounding(columns=["wage"], where="age > 200")]).run(TABLE)
    assert masked.table.equals(TABLE)
    assert masked.steps[0].notes == ("no record meets the condition",)


def test_noise_of_one_record_alone_changes_nothing_and_it_is_noted() -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wage"], where="age = 90")]).run(TABLE, 1)
    assert masked.steps[0].notes == ("it changed no value",)


def test_integers_that_become_fractions_are_fractions_everywhere() -> None:
    step = ammg.AdditiveNoise(columns=["it's"], where="sex = 'f'")
    masked = ammg.Pipeline([step]).run(TABLE, 1).table["it's"]
    assert masked.dtype == pl.Float64
    assert masked.to_list()[1::2] == [2.0, 4.0]


def test_chunks_do_not_change_who_is_chosen() -> None:
    table = pl.DataFrame({"wage": np.arange(CHUNK + 10.0)})
    assert np.flatnonzero(changed("wage >= 65530", table)).tolist() == list(range(65_530, CHUNK + 10))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("age >", r'Condition "age >" cannot be read'),
        ("group = 3", r"Column names that contain blanks or are words of SQL go in double quotes"),
        ("age > AVG(age)", r"looks at many records at once \(AVG\): write the number itself"),
        ("age > 'old'", r'Condition "age > \'old\'" does not fit the data'),
        ("age", r'Condition "age" does not fit the data'),
        (RiskAbove(risk="il1", above=0.1), "'il1' has no value for single records"),
        (RiskAbove(risk="frequncy", above=0.1), "Unknown measure 'frequncy'. Did you mean 'frequency'"),
    ],
)
def test_a_condition_that_cannot_be_used_is_refused(where: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        changed(where)


def test_a_day_is_compared_with_a_day() -> None:
    table = TABLE.with_columns(born=pl.date(pl.Series([1950, 1960, 1970, 1980]), 1, 31))
    assert changed("born > DATE '1965-01-01'", table) == [False, False, True, True]
    with pytest.raises(InputError, match=r"with something else; a day is written DATE '2020-01-31'\.$"):
        changed("born > '1965-01-01'", table)


def test_a_condition_on_an_unknown_column_gets_the_nearest_one() -> None:
    with pytest.raises(ColumnError, match=r"Step 1 \(rounding\): Column 'agee' not found\. Did you mean 'age'\?"):
        changed("agee > 80")


def test_a_recoding_cannot_be_limited() -> None:
    with pytest.raises(InputError, match="where: unknown parameter"):
        ammg.GlobalRecoding(columns=["sex"], map={"f": "x"}, where="age > 80")
    with pytest.raises(InputError, match="identifier_removal drops sex and cannot be limited by a condition"):
        ammg.Pipeline([ammg.IdentifierRemoval(columns=["sex"], where="age > 80")]).run(TABLE)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("age == 30 & sex == 'f'", "write AND instead of &"),
        ("age = 30 | sex = 'f'", r"write OR instead of \|"),
        ("age >> 3", "write > instead of >>"),
        ("age => 3", "write >= instead of =>"),
        ("foo(age) > 2", "there is no function foo"),
        ("age > 'old'", "it compares text with a number"),
        ("age", "it is not a comparison such as age > 80"),
    ],
)
def test_a_wrong_condition_is_answered_in_words_of_its_own(condition: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        changed(condition)
    assert not any(word in str(refused.value) for word in ("operator", "i64", "Boolean", "series", "parse"))


def test_signs_inside_quotes_are_text() -> None:
    assert changed("sex = 'a & b' OR age > 80") is not None
