import numpy as np
import polars as pl
import pytest

from ammg.datasets import RISK_KEYS, SURVEY_LEVELS, SURVEY_ROLES, survey
from ammg.errors import InputError

PARTS = ["wages", "self_employment", "pensions", "capital_income", "other_income"]
WORKS = ["full-time employee", "part-time employee", "self-employed"]


@pytest.fixture(scope="module")
def people():
    return survey(100_000, seed=3)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 262_144, 262_145])
def test_survey_has_exactly_n_persons_in_complete_households(n):
    frame = survey(n)
    assert frame["person_id"].to_list()[:: max(n - 1, 1)] == ([1, n] if n > 1 else [1])
    counted = frame.group_by("household_id").agg(pl.len(), pl.col("household_size").first())
    assert (counted["len"] == counted["household_size"]).all()
    assert counted["household_id"].n_unique() == frame["household_id"].max()


def test_survey_without_persons_is_refused():
    with pytest.raises(InputError, match="at least 1"):
        survey(0)


def test_same_seed_gives_the_same_survey_and_another_seed_another():
    assert survey(3_000, seed=5).equals(survey(3_000, seed=5))
    assert not survey(3_000, seed=5).equals(survey(3_000, seed=6))


def test_every_column_has_a_role_and_no_value_is_missing(people):
    assert people.columns == list(SURVEY_ROLES)
    assert people.null_count().sum_horizontal().item() == 0


def test_income_is_the_exact_sum_of_its_parts(people):
    assert (people.select(pl.sum_horizontal(PARTS)).to_series() == people["income"]).all()
    assert people.select(pl.min_horizontal(*PARTS, "taxes", pl.col("income") - pl.col("taxes"))).to_series().min() >= 0


def test_household_columns_are_constant_in_the_household_and_no_other_column_is(people):
    varying = people.group_by("household_id").agg(pl.all().n_unique() > 1).drop("household_id").select(pl.all().any())
    household = {name for name in varying.columns if not varying[name].item()}
    assert household | {"household_id"} == set(SURVEY_LEVELS)


def test_household_income_is_the_sum_over_its_members(people):
    assert (people.select(pl.col("income").sum().over("household_id") == pl.col("household_income"))).to_series().all()


def test_spouses_share_the_household(people):
    married = people.filter(pl.col("marital_status") == "married")
    pairs = married.group_by("household_id").agg(pl.len(), pl.col("age").min(), pl.col("relationship").n_unique())
    assert (pairs["len"] == 2).all()
    assert (pairs["relationship"] == 2).all()
    assert pairs["age"].min() >= 18


def test_each_household_has_one_reference_person_and_children_are_younger(people):
    homes = people.group_by("household_id").agg(
        heads=(pl.col("relationship") == "reference person").sum(),
        partners=(pl.col("relationship") == "partner").sum(),
        parent=pl.col("age").filter(pl.col("relationship").is_in(["reference person", "partner"])).min(),
        child=pl.col("age").filter(pl.col("relationship") == "child").max(),
    )
    assert (homes["heads"] == 1).all()
    assert homes["partners"].max() == 1
    assert (homes["parent"] - homes["child"]).min() >= 18


def test_children_have_no_work_and_no_marriage(people):
    children = people.filter(pl.col("age") < 16)
    assert children["occupation"].unique().to_list() == ["none"]
    assert children["marital_status"].unique().to_list() == ["single"]
    assert set(children["activity"].unique()) == {"preschool child", "pupil or student"}
    assert children.select(pl.sum("hours", "wages", "self_employment", "pensions", "capital_income")).row(0) == (0,) * 5


def test_workers_and_only_workers_have_occupation_and_hours(people):
    works = people["activity"].is_in(WORKS)
    assert ((people["occupation"] != "none") == works).all()
    assert ((people["hours"] > 0) == works).all()


def test_margins_are_believable(people):
    def share(condition):
        return people.select(condition.mean()).item()

    assert 0.15 < share(pl.col("age") < 18) < 0.25
    assert 0.14 < share(pl.col("age") >= 65) < 0.25
    assert people["age"].max() == 100
    assert 0.49 < share(pl.col("sex") == "female") < 0.54
    assert 0.40 < share(pl.col("activity").is_in(WORKS)) < 0.52
    assert 0.80 < share(pl.col("ethnicity") == "Marean") < 0.92
    assert 2.0 < people.height / people["household_id"].n_unique() < 2.5
    assert all(people[name].n_unique() == len(people[name].dtype.categories) for name in RISK_KEYS if name != "age")


def test_wages_follow_education_and_occupation(people):
    full = people.filter(pl.col("activity") == "full-time employee")
    by_level = dict(full.group_by("education").agg(pl.col("wages").median()).iter_rows())
    by_group = dict(full.group_by("occupation").agg(pl.col("wages").median()).iter_rows())
    assert by_level["master or doctorate"] > 1.5 * by_level["lower secondary"]
    assert by_group["managers"] > 2 * by_group["elementary"]


@pytest.mark.parametrize("part", PARTS)
def test_most_people_do_not_have_each_kind_of_income(people, part):
    assert 0.5 < (people[part] == 0).mean() < 0.95


@pytest.mark.parametrize("part", ["wages", "self_employment", "capital_income"])
def test_earned_incomes_have_pareto_tails(part):
    # Hill's estimate on the top 200. A log-normal law of the same spread as wages would give about 5.
    top = survey(300_000, seed=2)[part].sort(descending=True).to_numpy()[:201]
    assert 1 < 1 / np.log(top[:200] / top[200]).mean() < 3


def test_weights_gross_up_to_forty_million_and_are_never_below_one(people):
    assert people["weight"].sum() == pytest.approx(40e6, rel=0.02)
    assert 0.3 < people["weight"].std() / people["weight"].mean() < 0.6
    assert survey(1_000, seed=1)["weight"].min() > people["weight"].min() >= 1


def test_risk_keys_give_the_uniques_of_a_census_sample():
    population = survey(300_000, seed=0).with_columns(size=pl.len().over(RISK_KEYS))
    sample = population.sample(10_000, seed=1).with_columns(count=pl.len().over(RISK_KEYS))
    unique = sample.filter(pl.col("count") == 1)
    fraction = sample.height / population.height
    assert 0.15 < unique.height / sample.height < 0.35

    expected = np.full(unique.height, float(population.height))
    for key in RISK_KEYS:
        margin = sample.group_by(key).agg(share=pl.len() / sample.height)
        expected *= unique.select(key).join(margin, on=key, how="left", maintain_order="left")["share"].to_numpy()
    others = (1 - fraction) * expected
    assert np.exp(-others).sum() > 1.5 * (unique["size"] == 1).sum()
    assert (-np.expm1(-others) / others).sum() > 1.3 * (1 / unique["size"]).sum()


def test_survey_survives_parquet_and_csv(tmp_path):
    frame = survey(500)
    frame.write_parquet(tmp_path / "survey.parquet")
    assert pl.read_parquet(tmp_path / "survey.parquet").equals(frame)
    frame.write_csv(tmp_path / "survey.csv")
    assert pl.read_csv(tmp_path / "survey.csv", schema_overrides=frame.schema).equals(frame)
