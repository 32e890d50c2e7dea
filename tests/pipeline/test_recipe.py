from __future__ import annotations

import ammg
from ammg.draws import Secret


def test_the_recipe_with_the_same_secret_makes_the_same_file(survey):
    run = ammg.Pipeline([ammg.RankSwapping(p=10), ammg.Sampling(fraction=0.5)]).run(survey, Secret.known(7))
    again = run.pair.again(survey, 7)
    assert again.masked.table.equals(run.table)
    assert (again.link == run.link).all()


def test_another_secret_makes_another_file(survey):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=0.1)]).run(survey, secret=7).pair
    assert not pair.again(survey, 8).masked.table.equals(pair.masked.table)


def test_steps_are_run_on_the_columns_that_are_there(survey):
    steps = [ammg.Mdav(columns=("wages", "pensions"), k=3), ammg.AdditiveNoise(columns=("income",), p=0.1)]
    pair = ammg.Pipeline(steps).run(survey, secret=7).pair
    own = ammg.Microdata(survey.table.select("wages", "sex"), survey.schema.select(["wages", "sex"]))
    replay = pair.again(own, 1).masked.table
    assert replay.columns == ["wages", "sex"]
    assert replay["sex"].equals(survey.table["sex"])
    assert replay["wages"].n_unique() < survey.table["wages"].n_unique()


def test_settings_about_columns_that_are_not_there_are_left_out(survey):
    step = ammg.AdditiveNoise(columns=("wages", "income"), bounds={"income": (0, None)}, within=("region",))
    pair = ammg.Pipeline([step]).run(survey, secret=7).pair
    own = ammg.Microdata(survey.table.select("wages"), survey.schema.select(["wages"]))
    assert not pair.again(own, 1).masked.table.equals(own.table)


def test_a_step_that_cannot_be_run_is_left_out(survey):
    step = ammg.AdditiveNoise(columns=("wages",), p=0.5, where="sex = 'female'")
    pair = ammg.Pipeline([step]).run(survey, secret=7).pair
    own = ammg.Microdata(survey.table.select("wages"), survey.schema.select(["wages"]))
    assert pair.again(own, 1).masked.table.equals(own.table)


def test_a_file_has_no_recipe(survey):
    from ammg.data.pair import Pair

    assert Pair.identity(survey).again is None
