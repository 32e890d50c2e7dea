import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.parquet_table import ParquetTable
from ammg.errors import AmmgError, InputError

PATIENTS = [[0, 0, 1, 0, 1], [4, 3, 1, 1, 9], [4, 3, 2, 1, 10]]
"""State × Diagnosis of table A.1 in Truta, Fotouhi and Barth-Jones (2003), counted by hand, margins last."""


def test_the_patient_table_counts_states_by_diagnoses(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    assert table.values.tolist() == PATIENTS
    shown = table.to_polars()
    assert shown.columns == ["State", "AIDS", "Asthma", "Diabetes", "Tuberculosis", "Total"]
    assert shown["State"].to_list() == ["IN", "MI", "Total"]
    assert repr(table) == "Table(count by State (2) × Diagnosis (4))"


def test_a_table_is_microdata_whose_records_are_cells(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    assert isinstance(table, ammg.Microdata)
    assert len(table) == 15
    rounded = ammg.Pipeline([ammg.RandomRounding(base=5)]).run(table, 1)
    again = table.with_figures(rounded.table)
    assert set(np.unique(again.values)) <= {0, 5, 10}
    assert (np.abs(again.values - table.values) < 5).all()


@pytest.mark.parametrize("method", [ammg.Pram, ammg.InvariantPram, ammg.ExactPram])
def test_pram_moves_cells_and_never_a_total(patients: ammg.Microdata, method: type[ammg.Method]) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis", value="Income")
    for secret in range(5):
        changed = ammg.Pipeline([method(columns=["Diagnosis"], stay=0.2)]).run(table, secret)
        totals = [file["Diagnosis"] == "Total" for file in (table.table, changed.table)]
        assert totals[0].equals(totals[1])
        again = table.with_figures(changed.table)
        inner = changed.table.filter(~totals[0] & (pl.col("State") != "Total"))
        sums = inner.group_by("State", "Diagnosis").agg(pl.col("Income").sum())
        for state, diagnosis, income in sums.iter_rows():
            cell = again.table.filter((pl.col("State") == state) & (pl.col("Diagnosis") == diagnosis))
            assert cell["Income"].to_list() == [income]
        assert (again.values[:, -1] == table.values[:, -1]).all()
        assert (again.values[:, :-1].sum(axis=1) == again.values[:, -1]).all()
        assert again.contributors.records[-1, -1] == 10
        assert (again.contributors.largest[-1, -1] == table.contributors.largest[-1, -1]).all()
    assert not (again.values == table.values).all()


def test_a_matrix_that_moves_totals_is_refused(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    step = ammg.Pram(columns=["Diagnosis"], matrix={"AIDS": {"Total": 1.0}})
    with pytest.raises(InputError, match="moves cells to or from the total"):
        ammg.Pipeline([step]).run(table, 1)


def test_other_labels_than_those_of_the_table_are_refused(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis")
    with pytest.raises(InputError, match="which the table does not have"):
        table.with_figures(table.table.with_columns(State=pl.lit("OH")))


def test_a_masked_file_is_tabulated_as_it_is(patients: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(patients, 1)
    assert ammg.tabulate(masked, "State").values[-1] == 5
    again = ammg.tabulate(ammg.Microdata(masked.table, masked.schema), "Diagnosis")
    assert ammg.tabulate(masked, "Diagnosis").table.equals(again.table)


def test_values_are_added_up(patients: ammg.Microdata) -> None:
    table = ammg.tabulate(patients, "State", "Diagnosis", value="Income")
    by_hand = patients.table.group_by("State", "Diagnosis").agg(pl.col("Income").sum())
    for state, diagnosis, income in by_hand.iter_rows():
        cell = table.table.filter((pl.col("State") == state) & (pl.col("Diagnosis") == diagnosis))
        assert cell["Income"].to_list() == [income]
    assert table.values[-1, -1] == patients.table["Income"].sum()


def test_weights_are_used_unless_refused() -> None:
    data = ammg.Microdata(pl.DataFrame({"a": ["x", "y", "y"], "v": [1, 2, 3], "w": [2.0, 3.0, 5.5]}))
    data = data.with_roles(weight="w")
    assert ammg.tabulate(data, "a").values.tolist() == [2.0, 8.5, 10.5]
    assert ammg.tabulate(data, "a", weight=False).values.tolist() == [1, 2, 3]
    assert ammg.tabulate(data, "a", value="v").values.tolist() == [2.0, 22.5, 24.5]
    assert ammg.tabulate(data, "a", weight="v").values.tolist() == [1, 5, 6]


def test_margins_of_many_dimensions_are_the_smaller_tables() -> None:
    data = ammg.Microdata(ammg.datasets.survey(2000, seed=2))
    names = ["sex", "urbanisation", "health", "education"]
    whole = ammg.tabulate(data, names[:2], names[2:], value="income", weight=False)
    for some in (["sex"], ["sex", "health"], ["sex", "urbanisation", "education"]):
        part = ammg.tabulate(
            data, [n for n in some if n in names[:2]], [n for n in some if n in names[2:]], "income", False
        )
        assert np.array_equal(whole.margin(*some).values, part.values)
        assert np.array_equal(whole.margin(*some).contributors.largest, part.contributors.largest)
    assert whole.values[-1, -1, -1, -1] == data.table["income"].sum()


def test_missing_categories_are_a_line_and_missing_values_count_nothing() -> None:
    data = pl.DataFrame({"a": ["x", None, "x", "missing"], "v": [1.0, 2.0, None, 4.0]})
    assert ammg.tabulate(data, "a").to_polars()["a"].to_list() == ["missing", "x", "(missing)", "Total"]
    table = ammg.tabulate(data, "a", value="v")
    assert table.figures["count"].tolist() == [1, 1, 1, 3]
    assert table.values.tolist() == [4, 1, 2, 7]


def test_numbers_are_in_their_order_and_a_category_may_be_called_total() -> None:
    data = pl.DataFrame({"n": [10.0, 9.0, 10.0], "Total": ["Total", "b", "b"]})
    shown = ammg.tabulate(data, "n", "Total").to_polars()
    assert shown["n"].to_list() == ["9", "10", "Total"]
    assert shown.columns == ["n", "Total", "b", "(Total)"]


def test_a_stream_gives_what_memory_gives(tmp_path) -> None:
    table = ammg.datasets.survey(3000, seed=1)
    table.write_parquet(tmp_path / "s.parquet", row_group_size=500)
    streamed = ammg.Microdata(ParquetTable(tmp_path / "s.parquet"))
    for value in (None, "income"):
        one, other = (ammg.tabulate(d, "region", "sex", value, secret=4) for d in (ammg.Microdata(table), streamed))
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.contributors.largest, other.contributors.largest)
        assert np.array_equal(one.contributors.keys, other.contributors.keys)


@pytest.mark.parametrize(
    ("rows", "columns", "options", "message"),
    [
        ("Stat", (), {}, r"Column 'Stat' not found\. Did you mean 'State'\?"),
        ("State", "State", {}, "'State' is named twice"),
        ((), (), {}, "needs at least one attribute"),
        ("Name", (), {}, "'Name' is an identifier: a table of it would list individual people"),
        ("State", (), {"value": "Diagnosis"}, "Column 'Diagnosis' is nominal, but only numbers can be summed"),
        ("Age", (), {"value": "Age"}, "'Age' is both the summed value and a row or column"),
        ("State", (), {"weight": "Diagnosis"}, "Weight 'Diagnosis' is nominal: weights are numbers"),
        (3, (), {}, "3 does not name columns"),
    ],
)
def test_bad_input_is_told(patients: ammg.Microdata, rows, columns, options, message) -> None:
    with pytest.raises(AmmgError, match=message):
        ammg.tabulate(patients, rows, columns, **options)


def test_an_unknown_margin_is_told(patients: ammg.Microdata) -> None:
    with pytest.raises(InputError, match=r"The table has no margin of 'Stat'\. Did you mean 'State'\?"):
        ammg.tabulate(patients, "State", "Diagnosis").margin("Stat")


def test_values_that_are_not_finite_are_told() -> None:
    data = pl.DataFrame({"a": ["x", "y"], "v": [1.0, float("inf")]})
    with pytest.raises(InputError, match="Column 'v' does not add up to a finite number"):
        ammg.tabulate(data, "a", value="v")


def test_a_file_without_records_has_a_table_without_lines(patients: ammg.Microdata) -> None:
    assert ammg.tabulate(patients.table.head(0), "State", "Diagnosis").values.tolist() == [[0]]


def test_a_table_larger_than_memory_is_told_before_it_is_made() -> None:
    rng = np.random.default_rng(0)
    data = pl.DataFrame({name: rng.permutation(5000) for name in "abcd"})
    with pytest.raises(InputError, match=r"5,000 a × 5,000 b × 5,000 c × 5,000 d has .* cells and would take about"):
        ammg.tabulate(data, ["a", "b"], ["c", "d"])
