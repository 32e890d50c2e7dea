import numpy as np
import polars as pl
import pytest

import ammg
from ammg.kernels.loss.information_loss import average, il1s_entries


def loss(data: ammg.Microdata, **options: object) -> float:
    masked = ammg.Pipeline([ammg.Jpeg(**options)]).run(data, secret=1).table
    return average(il1s_entries(data.table.to_numpy().astype(float), masked.to_numpy().astype(float)))


def test_losses_on_census_are_those_of_the_prototype(census_data, shared) -> None:
    published = pl.read_csv(shared / "spec" / "targets" / "mateo_prototype_values.csv")
    for quality in (10, 50, 90):
        row = published.row(
            by_predicate=(pl.col("dataset") == "CENSUS") & (pl.col("method") == f"J{quality}"), named=True
        )
        assert loss(census_data, quality=quality) == pytest.approx(row["IL1s_all"], abs=0.002)


def test_records_in_the_order_of_their_principal_component_lose_less(census_data) -> None:
    assert loss(census_data, order="principal") < 0.9 * loss(census_data)


def test_values_stay_in_range_and_missing_ones_missing() -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({"a": [None, *rng.normal(size=40).tolist()], "b": rng.lognormal(size=41), "c": [5] * 41})
    for scale in ("column", "file"):
        masked = ammg.Pipeline([ammg.Jpeg(quality=10, scale=scale)]).run(data).table
        assert masked["a"][0] is None
        assert masked["a"].min() >= data["a"].min()
        assert masked["b"].max() <= data["b"].max()
        assert (masked["c"] == 5).all()


def test_nothing_is_random(census_data) -> None:
    first, second = (ammg.Pipeline([ammg.Jpeg()]).run(census_data, secret).table for secret in (1, 2))
    assert first.equals(second)
