import numpy as np
import polars as pl
import pytest
from scipy import stats

import ammg
from ammg.errors import InputError


def test_values_are_kept_and_rank_correlations_of_census_within_two_hundredths(census_data) -> None:
    before = census_data.table.to_numpy().astype(float)
    for secret in range(3):
        after = ammg.Pipeline([ammg.DataShuffling()]).run(census_data, secret).table.to_numpy()
        assert (np.sort(after, axis=0) == np.sort(before, axis=0)).all()
        assert np.abs(stats.spearmanr(after).statistic - stats.spearmanr(before).statistic).max() < 0.02


def test_relations_to_columns_that_stay_are_kept(census_data) -> None:
    method = ammg.DataShuffling(columns=["AGI", "FEDTAX"], given=["PTOTVAL", "FICA"])
    after = ammg.Pipeline([method]).run(census_data, secret=1).table
    columns = ["AGI", "FEDTAX", "PTOTVAL", "FICA"]
    assert after["PTOTVAL"].equals(census_data.table["PTOTVAL"])
    change = (
        stats.spearmanr(after.select(columns)).statistic - stats.spearmanr(census_data.table.select(columns)).statistic
    )
    assert np.abs(change).max() < 0.02


def test_nominal_columns_that_stay_keep_their_relation(survey) -> None:
    method = ammg.DataShuffling(columns=["income"], given=["sex", "age"])
    after = ammg.Pipeline([method]).run(survey, secret=1).table

    def gap(table: pl.DataFrame) -> float:
        ranks = table["income"].cast(pl.Float64).fill_null(0).rank().to_numpy()
        female = (table["sex"].cast(pl.String) == table["sex"].cast(pl.String).sort()[0]).to_numpy()
        return float(ranks[female].mean() - ranks[~female].mean())

    assert gap(after) == pytest.approx(gap(survey.table), abs=12)


def test_linked_values_move_along() -> None:
    income = np.random.default_rng(0).permutation(300)
    data = ammg.Microdata(pl.DataFrame({"income": income, "code": income + 1000})).with_links({"code": "income"})
    after = ammg.Pipeline([ammg.DataShuffling(columns=["income"])]).run(data, secret=1).table
    assert (after["code"] == after["income"] + 1000).all()
    assert (after["income"].to_numpy() != income).mean() > 0.9


def test_missing_values_stay_where_they_are() -> None:
    data = pl.DataFrame({"x": [None, *range(60)], "y": [*range(60), None]})
    after = ammg.Pipeline([ammg.DataShuffling()]).run(data, secret=1).table
    assert after["x"][0] is None
    assert after["y"][60] is None
    assert after["x"].sort().equals(data["x"].sort())


def test_contradictions_and_short_files_are_refused(census_data) -> None:
    with pytest.raises(InputError, match="'AGI' cannot be both shuffled and given"):
        ammg.Pipeline([ammg.DataShuffling(columns=["AGI"], given=["AGI"])]).run(census_data)
    with pytest.raises(InputError, match="needs more than the 10 records"):
        ammg.Pipeline([ammg.DataShuffling()]).run(census_data.table.head(10))
