import polars as pl
import pytest

import ammg
from ammg.errors import InputError

TABLE = pl.DataFrame({"area": ["a"] * 100 + ["b"] * 10 + ["c"], "w": [1.0] * 100 + [5.0] * 10 + [9.0]})


def test_every_stratum_keeps_its_share_and_at_least_one_record() -> None:
    masked = ammg.Pipeline([ammg.StratifiedSampling(fraction=0.3, within=["area"])]).run(TABLE, 1)
    assert dict(masked.table.group_by("area").len().rows()) == {"a": 30, "b": 3, "c": 1}
    assert masked.link.tolist() == sorted(masked.link.tolist())


def test_weights_keep_the_total_of_every_stratum() -> None:
    data = ammg.Microdata(TABLE).with_roles(weight="w", stratum="area")
    masked = ammg.Pipeline([ammg.StratifiedSampling(fraction=0.3)]).run(data, 1)
    assert dict(masked.table.group_by("area").agg(pl.col("w").sum().round(9)).rows()) == {"a": 100, "b": 50, "c": 9}


def test_records_without_a_stratum_are_one() -> None:
    table = pl.DataFrame({"area": [None] * 10 + ["b"] * 10})
    masked = ammg.Pipeline([ammg.StratifiedSampling(fraction=0.5, within=["area"])]).run(table, 1)
    assert masked.table["area"].null_count() == 5


def test_without_strata_the_step_is_refused() -> None:
    with pytest.raises(InputError, match=r"needs strata: name columns in `within`, or give a column the role stratum"):
        ammg.Pipeline([ammg.StratifiedSampling(fraction=0.3)]).run(TABLE)
