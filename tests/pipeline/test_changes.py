"""What a step changed is written down."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.encoding import ID
from ammg.pipeline.changes import changes

TABLE = pl.DataFrame({"x": [1, 4, 9, None], "nan": [1.0, float("nan"), 3.0, 4.0], "c": ["a", "b", "c", None]})


def changed(*steps: ammg.Method) -> object:
    return ammg.Pipeline(steps).run(TABLE, 1).steps[-1].changed


def test_cells_and_sizes_of_changes_are_counted() -> None:
    found = changed(ammg.Rounding(columns=["x"], base=10))
    assert found == {"x": {"cells": 3, "mean_change": pytest.approx(2), "largest_change": 4}}


def test_columns_that_a_step_leaves_alone_are_not_named() -> None:
    assert changed(ammg.Rounding(columns=["x"], base=1)) == {}
    assert changed(ammg.Sampling(fraction=0.5)) == {}


def test_values_that_are_not_numbers_do_not_count_as_changed() -> None:
    assert changed(ammg.Rounding(columns=["nan"], base=10))["nan"] == {
        "cells": 3,
        "mean_change": pytest.approx(8 / 3),
        "largest_change": 4,
    }


def test_categories_are_counted_by_name() -> None:
    assert changed(ammg.GlobalRecoding(columns=["c"], map={"a": "x"})) == {"c": {"cells": 1}}


def test_numbers_that_become_names_count_as_changed() -> None:
    assert changed(ammg.GlobalRecoding(columns=["x"], cuts=(3,))) == {"x": {"cells": 3}}


@pytest.mark.parametrize("spoilt", [None, float("nan"), float("inf"), "nothing"])
def test_floats_are_counted_alike_with_and_without_gaps_and_infinities(spoilt: float | str | None) -> None:
    rng = np.random.default_rng(5)
    before = pl.DataFrame({ID: np.arange(70_000), "x": rng.normal(size=70_000)})
    moved = np.where(rng.random(70_000) < 0.3, rng.normal(size=70_000), 0.0)
    after = before.with_columns(x=before["x"] + moved)
    if spoilt != "nothing":  # one value that the quick way does not take
        after = after.with_columns(pl.when(pl.col(ID) == 69_999).then(pl.lit(spoilt)).otherwise("x").alias("x"))
    clean = after.height if spoilt == "nothing" else after.height - 1
    found, whole = changes(before[:clean], after[:clean], ["x"])["x"], changes(before, after, ["x"])["x"]
    gaps = np.abs((after["x"] - before["x"]).to_numpy()[:clean])
    assert (found.cells, found.numbers) == (np.count_nonzero(gaps), len(gaps))
    assert (found.total, found.largest) == (pytest.approx(gaps.sum()), gaps.max())
    assert whole.cells - found.cells == (spoilt != "nothing")
