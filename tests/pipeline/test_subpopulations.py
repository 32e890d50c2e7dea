"""Any loss on a part of the file, and with Kim's correction where noise is published."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import AmmgError

RNG = np.random.default_rng(5)
N = 4000
GROUP = np.where(RNG.random(N) < 0.3, "small", "large")
X = RNG.multivariate_normal([10, 20], [[4, 2], [2, 3]], size=N) * np.where(GROUP == "small", 1.0, 3.0)[:, None]
DATA = ammg.Microdata(pl.DataFrame({"group": GROUP, "x": X[:, 0], "y": X[:, 1]})).with_roles(confidential=["x", "y"])
NOISE = ammg.CorrelatedNoise(columns=("x", "y"), d=0.5, below_zero="allow")
MASKED = ammg.Pipeline([NOISE]).run(DATA, 1)


def value(measure: ammg.Measure, masked: object = MASKED) -> float:
    return ammg.evaluate(masked, measure).value(measure)


def by_hand(measure: ammg.Measure, rows: np.ndarray) -> float:
    original, masked = (
        ammg.Microdata(side.table.filter(pl.Series(rows)), side.schema) for side in (DATA, MASKED.pair.masked)
    )
    return ammg.evaluate(ammg.Pair(original, masked, np.arange(int(rows.sum()))), measure).value(measure)


@pytest.mark.parametrize("name", ["IL1s", "IL3r", "KolmogorovSmirnov", "CellLoss", "PropensityScore"])
def test_a_condition_chooses_records(name: str) -> None:
    unit = getattr(ammg, name)
    assert value(unit(where="x > 20")) == pytest.approx(by_hand(unit(), X[:, 0] > 20))


def test_each_level_is_measured_and_the_worst_is_the_value() -> None:
    found = ammg.evaluate(MASKED, ammg.IL1s(each="group"))["il1s"]
    table = found.tables["levels"]
    expected = {level: by_hand(ammg.IL1s(), level == GROUP) for level in ("large", "small")}
    assert table.lookup("level", "value") == pytest.approx(expected)
    assert found.value == pytest.approx(max(expected.values()))
    assert sum(table["records"]) == N


def test_a_small_level_is_not_named() -> None:
    table = DATA.table.with_columns(group=pl.when(pl.int_range(N) < 3).then(pl.lit("rare")).otherwise("group"))
    masked = ammg.Pipeline([NOISE]).run(ammg.Microdata(table, DATA.schema), 1)
    levels = ammg.evaluate(masked, ammg.IL1s(each="group"))["il1s"].tables["levels"]["level"]
    assert sorted(levels) == ["a small level", "large", "small"]


def test_the_most_outlying_records_stand_beside_the_rest() -> None:
    table = DATA.table.with_columns(x=pl.when(pl.int_range(N) < 100).then(pl.col("x") + 500).otherwise("x"))
    steps = [ammg.TopCoding(columns="x", threshold=100)]
    masked = ammg.Pipeline(steps).run(ammg.Microdata(table, DATA.schema), 1)
    found = ammg.evaluate(masked, ammg.IL1s(columns="x", outlying=0.025))["il1s"]
    assert found.facts["records"] == 100
    assert found.facts["rest"] == 0 < found.value


def test_kims_correction_gives_the_moments_of_a_subdomain_back() -> None:
    plain, corrected = (value(ammg.IL3r(where="\"group\" = 'small'", kim=kim)) for kim in (False, True))
    assert plain > 1  # the noise is that of the whole file
    assert corrected < 0.1 * plain


def test_a_scaled_file_and_a_plain_one_have_the_same_corrected_moments() -> None:
    scaled = ammg.Pipeline([ammg.CorrelatedNoise(columns=("x", "y"), d=0.5, rescaled=True, below_zero="allow")]).run(
        DATA, 1
    )
    for measure in (ammg.IL2, ammg.IL3r, ammg.IL4):
        once, twice = (value(measure(where="x > 15", kim=True), masked) for masked in (MASKED, scaled))
        assert once == pytest.approx(twice, rel=1e-6)


def test_noise_that_is_not_published_cannot_be_corrected() -> None:
    swapped = ammg.Pipeline([ammg.RankSwapping(columns=("x", "y"), p=5)]).run(DATA, 1)
    reason = ammg.evaluate(swapped, ammg.IL3(kim=True))["il3"].reason
    assert reason == "no noise on these attributes is published: drop the correction"


def test_an_empty_part_is_a_sentence_in_the_table() -> None:
    assert (
        ammg.evaluate(MASKED, ammg.IL1s(where="x > 1e9"))["il1s"].reason == "no record belongs to this part of the file"
    )


@pytest.mark.parametrize("options", [{"where": "nothing > 1"}, {"each": "nothing"}])
def test_a_column_that_is_not_there_is_named(options: dict[str, str]) -> None:
    with pytest.raises(AmmgError, match="'nothing' not found"):
        ammg.evaluate(MASKED, ammg.IL1s(**options))


def test_parts_have_scores_too() -> None:
    found = ammg.evaluate(MASKED, ammg.IL1s(where="x > 20"), scores=True)
    assert 0 < found.scores["il1s"] < 1
