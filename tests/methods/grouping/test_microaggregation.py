import numpy as np
import polars as pl
import pytest
from microaggregation_data import percent_lost, published_losses, reference_table

import ammg
from ammg.errors import ColumnError, InputError

PUBLISHED = [(name, k, loss) for name, k, loss in published_losses() if name in ("Census", "EIA11") and k in (3, 10)]


def masked(data: object, secret: int = 1, **options: object) -> pl.DataFrame:
    return ammg.Pipeline([ammg.Microaggregation(**{"iterations": 2_000, **options})]).run(data, secret).table


def mixed(n: int = 60, seed: int = 0) -> ammg.Microdata:
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "amount": rng.lognormal(size=n),
            "level": pl.Series(rng.choice(["low", "middle", "high"], n), dtype=pl.Enum(["low", "middle", "high"])),
            "region": rng.choice(["East", "North", "South"], n),
            "weight": rng.uniform(1, 9, n),
        }
    )
    data = ammg.Microdata(table).with_kinds(ordinal="level", nominal="region")
    return data.with_roles(key=["amount", "level", "region"], weight="weight")


@pytest.mark.parametrize(("name", "k", "loss"), PUBLISHED)
def test_the_loss_is_far_below_that_of_mdav(name: str, k: int, loss: float) -> None:
    data = ammg.Microdata(reference_table(name))
    after = masked(data, k=k, iterations=10_000)
    assert percent_lost(data.table, after) < loss * (0.88 if name == "Census" else 0.80)


def test_released_records_occur_k_to_2k_minus_1_times_and_means_and_identities_stay(
    census_data: ammg.Microdata,
) -> None:
    original, released = census_data.table.to_numpy().astype(float), masked(census_data, k=4).to_numpy()
    counts = np.unique(released, axis=0, return_counts=True)[1]
    assert counts.min() >= 4
    assert counts.max() <= 7
    np.testing.assert_allclose(released.mean(axis=0), original.mean(axis=0), rtol=1e-12)
    assert np.abs(released[:, 4] - released[:, 7] - released[:, 9]).max() < 1e-9 * np.abs(released).max()


def test_the_covariance_loses_what_is_within_groups(census_data: ammg.Microdata) -> None:
    original, released = census_data.table.to_numpy().astype(float), masked(census_data, k=3).to_numpy()
    scale = np.outer(original.std(axis=0), original.std(axis=0))
    within = (original - released).T @ (original - released) / (len(original) - 1)
    np.testing.assert_allclose((np.cov(original.T) - np.cov(released.T)) / scale, within / scale, atol=1e-10)


def test_mixed_records_share_mean_median_and_mode() -> None:
    data = mixed()
    after = masked(data, k=3, columns=["amount", "level", "region"])
    groups = after.group_by("amount", "level", "region").len()
    assert groups["len"].min() >= 3
    both = after.select("amount").with_columns(
        before=data.table["amount"],
        level=data.table["level"].to_physical(),
        region=data.table["region"],
        weight=data.table["weight"],
        shown_level=after["level"].to_physical(),
        shown_region=after["region"],
    )
    for part in both.partition_by("amount"):
        mass = part["weight"].to_numpy()
        assert part["amount"][0] == pytest.approx(np.average(part["before"].to_numpy(), weights=mass))
        by_region = part.group_by("region").agg(pl.col("weight").sum()).sort("weight", descending=True)
        assert part["shown_region"].unique().to_list() == [by_region["region"][0]]
        by_level = part.sort("level").with_columns(share=pl.col("weight").cum_sum() / pl.col("weight").sum())
        assert part["shown_level"].unique().to_list() == [by_level.filter(pl.col("share") >= 0.5)["level"][0]]


def test_alike_categories_are_grouped_together() -> None:
    table = pl.DataFrame({"a": ["x", "y", "z"] * 4, "b": ["1", "2", "3"] * 4})
    data = ammg.Microdata(table).with_kinds(nominal=["a", "b"]).with_roles(key=["a", "b"])
    assert masked(data, k=4).equals(table)


def test_missing_values_stay_and_each_column_shows_at_least_k_of_a_value() -> None:
    data = mixed(90, 3)
    rng = np.random.default_rng(0)
    holes = data.table.with_columns(
        pl.when(pl.Series(rng.random(90) > 0.3)).then(pl.col(name)).alias(name)
        for name in ("amount", "level", "region")
    )
    after = masked(ammg.Microdata(holes, data.schema), k=4)
    for name in ("amount", "level", "region"):
        assert after[name].is_null().equals(holes[name].is_null())
        assert after[name].drop_nulls().value_counts()["count"].min() >= 4
    total = (holes["amount"] * holes["weight"]).sum()
    assert (after["amount"] * after["weight"]).sum() == pytest.approx(total, rel=1e-12)


def test_groups_form_within_strata() -> None:
    data = pl.DataFrame({"g": ["a", "b"] * 4, "x": [1.0, 100, 2, 200, 30, 3000, 40, 4000]})
    after = masked(data, columns=["x"], k=2, within=["g"])
    assert after["x"].to_list() == [1.5, 150, 1.5, 150, 35, 3500, 35, 3500]


def test_fewer_than_2k_records_are_one_group_and_the_owner_is_told() -> None:
    run = ammg.Pipeline([ammg.Microaggregation(k=4)]).run(pl.DataFrame({"x": [1.0, 2, 3, 6, 8]}), 1)
    assert run.table["x"].to_list() == [4.0] * 5
    assert "one group" in str(run.steps[0].notes)


def test_too_few_records_and_infinite_values_are_refused() -> None:
    with pytest.raises(InputError, match="k = 3 is larger than the 2 records"):
        masked(pl.DataFrame({"x": [1.0, 2.0]}), k=3)
    with pytest.raises(InputError, match="'x' has an infinite value"):
        masked(pl.DataFrame({"x": [1.0, np.inf, 2, 3]}), k=2)


def test_noise_is_added_to_numbers_beside_categories(survey: ammg.Microdata) -> None:
    columns = ("wages", "income", "sex")
    plain, noisy = (
        ammg.Pipeline([ammg.Microaggregation(columns=columns, k=5, iterations=20, noise=noise)]).run(survey, 1).table
        for noise in ("none", "pooled")
    )
    assert plain["sex"].equals(noisy["sex"])
    assert plain["income"].n_unique() <= len(plain) // 5
    assert noisy["income"].n_unique() > len(noisy) // 2


def test_an_importance_of_no_column_and_noise_without_numbers_are_refused() -> None:
    with pytest.raises(ColumnError, match=r"'amuont' not found\. Did you mean 'amount'"):
        masked(mixed(), importance={"amuont": 2.0})
    with pytest.raises(
        InputError, match="noise needs numeric columns, and no column to mask is numeric: leave noise out"
    ):
        masked(mixed(), columns=["region"], noise="pooled")


def test_records_stay_k_anonymous_where_values_are_missing() -> None:
    rng = np.random.default_rng(7)
    values = np.where(rng.random((300, 4)) < 0.1, np.nan, rng.normal(size=(300, 4)))
    data = ammg.Microdata(pl.DataFrame(values, schema=list("abcd")).fill_nan(None)).with_roles(key=list("abcd"))
    result = ammg.Pipeline([ammg.Microaggregation(k=3, iterations=200)]).run(data, 1)
    assert ammg.evaluate(result, ["k_anonymity"]).value("k_anonymity") == 0
