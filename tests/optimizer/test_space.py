"""The space is what units and schema declare."""

import numpy as np
import optuna
import polars as pl

import ammg
from ammg.optimizer.space import Space

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
    assert step == ammg.UnivariateMicroaggregation(columns=("age", "wage"), k=7, integers=True)


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
    assert noise == ammg.AdditiveNoise(columns=("age",), p=0.5, integers=True)
    assert recoding == ammg.RareCategoryRecoding(columns=("sex",), keep=1)
    assert [start["0 method"] for start in starts[-2:]] == ["additive_noise", "rare_category_recoding"]
    assert [start["steps"] for start in starts[-2:]] == [1, 1]
    assert len(starts) == len({str(start) for start in starts})


def test_a_variation_changes_one_number_towards_the_mild_or_the_strong_end() -> None:
    space = Space(DATA.schema, 1, ["additive_noise"])
    params = {"steps": 1, "0 method": "additive_noise", "0 additive_noise columns": 0, "0 additive_noise p": 0.2}
    for milder in (True, False):
        variations = [space.varied(params, np.random.default_rng(seed), milder=milder) for seed in range(50)]
        numbers = [new for new in variations if len(new) == len(params)]
        assert len(numbers) > 10
        for new in numbers:
            assert {**new, "0 additive_noise p": 0.2} == params
            assert (new["0 additive_noise p"] < 0.2) == milder
            assert 0.02 <= new["0 additive_noise p"] <= 0.5


def test_a_variation_of_another_choice_leaves_out_what_hangs_on_it() -> None:
    space = Space(DATA.schema, 2, ["additive_noise", "microaggregation"])
    params = {"steps": 2, "0 method": "additive_noise", "0 additive_noise columns": 0, "0 additive_noise p": 0.2}
    params |= {"1 method": "microaggregation", "1 microaggregation columns": 0}
    params |= {"1 microaggregation k": 5, "1 microaggregation iterations": 1_000}
    first = {name for name in params if name.startswith("0 ")}
    second = {name for name in params if name.startswith("1 ")}
    dropped = [{"steps"}, first, second, {"0 additive_noise columns"}, {"1 microaggregation columns"}]
    variations = [space.varied(params, np.random.default_rng(seed), milder=True) for seed in range(100)]
    left_out = [params.keys() - new.keys() for new in variations if params.keys() - new.keys()]
    assert all(names in dropped for names in left_out)  # never the iterations, which have one value only
    assert all(names in left_out for names in dropped)
