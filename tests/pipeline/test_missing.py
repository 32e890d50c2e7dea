"""One policy for missing values; its effects on noise are in the tests of correlated noise."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError


def table(missing: object) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    values = {"a": rng.normal(size=100).tolist(), "b": rng.normal(size=100).tolist()}
    values["a"][:30] = [missing] * 30
    return pl.DataFrame(values)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_null_and_nan_are_missing_alike(missing: object) -> None:
    masked = ammg.Pipeline([ammg.CorrelatedNoise(missing="by_pattern", exact=True)]).run(table(missing), 1)
    assert masked.table["a"].fill_nan(None).null_count() == 30
    noise = (masked.table["b"] - table(missing)["b"]).to_numpy()
    assert np.all(noise != 0)


def test_records_without_any_value_are_left_as_they_are() -> None:
    frame = pl.concat(
        [table(None), pl.DataFrame({"a": [None], "b": [None]}, schema={"a": pl.Float64, "b": pl.Float64})]
    )
    masked = ammg.Pipeline([ammg.CorrelatedNoise(missing="by_pattern")]).run(frame, 1)
    assert masked.table.row(100) == (None, None)


def test_a_record_whose_pattern_nobody_shares_gets_noise_of_the_whole_file() -> None:
    frame = table(None).with_columns(b=pl.when(pl.int_range(pl.len()) == 99).then(None).otherwise(pl.col("b")))
    pipeline = ammg.Pipeline([ammg.CorrelatedNoise(missing="by_pattern", d=0.5)])
    noise = [pipeline.run(frame, secret).table["a"][99] - frame["a"][99] for secret in map(Secret.known, range(80))]
    assert pipeline.run(frame, 1).table["b"][99] is None
    assert np.var(noise) == pytest.approx(0.5 * frame["a"].var(), rel=4 * np.sqrt(2 / 80))


def test_patterns_and_a_condition_cannot_be_combined() -> None:
    step = ammg.CorrelatedNoise(missing="by_pattern", where="b > 0")
    with pytest.raises(InputError, match="by_pattern and a condition cannot be combined; use available"):
        ammg.Pipeline([step]).run(table(None))


def test_refusing_says_which_column_lacks_how_many() -> None:
    with pytest.raises(InputError, match="Column 'a' has 30 missing values, which correlated_noise refuses"):
        ammg.Pipeline([ammg.CorrelatedNoise(missing="refuse")]).run(table(None))
    complete = table(0.0)
    assert ammg.Pipeline([ammg.CorrelatedNoise(missing="refuse")]).run(complete, 1).t == 100


def test_groups_of_each_pattern_have_k_records_though_some_patterns_are_rare() -> None:
    rng = np.random.default_rng(2)
    values = np.where(rng.random((300, 3)) < 0.08, np.nan, rng.normal(size=(300, 3)))
    frame = pl.DataFrame(values, schema=list("abc")).fill_nan(None)
    masked = ammg.Pipeline([ammg.Mdav(missing="by_pattern", k=8)]).run(frame, 1).table
    for name in "abc":
        assert masked[name].is_null().equals(frame[name].is_null())
        assert masked[name].drop_nulls().value_counts()["count"].min() >= 8
    complete = masked.drop_nulls()
    assert complete.group_by("a", "b", "c").len()["len"].min() >= 8


def test_missing_values_are_refused_only_among_the_records_that_a_step_is_limited_to() -> None:
    step = ammg.CorrelatedNoise(missing="refuse", where="a IS NOT NULL")
    masked = ammg.Pipeline([step]).run(table(None), 1)
    assert masked.table["a"].null_count() == 30
    assert (masked.table["b"] != table(None)["b"]).to_list() == [False] * 30 + [True] * 70
    with pytest.raises(InputError, match="Column 'a' has 30 missing values"):
        ammg.Pipeline([ammg.CorrelatedNoise(missing="refuse", where="b < 100")]).run(table(None), 1)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_patterns_of_a_stream_are_masked_without_holding_it(missing: object, tmp_path: Path) -> None:
    table(missing).write_parquet(tmp_path / "in.parquet", row_group_size=40)
    pipeline = ammg.Pipeline([ammg.CorrelatedNoise(missing="by_pattern")])
    streamed = pipeline.run(ammg.read(tmp_path / "in.parquet", stream=True), 1)
    assert not streamed.source.in_memory
    assert streamed.table.equals(pipeline.run(table(missing), 1).table)
