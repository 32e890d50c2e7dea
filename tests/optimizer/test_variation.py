import numpy as np
import polars as pl

import ammg
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.options import written
from ammg.optimizer.space import Space
from ammg.optimizer.variation import other_choices, stronger_numbers, variation

DATA = ammg.Microdata(pl.DataFrame({"age": [30, 40], "wage": [1.0, 2.0]})).with_roles(key=["age", "wage"])
SPACE = Space(DATA.schema, 2, ["additive_noise", "rank_swapping"])
STEP = ammg.AdditiveNoise(columns=["age", "wage"], p=0.2)


def variations(state: str, count: int = 200) -> list[tuple[ammg.AdditiveNoise, ...]]:
    parents = [Verdict((STEP,), state, 0.1, {}, 0.9 if state == "safe" else 1.5)]
    found = [variation(SPACE, parents, np.random.default_rng(seed)) for seed in range(count)]
    return [recipe for recipe in found if recipe]


def test_a_safe_recipe_is_made_milder_and_another_one_stronger() -> None:
    for state, side in (("safe", -1), ("broken", 1)):
        same = [
            r[0] for r in variations(state) if len(r) == 1 and type(r[0]) is type(STEP) and r[0].columns == STEP.columns
        ]
        assert len(same) > 10
        assert all(np.sign(step.p - STEP.p) == side for step in same)


def test_variations_reach_other_methods_fewer_columns_more_steps_and_columns_apart() -> None:
    found = variations("safe")
    assert any(type(recipe[0]) is ammg.RankSwapping for recipe in found)
    assert any(recipe[0].columns in (("age",), ("wage",)) and len(recipe) == 1 for recipe in found)
    apart = [r for r in found if len(r) == 2 and type(r[0]) is type(r[1])]
    assert apart and all(set(r[0].columns) | set(r[1].columns) == {"age", "wage"} for r in apart)
    assert all(not set(r[0].columns) & set(r[1].columns) for r in apart)


def test_the_same_numbers_give_the_same_variation() -> None:
    assert [written(recipe) for recipe in variations("safe", 20)] == [written(r) for r in variations("safe", 20)]


def test_other_choices_change_one_choice_and_leave_out_what_contradicts_itself() -> None:
    grouped = ammg.MDAV(columns=["age", "wage"], k=5)
    found = [step.model_dump(include={"noise", "exact", "k"}) for (step,) in other_choices((grouped,))]
    assert found == [{"k": 5, "noise": "within", "exact": False}]


def test_single_numbers_are_made_stronger() -> None:
    recipes = stronger_numbers((ammg.Mdav(columns=("wage",), k=5), ammg.RankSwapping(columns=("age",), p=10)))
    assert len(recipes) > 3
    assert all(mdav.k > 5 or swap.p > 10 for mdav, swap in recipes)
    assert all(mdav.k == 5 or swap.p == 10 for mdav, swap in recipes)
