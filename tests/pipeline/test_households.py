"""Attributes of a household are masked once for all its members."""

import polars as pl
import pytest

import ammg
from ammg.errors import InputError

TABLE = pl.DataFrame(
    {
        "home": [7, 7, 3, 9, 9, 9],
        "region": ["N", "N", "S", "W", "W", "W"],
        "rent": [100.0, 100.0, 400.0, 250.0, 250.0, 250.0],
        "age": [40, 12, 70, 33, 35, 2],
        "w": [2.0, 3.0, 5.0, 1.0, 1.0, 4.0],
    }
)
DATA = ammg.Microdata(TABLE).with_roles(household="home", weight="w").with_levels(household=["region", "rent"])


def by_home(masked: ammg.Masked, column: str) -> list[int]:
    return masked.table.group_by("home").agg(pl.col(column).n_unique())[column].to_list()


def test_every_member_gets_the_households_one_masked_value() -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["rent"], p=0.5)]).run(DATA, 1)
    assert by_home(masked, "rent") == [1, 1, 1]
    assert not (masked.table["rent"] == TABLE["rent"]).any()
    assert masked.table.drop("rent").equals(TABLE.drop("rent"))


def test_households_and_not_persons_are_swapped(survey: ammg.Microdata) -> None:
    data = survey.with_levels(household=["region"]).with_kinds(ordinal="region")
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["region"], p=20)]).run(data, 1)
    heads = data.table.unique(subset="household_id", keep="first", maintain_order=True)
    after = masked.table.unique(subset="household_id", keep="first", maintain_order=True)
    assert masked.table.group_by("household_id").agg(pl.col("region").n_unique())["region"].max() == 1
    assert after["region"].sort().equals(heads["region"].sort())
    assert not after["region"].equals(heads["region"])


def test_recoding_a_household_attribute_changes_its_dictionary() -> None:
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["region"], map={"N": "X", "S": "X"})]).run(DATA)
    assert masked.table["region"].to_list() == ["X", "X", "X", "W", "W", "W"]


def test_attributes_linked_to_a_household_attribute_follow_for_every_member() -> None:
    table = pl.DataFrame({"home": range(40), "grade": list(range(40))})
    table = pl.concat([table, table]).with_columns(label=pl.col("grade").cast(pl.String))
    data = ammg.Microdata(table).with_roles(household="home").with_levels(household=["grade", "label"])
    data = data.with_links({"label": "grade"})
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["grade"], p=30)]).run(data, 1).table
    assert masked["label"].to_list() == masked["grade"].cast(pl.String).to_list()
    assert not masked["grade"].equals(table["grade"])


def test_columns_of_both_levels_in_one_step_are_refused() -> None:
    with pytest.raises(InputError, match=r"columns of persons and of households \(rent\)"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["rent", "age"])]).run(DATA)


def test_a_step_that_names_no_columns_masks_those_of_persons_and_says_what_is_left() -> None:
    data = DATA.with_roles(key=["age", "rent"])
    (step,) = ammg.Pipeline([ammg.AdditiveNoise()]).run(data, 1).steps
    assert step.parameters["columns"] == ["age"]
    left = "household-level columns are left unchanged: rent; mask them in a step of their own"
    assert left in step.notes
    (step,) = ammg.Pipeline([ammg.AdditiveNoise()]).run(DATA.with_roles(key=["rent"]), 1).steps
    assert step.parameters["columns"] == ["rent"]
    assert left not in step.notes


def test_a_household_attribute_that_varies_within_a_household_is_refused() -> None:
    data = DATA.with_levels(household=["age"])
    with pytest.raises(InputError, match="'age' is declared a household attribute, but varies within 2 of them"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["age"])]).run(data)


def test_household_steps_need_households() -> None:
    data = ammg.Microdata(TABLE).with_levels(household="rent")
    with pytest.raises(InputError, match="needs an attribute with the role household"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["rent"])]).run(data)


