"""A recoding that merges nothing leaves every risk and every loss as it was, whatever the type of the codes."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import ammg

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
RISKS = ["distance_linkage", "probabilistic_linkage", "target_unit", "journalist_risk", "marketer_risk", "cell_loss"]


def coded(shared: Path, dtype: type[pl.DataType], records: int = 4580) -> ammg.Microdata:
    table = pl.read_csv(shared / "data" / "testdata.csv").select(*KEYS, "age").head(records)
    return (
        ammg.Microdata(table.with_columns(pl.col(KEYS).cast(dtype)))
        .with_kinds(nominal=KEYS)
        .with_roles(key=table.columns)
    )


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_an_idle_recoding_does_not_lower_the_risk_of_testdata(shared: Path, dtype: type[pl.DataType]) -> None:
    data = coded(shared, dtype)
    unique = data.table.unique().height / len(data)  # 55.5 %
    step = ammg.RareCategoryRecoding(columns=KEYS, keep=12)
    found = ammg.evaluate(ammg.Pipeline([step]).run(data), ["distance_linkage", "target_unit"], before=False)
    assert found.value("distance_linkage") == pytest.approx(unique)
    assert found.value("target_unit") == pytest.approx(unique)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_an_idle_map_changes_no_risk_and_no_loss(shared: Path, dtype: type[pl.DataType]) -> None:
    data = coded(shared, dtype, 500)
    names = [str(category) for category in data.dictionary("urbrur")]
    step = ammg.GlobalRecoding(columns=["urbrur"], map={name: name for name in names})
    after = ammg.evaluate(ammg.Pipeline([step]).run(data), RISKS, before=False)
    plain = ammg.evaluate(ammg.Pipeline([]).run(data), RISKS, before=False)
    for name in RISKS:
        assert after.value(name) == pytest.approx(plain.value(name)), name
