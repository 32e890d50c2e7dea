import polars as pl
import pytest

import ammg


def loss(table: pl.DataFrame, *steps: ammg.Method) -> ammg.Measurement:
    return ammg.evaluate(ammg.Pipeline(steps).run(ammg.Microdata(table), 1), ["cell_loss"])["cell_loss"]


CITIES = pl.DataFrame({"city": ["Lyon", "Nice", "Bonn", "Kiel", "Lyon"]})


def test_an_unchanged_file_loses_nothing(patients: ammg.Microdata) -> None:
    found = ammg.evaluate(patients, ["cell_loss"])["cell_loss"]
    assert found.value == 0
    assert set(found.by_column) == {"Age", "State", "Diagnosis", "Income", "Billing"}


def test_what_is_dropped_is_charged_whole() -> None:
    table = pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    assert loss(table, ammg.IdentifierRemoval(columns=["x"])).by_column == {"x": 1.0, "y": 0.0}
    assert loss(table, ammg.IdentifierRemoval(columns=["y"])).value == 0.5


def test_dropped_records_are_charged_their_share() -> None:
    table = pl.DataFrame({"x": range(10), "y": ["a", "b"] * 5})
    assert loss(table, ammg.Sampling(fraction=0.7)).value == pytest.approx(0.3)


def test_a_merged_category_loses_its_share_of_the_dictionary() -> None:
    # Two of four categories merge: (2 - 1) / (4 - 1) for the three records in them (Iyengar 2002).
    found = loss(CITIES, ammg.GlobalRecoding(columns=["city"], map={"Lyon": "France", "Nice": "France"}))
    assert found.value == pytest.approx(3 / 5 * 1 / 3)


def test_everything_in_one_class_loses_everything() -> None:
    everything = dict.fromkeys(("Lyon", "Nice", "Bonn", "Kiel"), "*")
    assert loss(CITIES, ammg.GlobalRecoding(columns=["city"], map=everything)).value == 1


def test_a_number_loses_its_change_in_standard_deviations() -> None:
    table = pl.DataFrame({"x": [0, 4, 8, 16]})
    found = loss(table, ammg.Rounding(columns=["x"], base=10))
    spread = 2**0.5 * table["x"].std()
    assert found.value == pytest.approx((0 + 4 + 2 + 4) / spread / 4)


def test_a_change_of_a_constant_is_a_whole_loss() -> None:
    table = pl.DataFrame({"x": [4, 4]})
    assert loss(table, ammg.Rounding(columns=["x"], base=10)).value == 1


def test_a_file_of_text_has_nothing_to_compare() -> None:
    data = ammg.Microdata(pl.DataFrame({"note": ["x"]})).with_kinds(text="note")
    assert ammg.evaluate(data, ["cell_loss"])["cell_loss"].reason == "no attribute to compare"


def test_the_worst_attribute_shows_one_that_is_ruined() -> None:
    table = pl.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    masked = ammg.Pipeline([ammg.IdentifierRemoval(columns=["x"])]).run(ammg.Microdata(table), 1)
    assert ammg.evaluate(masked, [ammg.CellLoss(over="worst")])["cell_loss"].value == 1.0
