"""The space is what units and schema declare."""

import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.optimizer.options import Family
from ammg.optimizer.space import Space

DATA = ammg.Microdata(
    pl.DataFrame({"age": [30, 40], "sex": ["f", "m"], "wage": [1.0, 2.0], "rent": [1.0, 1.0], "home": [1, 1]})
)
DATA = DATA.with_roles(key=["age", "sex"], confidential=["wage", "rent"], household="home")
DATA = DATA.with_levels(household="rent")


def told(families: list[Family]) -> list[list[tuple[str, tuple[str, ...]]]]:
    return [[(option.name, option.columns) for option in family] for family in families]


def test_a_family_reaches_what_is_known_first_and_then_what_is_confidential() -> None:
    space = Space(DATA.schema, 3, ["additive_noise", "rare_category_recoding"], known=["age", "sex"])
    noise, recoding = ("additive_noise", ("age",)), ("rare_category_recoding", ("sex",))
    _, of_keys, _, of_all = space.families()
    assert told(of_keys) == [[noise, recoding]]
    assert [("additive_noise", ("age", "wage")), ("additive_noise", ("rent",)), recoding] in told(of_all)


def test_columns_of_households_have_a_step_of_their_own() -> None:
    space = Space(DATA.schema, 3, ["additive_noise"])
    assert {option.columns for option in space.options} == {("age", "wage"), ("rent",)}


def test_methods_without_columns_are_families_of_their_own() -> None:
    assert told(Space(DATA.schema, 2, ["sampling"]).families()[0]) == [[("sampling", ())]]


def test_untouched_columns_are_in_no_option() -> None:
    space = Space(DATA.schema, 3, ["additive_noise"], untouched=["wage"])
    assert {option.columns for option in space.options} == {("age",), ("rent",)}


def test_strength_runs_from_the_mild_to_the_strong_end_and_numbers_stay_usable() -> None:
    space = Space(DATA.schema, 1, ["univariate_microaggregation"], known=["age"])
    ((option,),) = space.families()[0]
    assert option.at(0.0) == ammg.UnivariateMicroaggregation(columns=("age",), k=3, integers=True)
    assert option.at(1.0) == ammg.UnivariateMicroaggregation(columns=("age",), k=30, integers=True)


def test_choices_that_contradict_each_other_are_left_out_and_whole_numbers_give_way() -> None:
    space = Space(DATA.schema, 1, ["mdav"], known=["age"])
    made = [option.at(0.5) for option in space.options if "age" in option.columns]
    assert {(step.noise, step.exact, step.integers) for step in made} == {
        ("none", False, True),
        ("within", False, True),
        ("within", True, False),
    }


def test_a_column_that_was_recoded_is_left_alone_by_later_steps() -> None:
    space = Space(DATA.schema, 2, ["global_recoding", "additive_noise"])
    recoded = (ammg.GlobalRecoding(columns=["age"], groups=3),)
    assert all("age" not in option.columns for option in space.additions(recoded))


def test_what_could_stand_in_the_place_of_a_step_masks_the_same_columns() -> None:
    space = Space(DATA.schema, 2, ["rank_swapping", "additive_noise", "mdav"])
    others = space.alternatives(ammg.AdditiveNoise(columns=["age"]))
    assert {option.columns for option in others} == {("age",)}
    assert {option.unit for option in others} == {ammg.RankSwapping, ammg.Mdav}


def test_a_space_without_methods_is_refused() -> None:
    with pytest.raises(InputError, match="No method applies to these data"):
        Space(DATA.schema, 1, [])


def test_local_classes_are_formed_within_the_keys_of_households() -> None:
    table = pl.DataFrame({"home": [1, 1, 2, 2], "region": [1, 1, 2, 2], "age": [20, 30, 40, 50]})
    data = ammg.Microdata(table).with_roles(key=["region", "age"], household="home").with_levels(household="region")
    space = Space(data.schema, 1, ["mondrian"], known=["region", "age"])
    within = [option for option in space.options if option.usable and option.is_plain]
    assert [(option.columns, option.covers) for option in within] == [(("age",), {"age", "region"})]
    assert within[0].at(0.0).within == ("region",)
