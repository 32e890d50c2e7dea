import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.tables import (
    ControlledTableRounding,
    PrimarySuppression,
    RandomTableRounding,
    SemiControlledTableRounding,
    compare,
)
from ammg.tables.units import protection_of


@pytest.fixture(scope="module")
def table() -> ammg.tables.Table:
    return ammg.tabulate(ammg.Microdata(ammg.datasets.survey(800, seed=4)), "education", "health", weight=False)


def test_primary_suppression_leaves_out_what_fails_a_rule(table) -> None:
    shown = PrimarySuppression(rules=[{"threshold": {"least": 5}}]).protect(table)
    small = (table.values > 0) & (table.values < 5)
    assert small.any()
    assert np.array_equal(np.isnan(shown.values), small)
    assert np.array_equal(shown.values[~small], table.values[~small])


def test_rounded_tables_are_multiples_next_to_the_truth_and_unbiased(table) -> None:
    for unit in (RandomTableRounding(base=4), SemiControlledTableRounding(base=4), ControlledTableRounding(base=4)):
        files = np.array([unit.protect(table, Secret.known(s)).values for s in range(200)])
        assert (files % 4 == 0).all()
        inner = table.layout.is_inner()
        assert (np.abs(files - table.values)[:, inner] < 4).all()
        # The variance of a rounded count is at most 4, so that the mean of 200 deviates by 0.14 at most.
        assert np.abs(files.mean(axis=0) - table.values)[inner].max() < 5 * 0.1415


def test_semi_controlled_rows_and_controlled_margins_stay_near_and_add_up(table) -> None:
    semi = SemiControlledTableRounding(base=5).protect(table, 1).values
    assert (np.abs(semi - table.values)[:, -1] < 5).all()
    full = ControlledTableRounding(base=5).protect(table, 1).values
    assert (np.abs(full - table.values) < 5).all()
    for shown in (semi, full):
        assert np.array_equal(shown[:-1].sum(axis=0), shown[-1])
        assert np.array_equal(shown[:, :-1].sum(axis=1), shown[:, -1])


def test_controlled_rounding_takes_two_attributes(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match="Controlled rounding takes a two-way table; this one has 1"):
        ControlledTableRounding().protect(ammg.tabulate(patients, "State"))


def test_the_truth_lies_within_what_is_told(table) -> None:
    for unit in (PrimarySuppression(), RandomTableRounding(), SemiControlledTableRounding(), ControlledTableRounding()):
        shown = unit.protect(table, 3)
        assert ((shown.lower <= table.values) & (table.values <= shown.upper)).all(), unit.name


def test_protections_are_found_by_name() -> None:
    assert protection_of({"random_table_rounding": {"base": 3}}) == RandomTableRounding(base=3)
    assert protection_of("primary_suppression") == PrimarySuppression()
    with pytest.raises(InputError, match="neither a name nor a name with parameters"):
        protection_of(3)


def test_losses_are_counted_cell_by_cell() -> None:
    data = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 1, "b": ["u", "u", "v", "v", "v"]})
    true = ammg.tabulate(data, "a", "b")
    assert compare(true, true).facts["mean_absolute_difference"] == 0
    shown = true.with_figures({"count": np.array([[2, 5, 7], [1, np.nan, 1], [3, 5, 8]], dtype=float)})
    found = compare(true, shown)
    # Inner cells 2, 2, 0, 1 are shown as 2, 5, 1 and suppressed.
    assert found.facts["mean_absolute_difference"] == pytest.approx((0 + 3 + 1 + 1) / 4)
    assert found.facts["mean_relative_difference"] == pytest.approx((0 + 1.5 + 1 + 1) / 4)
    assert (found.facts["suppressed"], found.facts["false_non_zeros"], found.facts["false_zeros"]) == (1, 1, 0)
    assert found.cells.filter(~pl.col("margin"))["difference"].to_list() == [0, 3, 1, None]


def test_categories_that_were_merged_or_lost_count_nothing(patients: ammg.Microdata) -> None:
    true = ammg.tabulate(patients, "State")
    few = ammg.tabulate(patients.table.filter(pl.col("State") == "MI"), "State")
    assert compare(true, few).cells["shown"].to_list() == [0, 9, 9]
    with pytest.raises(InputError, match="A table by State cannot be compared with one by Diagnosis"):
        compare(true, ammg.tabulate(patients, "Diagnosis"))


def test_both_routes_of_the_patient_table(patients: ammg.Microdata) -> None:
    """Tabulate and then mask (g' on T), mask and then tabulate (f' on MM): figure 1.1 of the AMMG paper."""
    true = ammg.tabulate(patients, "State", "Diagnosis")
    by_table = ControlledTableRounding(base=3).protect(true, 5)
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.8)]).run(patients, 5)
    by_microdata = ammg.tabulate(masked.pair.masked, "State", "Diagnosis")
    assert by_microdata.values[-1, -1] == 8
    assert compare(true, by_table).facts["largest_difference"] < 3
    assert compare(true, by_microdata).facts["largest_difference"] <= 2