def test_persons_without_a_household_are_refused() -> None:
    table = TABLE.with_columns(home=pl.Series([7, None, 3, 9, 9, 9]))
    data = ammg.Microdata(table).with_roles(household="home").with_levels(household="rent")
    with pytest.raises(InputError, match="Household 'home' is missing in 1 records"):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["rent"])]).run(data)


def test_whole_households_are_drawn_and_weights_rescaled(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.5, households=True)]).run(survey, 1)
    sizes = dict(survey.table.group_by("household_id").len().rows())
    assert dict(masked.table.group_by("household_id").len().rows()).items() <= sizes.items()
    kept = masked.table["household_id"].n_unique()
    assert kept == round(len(sizes) / 2)
    before = survey.table["weight"].gather(masked.link)
    assert (masked.table["weight"] / before).to_list() == pytest.approx([len(sizes) / kept] * len(before))


def test_every_members_own_weight_grows_by_the_same_factor() -> None:
    masked = ammg.Pipeline([ammg.Sampling(fraction=0.67, households=True)]).run(DATA, 1)
    assert masked.table["home"].n_unique() == 2
    assert (masked.table["w"] / TABLE["w"].gather(masked.link)).to_list() == pytest.approx([1.5] * masked.t)


def test_members_stay_in_their_order() -> None:
    masked = ammg.Pipeline([ammg.Sampling(fraction=1.0, households=True)]).run(DATA, 1)
    assert masked.link.tolist() == [0, 1, 2, 3, 4, 5]
    assert masked.table.columns == TABLE.columns


def test_a_condition_limits_a_household_step() -> None:
    masked = ammg.Pipeline([ammg.Rounding(columns=["rent"], base=1000, where="region = 'W'")]).run(DATA)
    assert masked.table["rent"].to_list() == [100, 100, 400, 0, 0, 0]


def test_a_condition_that_divides_a_household_is_refused() -> None:
    step = ammg.Rounding(columns=["rent"], base=1000, where="age > 34")
    message = (
        r'Condition "age > 34" is met by only some members in 2 households, such as 7: '
        "limit a step on households by what all members share"
    )
    with pytest.raises(InputError, match=message):
        ammg.Pipeline([step]).run(DATA)


def test_a_household_is_as_risky_as_its_riskiest_member() -> None:
    table = pl.DataFrame(
        {"home": [1, 1, 2, 2, 3, 3], "rent": [110.0, 110, 220, 220, 330, 330], "age": [40, 40, 40, 40, 40, 99]}
    )
    data = ammg.Microdata(table).with_roles(household="home", key="age").with_levels(household="rent")
    risky = {"risk": "frequency", "above": 0.5}
    masked = ammg.Pipeline([ammg.Rounding(columns=["rent"], base=1000, where=risky)]).run(data)
    assert masked.table["rent"].to_list() == [110, 110, 220, 220, 0, 0]


def test_strata_that_divide_a_household_are_refused() -> None:
    homes = [number // 2 for number in range(40)]
    table = pl.DataFrame({"home": homes, "rent": [10.0 * home for home in homes], "sex": ["f", "m"] * 20})
    data = ammg.Microdata(table).with_roles(household="home").with_levels(household="rent")
    message = r"uses 'sex', which varies within 20 of them, such as 0: name attributes that all members share"
    with pytest.raises(InputError, match=message):
        ammg.Pipeline([ammg.RankSwapping(columns=["rent"], p=30, within=["sex"])]).run(data)


@pytest.mark.parametrize(
    "method",
    [
        ammg.LocalSuppression(columns=("region", "rent"), k=2),
        ammg.LocalRecoding(columns=("region", "rent"), k=3, moves=100),
        ammg.Mondrian(columns=("region", "rent"), k=3),
        ammg.OptimalRecoding(columns=("region", "rent"), k=2, suppression=1.0),
    ],
    ids=lambda method: method.name,
)
def test_recoding_and_suppression_are_decided_once_per_household(method: ammg.Method) -> None:
    masked = ammg.Pipeline([method]).run(DATA, 1)
    assert by_home(masked, "region") == by_home(masked, "rent") == [1, 1, 1]
    assert not masked.table.select("region", "rent").equals(TABLE.select("region", "rent"))
