import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.tables import ControlledTableRounding, PrimarySuppression, bound_cells


def table_of(cells: list[list[float]]) -> ammg.tables.Table:
    """A table of values whose cells are single records of these sizes, two in each cell."""
    rows, columns, values = [], [], []
    for i, line in enumerate(cells):
        for j, value in enumerate(line):
            rows += [f"r{i}"] * 2
            columns += [f"c{j}"] * 2
            values += [value * 0.9, value * 0.1]
    return ammg.tabulate(pl.DataFrame({"r": rows, "c": columns, "v": values}), "r", "c", value="v")


def test_one_suppressed_cell_in_a_row_is_known_exactly(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    rules = ["threshold"]
    found = bound_cells(table, PrimarySuppression(rules=rules).protect(table), rules)
    assert (found.sensitive, found.bounded, found.exact) == (6, 6, 6)


def test_bounds_are_those_of_the_margins() -> None:
    # A 3 × 3 table whose four corners are left out: with t in the first, the others are 40 - t, 30 - t and t + 30.
    table = table_of([[10, 50, 30], [60, 70, 80], [20, 90, 60]])
    gone = np.zeros((4, 4), dtype=bool)
    gone[np.ix_([0, 2], [0, 2])] = True
    bounds = np.where(gone, 0, table.values), np.where(gone, np.inf, table.values)
    shown = table.with_figures({"v": np.where(gone, np.nan, table.values)}, bounds)
    found = bound_cells(table, shown, {"threshold": {"least": 3}}, p=10).cells.filter(
        pl.col("r").is_in(["r0", "r2"]) & pl.col("c").is_in(["c0", "c2"])
    )
    assert found["lower"].to_list() == pytest.approx([0, 10, 0, 50])
    assert found["upper"].to_list() == pytest.approx([30, 40, 30, 80])
    assert found["bounded"].to_list() == [False, False, False, False]
    wide = bound_cells(table, shown, {"threshold": {"least": 3}}, p=25).cells
    assert wide.filter((pl.col("r") == "r2") & (pl.col("c") == "c2"))["bounded"].to_list() == [True]


def test_rounding_leaves_the_intruder_less(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    found = bound_cells(table, ControlledTableRounding(base=3).protect(table, 2), ["threshold"])
    assert found.exact == 0
    assert (found.cells["lower"] <= found.cells["true"]).all()
    assert (found.cells["upper"] >= found.cells["true"]).all()


def test_contradictions_and_wrong_tables_are_told(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    shown = PrimarySuppression().protect(table)
    wrong = table.with_figures(shown.figures, (shown.lower, np.where(np.isnan(shown.values), 0.5, shown.upper)))
    wrong.lower[np.isnan(shown.values)] = 0.0
    with pytest.raises(InputError, match="No table fits these figures"):
        bound_cells(table, wrong, ["threshold"])
    with pytest.raises(InputError, match="different shapes"):
        bound_cells(table, ammg.tabulate(patients, "State"), ["threshold"])
    with pytest.raises(InputError, match="p is 0 percent"):
        bound_cells(table, shown, ["threshold"], p=0)
