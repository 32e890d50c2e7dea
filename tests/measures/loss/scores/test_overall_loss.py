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
    plain = ammg.evaluate(masked, ammg.OverallLoss(power=1))["overall_loss"]
    scores, names = plain.by_column, list(plain.by_column)
    assert plain.value == pytest.approx(sum(scores.values()) / len(names))
    squares = ammg.evaluate(masked, "overall_loss").value("overall_loss")
    assert squares**2 == pytest.approx(sum(score**2 for score in scores.values()) / len(names))
    heavy = ammg.evaluate(masked, ammg.OverallLoss(power=1, weights={"income": 3})).value("overall_loss")
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


def test_columns_that_did_not_change_count_as_they_do_in_another_order_of_records(survey: ammg.Microdata) -> None:
    steps = [ammg.AdditiveNoise(columns=["income"], p=0.5), ammg.Pram(columns=["region"])]
    pair = ammg.Pipeline(steps).run(survey, 1).pair
    backwards = ammg.Pair(survey, ammg.Microdata(pair.masked.table.reverse(), pair.masked.schema), pair.link[::-1])
    for measure in ("overall_loss", "cell_loss", "contingency_table_distance"):
        in_place, moved = (ammg.evaluate(files, measure)[measure] for files in (pair, backwards))
        assert in_place.value > 0
        assert in_place.by_column == pytest.approx(moved.by_column, abs=1e-12)


def test_an_attribute_with_a_category_for_every_record_is_compared_by_its_cells_alone() -> None:
    n = 60_000
    table = {"note": [f"n{number}" for number in range(n)], "sex": ["f", "m"] * (n // 2)}
    changed = {**table, "note": ["gone", *table["note"][1:]]}
    result = found(ammg.OverallLoss(), table, changed)
    assert result.tables["scores"]["cells"] == pytest.approx((1 / n, 0), rel=1e-3)
    assert result.tables["scores"]["pairs"] == (None, None)
    for measure in (ammg.EntropyLoss(), ammg.NonUniformEntropy(), ammg.SwitchingPercentage(), ammg.Granularity()):
        assert list(found(measure, table, changed).by_column) == ["sex"]


def test_copies_of_one_file_share_what_was_lost_at_its_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    from ammg.measures.loss.scores import anchor_score

    asked = []
    make = anchor_score.anchored
    monkeypatch.setattr(anchor_score, "anchored", lambda *given: asked.append(given) or make(*given))
    table = ammg.datasets.survey(300, seed=77).select("region", "sex", "income")
    for _ in range(2):
        masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"])]).run(ammg.Microdata(table.clone()), 1)
        ammg.evaluate(masked, "overall_loss")
    assert len(asked) == 3
    other = table.with_columns(income=pl.col("income") * 2)
    ammg.evaluate(ammg.Pipeline([ammg.AdditiveNoise(columns=["income"])]).run(ammg.Microdata(other), 1), "overall_loss")
    assert len(asked) == 6


@pytest.mark.parametrize("weights", [{"a": -1}, {"a": float("nan")}])
def test_weights_are_numbers_of_at_least_zero(weights: dict[str, float]) -> None:
    with pytest.raises(InputError, match="OverallLoss"):
        ammg.OverallLoss(weights=weights)
