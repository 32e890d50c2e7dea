"""What a step changed is written down."""

import polars as pl
import pytest

import ammg

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
