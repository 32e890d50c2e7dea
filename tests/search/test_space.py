"""The space is what units and schema declare."""

import optuna
import polars as pl

import ammg
from ammg.search.space import Space

DATA = ammg.Microdata(
    pl.DataFrame({"age": [30, 40], "sex": ["f", "m"], "wage": [1.0, 2.0], "rent": [1.0, 1.0], "home": [1, 1]})
)
DATA = DATA.with_roles(key=["age", "sex"], confidential=["wage", "rent"], household="home")
DATA = DATA.with_levels(household="rent")


def groups(method: str) -> set[tuple[str, ...]]:
    (option,) = Space(DATA.schema, 2, [method]).options
    return set(option.groups)


def test_columns_are_grouped_by_role_and_level() -> None:
    assert groups("additive_noise") == {("age", "wage"), ("age",), ("wage",), ("rent",)}
    assert groups("rare_category_recoding") == {("sex",)}
    assert groups("sampling") == set()


def test_parameters_come_from_their_search_ranges() -> None:
    space = Space(DATA.schema, 1, ["univariate_microaggregation"])
    (step,) = space.recipe(
        optuna.trial.FixedTrial(
            {
                "steps": 1,
                "0 method": "univariate_microaggregation",
                "0 univariate_microaggregation columns": 0,
                "0 univariate_microaggregation k": 7,
            }
        )
    )
    assert step == ammg.UnivariateMicroaggregation(columns=("age", "wage"), k=7)


def test_a_column_that_was_recoded_is_left_alone_by_later_steps() -> None:
    space = Space(DATA.schema, 2, ["global_recoding", "additive_noise"])
    values: dict[str, object] = {"steps": 2, "0 method": "global_recoding", "0 global_recoding groups": 3}
    values |= {"1 method": "additive_noise", "1 additive_noise columns": 0, "1 additive_noise p": 0.1}
    recodings = next(option for option in space.options if option.name == "global_recoding").groups
    values["0 global_recoding columns"] = recodings.index(("age",))
    recode, noise = space.recipe(optuna.trial.FixedTrial(values))
    assert recode.columns == ("age",)
    assert noise.columns == ("wage",)


def test_the_search_starts_with_strong_recipes_that_reach_all_keys_and_ends_with_methods_alone() -> None:
    space = Space(DATA.schema, 3, ["additive_noise", "rare_category_recoding"])
    starts = space.starts()
    noise, recoding = space.recipe(optuna.trial.FixedTrial(starts[0]))
    assert noise == ammg.AdditiveNoise(columns=("age",), p=0.5)
    assert recoding == ammg.RareCategoryRecoding(columns=("sex",), keep=1)
    assert [start["0 method"] for start in starts[-2:]] == ["additive_noise", "rare_category_recoding"]
    assert [start["steps"] for start in starts[-2:]] == [1, 1]
    assert len(starts) == len({str(start) for start in starts})
