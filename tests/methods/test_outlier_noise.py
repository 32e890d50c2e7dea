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
    assert f"{changed.sum()} of 510 records stand out" in run.steps[0].notes[0]


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
