import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import Groups, GroupSums
from ammg.draws import Secret
from ammg.errors import ColumnError, InputError


def masked(data: object, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.Mdav(**options)]).run(data, 1)


def table(n: int = 40, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"a": rng.normal(size=n), "b": rng.lognormal(size=n), "c": rng.integers(0, 9, n)})


def test_the_weighted_totals_are_kept(survey: ammg.Microdata) -> None:
    after = masked(survey, columns=["wages", "pensions", "income"], k=4).table
    for name in ("wages", "pensions", "income"):
        before = (survey.table[name] * survey.table["weight"]).sum()
        assert (after[name] * after["weight"]).sum() == pytest.approx(before, rel=1e-12)


def test_groups_form_within_strata() -> None:
    data = pl.DataFrame({"g": ["a", "b"] * 4, "x": [1.0, 100, 2, 200, 30, 3000, 40, 4000]})
    after = masked(data, columns=["x"], k=2, within=["g"]).table
    assert after["x"].to_list() == [1.5, 150, 1.5, 150, 35, 3500, 35, 3500]


@pytest.mark.parametrize("seed", range(5))
def test_every_mean_is_one_of_at_least_k_observed_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = table(60, seed).with_columns(pl.when(pl.Series(rng.random(60) > 0.4)).then(pl.col("a", "b", "c")))
    after = masked(data, columns=["a", "b", "c"], k=3).table
    for name in data.columns:
        assert after[name].is_null().equals(data[name].is_null())
        assert after[name].drop_nulls().value_counts()["count"].min() >= 3
        assert after[name].sum() == pytest.approx(data[name].sum(), abs=1e-9)


def test_importance_decides_whose_neighbours_are_grouped() -> None:
    data = pl.DataFrame({"a": [0.0, 0, 1, 1] * 2, "b": [0.0, 1, 0, 1] * 2})
    by_a = masked(data, columns=["a", "b"], k=2, importance={"b": 0}).table
    assert by_a["a"].equals(data["a"])
    by_b = masked(data, columns=["a", "b"], k=2, importance={"a": 0}).table
    assert by_b["b"].equals(data["b"])
    for wrong in (-1, 1e7):
        with pytest.raises(InputError, match=f"importance of 'a' is {wrong}.*from 0 to 1,000,000"):
            masked(data, columns=["a", "b"], importance={"a": wrong})
    with pytest.raises(ColumnError, match="Did you mean 'a'"):
        masked(data, columns=["a", "b"], importance={"aa": -1})


def test_without_standardising_the_column_of_large_numbers_decides() -> None:
    data = pl.DataFrame({"small": [0.0, 1, 0, 1, 0, 1], "large": [0.0, 300, 310, 700, 990, 1000]})
    after = masked(data, columns=["small", "large"], k=2, standardise=False).table
    assert after["large"].to_list() == [150, 150, 505, 505, 995, 995]


def test_a_constant_column_stays_to_the_last_bit() -> None:
    data = table().with_columns(fixed=pl.lit(0.1))
    assert masked(data, columns=["a", "fixed"], k=3).table["fixed"].equals(data.with_columns(pl.lit(0.1))["fixed"])


def test_fewer_than_2k_records_are_one_group_and_the_owner_is_told() -> None:
    run = masked(table(5), columns=["a"], k=3)
    assert run.table["a"].n_unique() == 1
    assert run.steps[0].notes == ("fewer than 2k = 6 records: all 5 form one group",)


