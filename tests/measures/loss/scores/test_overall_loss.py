import polars as pl
import pytest
from beside import found

import ammg
from ammg.errors import InputError


def test_attributes_that_nobody_masks_do_not_dilute_it(survey: ammg.Microdata) -> None:
    step = ammg.AdditiveNoise(columns=["income"], p=0.5)
    wide = survey.table.with_columns(pl.lit("same").alias(f"other{number}") for number in range(20))
    schema = ammg.Microdata(wide).with_roles({a.name: a.role.value for a in survey.schema}).schema
    narrow, broad = (
        ammg.evaluate(ammg.Pipeline([step]).run(data, 1), ["overall_loss", "cell_loss"])
        for data in (survey, ammg.Microdata(wide, schema))
    )
    assert broad["overall_loss"].by_column.keys() == narrow["overall_loss"].by_column.keys()
    assert broad.value("cell_loss") < 0.6 * narrow.value("cell_loss")
    assert broad.value("overall_loss") > 0.5 * narrow.value("overall_loss")


def test_an_attribute_counts_by_its_weight(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=0.5)]).run(survey, 1)
    plain = ammg.evaluate(masked, "overall_loss")["overall_loss"]
    scores, names = plain.by_column, list(plain.by_column)
    assert plain.value == pytest.approx(sum(scores.values()) / len(names))
    heavy = ammg.evaluate(masked, ammg.OverallLoss(weights={"income": 3})).value("overall_loss")
    assert heavy == pytest.approx((sum(scores.values()) + 2 * scores["income"]) / (len(names) + 2))


def test_the_declared_parts_are_averaged(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=0.5)]).run(survey, 1)
    table = ammg.evaluate(masked, "overall_loss")["overall_loss"].tables["scores"]
    row = table["attribute"].index("income")
    expected = (table["cells"][row] + 2 * table["pairs"][row]) / 3
    other = ammg.OverallLoss(cells=1, distributions=0, pairs=2)
    assert ammg.evaluate(masked, other)["overall_loss"].by_column["income"] == pytest.approx(expected)


def test_permuted_columns_lose_their_cells_and_pairs_and_no_distribution() -> None:
    from ammg.data.pairs.anchors import permuted

    pair = permuted(ammg.Microdata(ammg.datasets.survey(400, seed=1).select("region", "sex", "age", "income")))
    table = ammg.evaluate(pair, "overall_loss")["overall_loss"].tables["scores"]
    assert table["cells"] == table["pairs"] == (1, 1, 1, 1)
    assert table["distributions"] == pytest.approx((0, 0, 0, 0), abs=1e-9)


def test_a_dropped_column_loses_everything() -> None:
    table = {"a": list("xyxy"), "b": list("uuvv"), "x": [1.0, 2.0, 5.0, 9.0]}
    result = found(ammg.OverallLoss(), table, {"b": table["b"], "x": table["x"]})
    assert result.by_column["a"] == 1


@pytest.mark.parametrize("weights", [{"a": -1}, {"a": float("nan")}])
def test_weights_are_numbers_of_at_least_zero(weights: dict[str, float]) -> None:
    with pytest.raises(InputError, match="OverallLoss"):
        ammg.OverallLoss(weights=weights)
