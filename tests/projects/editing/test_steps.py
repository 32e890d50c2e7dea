"""Steps of a document are listed, told and changed; the document before stays as it was."""

import copy

import pytest

from ammg.errors import InputError
from ammg.projects.editing.steps import (
    Step,
    in_words,
    moved_step,
    steps_of,
    switched_step,
    with_recipe,
    with_step,
    without_step,
)

DOCUMENT = {
    "source": "a.csv",
    "methods": [{"rankSwap": {"columns": ["age", "income"], "p": 5.0}}, {"sampling": {}, "skip": True}, "rounding"],
}


def names(document: dict[str, object]) -> list[str]:
    return [step.name for step in steps_of(document)]


def test_steps_are_listed_by_their_own_names() -> None:
    swapping, sampling, rounding = steps_of(DOCUMENT)
    assert (swapping.title, swapping.words) == ("Rank swapping", "columns: age, income, p: 5")
    assert swapping.meaning.endswith(".")
    assert sampling.is_off
    assert not rounding.is_off
    assert steps_of({}) == ()


def test_each_change_gives_another_document() -> None:
    before = copy.deepcopy(DOCUMENT)
    assert names(moved_step(DOCUMENT, 2, 0)) == ["rounding", "rank_swapping", "sampling"]
    assert names(without_step(DOCUMENT, 1)) == ["rank_swapping", "rounding"]
    assert names(with_step(DOCUMENT, Step("mdav", {"k": 4}))) == ["rank_swapping", "sampling", "rounding", "mdav"]
    assert with_step(DOCUMENT, Step("mdav", {"k": 4}), 0)["methods"][0] == {"mdav": {"k": 4}}
    assert [step.is_off for step in steps_of(switched_step(DOCUMENT, 1))] == [False, False, False]
    assert switched_step(DOCUMENT, 2)["methods"][2] == {"rounding": {}, "skip": True}
    assert before == DOCUMENT
    with pytest.raises(InputError, match="no step 9"):
        without_step(DOCUMENT, 8)


def test_a_recipe_is_told_in_one_line_and_brings_the_hierarchies_it_needs() -> None:
    recipe = [{"global_recoding": {"columns": ["age"], "level": 1}}, {"sampling": {"fraction": 0.81234567}}]
    assert in_words(recipe) == "Global recoding (columns: age, level: 1), then sampling (fraction: 0.8123)"
    taken = with_recipe(DOCUMENT, recipe, {"age": "by widths 5", "job": "by prefix 1"})
    assert taken["hierarchies"] == {"age": "by widths 5"}
    assert names(taken) == ["global_recoding", "sampling"]