def test_a_small_stratum_is_one_group_and_the_owner_is_told_which() -> None:
    data = pl.DataFrame({"g": ["a"] * 6 + [None] * 5, "h": [1] * 8 + [2] * 3, "x": [float(i) for i in range(11)]})
    run = masked(data, columns=["x"], k=2, within=["g", "h"])
    assert run.steps[0].notes == (
        "stratum g = missing, h = 1 has fewer than 2k = 4 records: all 2 form one group",
        "stratum g = missing, h = 2 has fewer than 2k = 4 records: all 3 form one group",
    )
    assert run.table["x"].to_list()[6:] == [6.5, 6.5, 9, 9, 9]
    many = masked(data.with_columns(g=pl.Series(range(11)) // 2).head(10), columns=["x"], k=1 + 1, within=["g"])
    assert len(many.steps[0].notes) == 5
    more = pl.DataFrame({"g": [i // 2 for i in range(14)], "x": [float(i) for i in range(14)]})
    assert masked(more, columns=["x"], k=2, within=["g"]).steps[0].notes[5:] == ("so do the records of 2 more strata",)


METHODS = [ammg.Mdav, ammg.VMdav, ammg.ProjectionMicroaggregation, ammg.Microaggregation]


@pytest.mark.parametrize("unit", METHODS)
def test_each_block_is_grouped_as_if_it_were_alone(unit: type[ammg.Method]) -> None:
    data = table(60).with_columns(d=pl.col("a") + pl.Series(np.random.default_rng(9).normal(size=60)))
    run = ammg.Pipeline([unit(blocks=[["a", "b"], ["c", "d"]], k=3)]).run(data, 1)
    for block in (["a", "b"], ["c", "d"]):
        alone = ammg.Pipeline([unit(blocks=[block], k=3)]).run(data, 1).table
        assert run.table.select(block).equals(alone.select(block))
        assert run.table.group_by(block).len()["len"].min() >= 3
    assert run.table.group_by("a", "b", "c", "d").len()["len"].min() < 3
    assert run.published == (Groups(("a", "b"), 3), Groups(("c", "d"), 3))
    assert run.steps[0].notes == (
        "columns are grouped in 2 blocks: groups of 3 equal records exist only within a block",
    )
    np.testing.assert_allclose(run.table.mean().row(0), data.mean().row(0), rtol=1e-12)


def test_blocks_lose_less_and_the_attack_by_groups_finds_more(census_data: ammg.Microdata) -> None:
    names = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX"]
    together = masked(census_data, columns=names, k=5)
    apart = masked(census_data, blocks=[names[:3], names[3:]], k=5)
    measures = [ammg.GroupLinkage(), ammg.IL1s()]
    one, two = (ammg.evaluate(run, measures) for run in (together, apart))
    assert two.value("il1s") < one.value("il1s")
    assert two.value("group_linkage") > one.value("group_linkage")
    assert two.value("group_linkage") > 1 / 5


def test_a_step_that_breaks_one_block_is_found_by_the_audit_of_promises() -> None:
    data = table(60)
    steps = [ammg.Mdav(blocks=[["a", "b"], ["c"]], k=3), ammg.AdditiveNoise(columns=["c"])]
    audit = ammg.Pipeline(steps).run(data, 1).release(force="a test").clearance.notes
    assert [note for note in audit if "promised that values of 'c'" in note]
    assert not [note for note in audit if "promised that values of 'a', 'b'" in note]


def test_wrong_blocks_are_refused_in_words() -> None:
    for blocks, columns, words in (
        ([["a", "b"], ["b"]], None, "'b' is in two blocks"),
        ([["a"], []], None, "A block is empty"),
        ([["a", "b"]], ["a"], "Block column 'b' is not among the columns"),
        ([["a"]], ["a", "b"], "Column 'b' is in no block"),
        ([["aa"]], None, "Did you mean 'a'"),
    ):
        with pytest.raises((InputError, ColumnError), match=words):
            masked(table(), blocks=blocks, **({} if columns is None else {"columns": columns}))


def test_a_column_without_values_stays_and_the_owner_is_told() -> None:
    data = table().with_columns(c=pl.lit(None, dtype=pl.Float64))
    run = masked(data, columns=["a", "c"], k=3)
    assert run.table["c"].null_count() == 40
    assert run.steps[0].notes == ("'c' has no values and is ignored in the grouping",)


def test_too_few_records_or_values_and_infinite_ones_are_refused() -> None:
    with pytest.raises(InputError, match="k = 6 is larger than the 5 records: lower k"):
        masked(table(5), columns=["a"], k=6)
    lacking = table(8).with_columns(b=pl.Series([1.0, 2.0, *[None] * 6]))
    with pytest.raises(InputError, match="k = 3 is larger than the 2 values of 'b'"):
        masked(lacking, columns=["a", "b"], k=3)
    with pytest.raises(InputError, match="k = 2 is larger than the stratum g = b of 1 records"):
        masked(pl.DataFrame({"g": ["a", "a", "b"], "x": [1.0, 2, 3]}), columns=["x"], k=2, within=["g"])
    with pytest.raises(InputError, match="'x' has an infinite value"):
        masked(pl.DataFrame({"x": [1.0, 2, np.inf, 3]}), columns=["x"], k=2)


def test_households_are_grouped_as_households() -> None:
    data = ammg.Microdata(pl.DataFrame({"h": [1, 1, 2, 2, 3, 4], "rent": [10.0, 10, 20, 20, 90, 100]}))
    data = data.with_roles(household="h", confidential="rent").with_levels(household=["rent"])
    after = masked(data, columns=["rent"], k=2).table["rent"].to_list()
    assert after == [15, 15, 15, 15, 95, 95]


def test_one_grouping_of_all_columns_is_what_a_description_tells() -> None:
    assert masked(table(), columns=["a", "b"], k=3).published == (Groups(("a", "b"), 3, joint=True),)


@pytest.mark.parametrize("noise", ["pooled", "within"])
def test_exact_noise_gives_the_covariances_of_the_data_and_keeps_totals_and_identities(
    census_data: ammg.Microdata, noise: str
) -> None:
    run = masked(census_data, k=5, noise=noise, exact=True)
    original, released = census_data.table.to_numpy().astype(float), run.table.to_numpy()
    scale = original.std(axis=0)
    np.testing.assert_allclose(released.mean(axis=0), original.mean(axis=0), rtol=1e-12)
    assert np.abs((np.cov(released.T) - np.cov(original.T)) / np.outer(scale, scale)).max() < 1e-9
    assert np.abs(released[:, 4] - released[:, 7] - released[:, 9]).max() < 1e-9 * np.abs(released).max()
    assert len(np.unique(released, axis=0)) == len(released)
    assert run.published == (GroupSums(tuple(census_data.table.columns), 5),)


@pytest.mark.parametrize("noise", ["pooled", "within"])
def test_noise_gives_the_variances_of_the_data_in_expectation(census_data: ammg.Microdata, noise: str) -> None:
    names = census_data.table.columns[:3]
    original, ratios = census_data.table.select(names).to_numpy().astype(float), []
    for secret in map(Secret.known, range(20)):
        run = ammg.Pipeline([ammg.Mdav(columns=names, k=10, noise=noise)]).run(census_data, secret)
        ratios.append(run.table.select(names).to_numpy().var(axis=0) / original.var(axis=0))
    without = masked(census_data, columns=names, k=10).table.select(names).to_numpy().var(axis=0) / original.var(axis=0)
    assert without.max() < 0.985
    np.testing.assert_allclose(np.mean(ratios, axis=0), 1, atol=0.005)


def test_weighted_covariances_are_given_back_exactly(survey: ammg.Microdata) -> None:
    names, weight = ["wages", "pensions"], survey.table["weight"].to_numpy()
    after = masked(survey, columns=names, k=4, noise="pooled", exact=True).table.select(names).to_numpy()
    before = survey.table.select(names).to_numpy().astype(float)
    np.testing.assert_allclose(np.cov(after.T, aweights=weight), np.cov(before.T, aweights=weight), rtol=1e-9)
    np.testing.assert_allclose(weight @ after, weight @ before, rtol=1e-12)


def test_exact_covariances_need_noise_and_complete_columns() -> None:
    with pytest.raises(InputError, match="exact covariances need noise"):
        ammg.Mdav(exact=True)
    with pytest.raises(InputError, match="exact covariances need complete columns"):
        masked(pl.DataFrame({"x": [1.0, None, 3, 4, 5, 6]}), columns=["x"], k=2, noise="pooled", exact=True)
