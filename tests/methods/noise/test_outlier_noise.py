import numpy as np
import polars as pl
import pytest

import ammg


def test_only_records_that_stand_out_are_changed_and_the_owner_is_told() -> None:
    rng = np.random.default_rng(0)
    records = np.vstack([rng.normal(size=(500, 2)), rng.normal(20, 1, size=(10, 2))])
    run = ammg.Pipeline([ammg.OutlierNoise(level=0.999)]).run(pl.DataFrame(records, schema=["a", "b"]), secret=1)
    changed = (run.table.to_numpy() != records).any(axis=1)
    assert changed[500:].all()
    assert changed[:500].sum() < 10
    assert f"{changed.sum()} of 510 records are outliers" in run.steps[0].notes[0]


def test_sums_of_parts_are_kept(census_data) -> None:
    masked = ammg.Pipeline([ammg.OutlierNoise(d=0.5)]).run(census_data, secret=1).table.to_numpy()
    assert np.abs(masked[:, 4] - masked[:, 7] - masked[:, 9]).max() < 1e-9 * np.abs(masked[:, 4]).max()


def test_missing_values_stay_missing() -> None:
    data = pl.DataFrame({"a": [*range(30), 500, None], "b": [*range(31), None]})
    masked = ammg.Pipeline([ammg.OutlierNoise()]).run(data, secret=1).table
    assert masked["a"].null_count() == masked["b"].null_count() == 1
    assert masked["a"][30] != 500


@pytest.mark.parametrize("level", [0.5, 1.0])
def test_levels_that_mark_half_or_nobody_are_refused(level) -> None:
    with pytest.raises(ValueError, match="level"):
        ammg.OutlierNoise(level=level)


@pytest.mark.parametrize("weighted", [False, True])
def test_zeros_of_outliers_may_stay_with_more_noise_on_the_others(weighted) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(20_000, 2))
    far = rng.random(20_000) < 0.3
    values[far] = np.where(rng.random((int(far.sum()), 2)) < 0.5, 0.0, 50.0 + values[far])
    table = pl.DataFrame({"x": values[:, 0], "y": values[:, 1], "w": np.where(values[:, 0] == 0, 3.0, 1.0)})
    data = ammg.Microdata(table).with_roles(weight="w") if weighted else ammg.Microdata(table)
    run = ammg.Pipeline([ammg.OutlierNoise(columns=["x", "y"], d=0.01, zeros="keep")]).run(data, secret=1)
    change = run.table["x"].to_numpy() - values[:, 0]
    weights = table["w"].to_numpy() if weighted else np.ones(20_000)
    marked = (run.table["y"] != table["y"]).to_numpy() | (change != 0)  # those with two zeros do not stand out
    wanted = 0.01 * np.cov(values[:, 0], aweights=weights)
    assert (change[values[:, 0] == 0] == 0).all()
    assert np.average(change[marked] ** 2, weights=weights[marked]) == pytest.approx(wanted, rel=0.06)
