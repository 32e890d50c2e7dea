"""Methods take criteria as values, and what one of them leaves is what the measure of that name finds unbroken."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data import hierarchy_builders as build
from ammg.errors import InputError
from ammg.measures.measure import Measure
from ammg.methods.key_method import KeyMethod

KEYS = ["age", "sex", "town"]


def people(n: int = 800) -> ammg.Microdata:
    rng = np.random.default_rng(4)
    age = rng.integers(0, 90, n)
    table = pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["a", "b", "c", "d"], n),
            "illness": np.where(rng.random(n) < age / 120, "gout", rng.choice(["flu", "cold", "mumps"], n)),
            "grade": rng.integers(1, 6, n),
        }
    )
    data = ammg.Microdata(table).with_roles(key=KEYS, confidential=["illness", "grade"])
    return data.with_kinds(nominal="illness", ordinal="grade")


def with_trees(data: ammg.Microdata) -> ammg.Microdata:
    ages = build.by_widths(sorted(set(data.table["age"].to_list())), (5, 10, 30))
    return data.with_hierarchies(age=ages)


CRITERIA: list[tuple[type[Measure], dict[str, object]]] = [
    (ammg.DistinctLDiversity, {"least": 3, "attributes": ["illness"]}),
    (ammg.EqualTCloseness, {"t": 0.25, "attributes": ["illness"]}),
    (ammg.OrderedTCloseness, {"t": 0.15, "attributes": ["grade"]}),
    (ammg.EntropyLDiversity, {"least": 2.5, "attributes": ["illness"]}),
    (ammg.KAnonymity, {"k": 9}),
]


@pytest.mark.parametrize(("measure", "asked"), CRITERIA)
@pytest.mark.parametrize("name", ["Mondrian", "LocalRecoding", "OptimalRecoding"])
def test_what_a_criterion_asks_for_is_what_its_measure_finds(
    name: str, measure: type[Measure], asked: dict[str, object]
) -> None:
    options = {"moves": 300} if name == "LocalRecoding" else {}
    data = with_trees(people()) if name == "OptimalRecoding" else people()

    def broken(**criteria: object) -> float:
        masked = ammg.Pipeline([getattr(ammg, name)(k=4, **options, **criteria)]).run(data, secret=1)
        return measure(**asked).measure(masked.pair, ammg.Scenario()).value

    assert broken(criteria=[{measure(**asked).name: asked}]) == 0
    if name != "OptimalRecoding":  # whose classes are large for other reasons
        assert broken() > 0


@pytest.mark.parametrize("method", [ammg.Mondrian, ammg.LocalRecoding])
def test_groups_that_break_a_criterion_are_joined_with_near_ones(method: type[KeyMethod]) -> None:
    options = {"moves": 300} if method is ammg.LocalRecoding else {}
    asked = [{"distinct_l_diversity": {"least": 3, "attributes": ["illness"]}}]
    plain, strict = (
        ammg.Pipeline([method(k=4, criteria=c, **options)]).run(people(), secret=1).steps[0].notes[0]
        for c in ([], asked)
    )
    few, many = (float(note.split("covers ")[1].split("%")[0]) for note in (plain, strict))
    assert few < many < 3 * few


def test_local_suppression_takes_k_and_diversity_as_criteria() -> None:
    asked = [{"k_anonymity": 4}, {"distinct_l_diversity": {"least": 2, "attributes": ["illness"]}}]
    as_criteria = ammg.LocalSuppression(k=2, criteria=asked, rounds=10)
    as_options = ammg.LocalSuppression(k=4, diversity={"illness": 2}, rounds=10)
    one, other = (ammg.Pipeline([step]).run(people(300), secret=1).table for step in (as_criteria, as_options))
    assert one.equals(other)
    assert not one.equals(people(300).table)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ammg.LocalSuppression(criteria=[{"equal_t_closeness": 0.2}]), "makes overlapping groups"),
        (lambda: ammg.Mondrian(criteria=[{"k_map": 5}]), "use optimal_recoding for it"),
        (lambda: ammg.LocalRecoding(criteria=["unsafe_combinations"]), "use optimal_recoding for it"),
    ],
)
def test_criteria_that_make_no_sense_there_are_refused_in_one_sentence(make, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_what_not_even_one_group_meets_is_refused() -> None:
    step = ammg.Mondrian(k=4, criteria=[{"distinct_l_diversity": {"least": 9, "attributes": ["illness"]}}])
    with pytest.raises(InputError, match=r"Even as one group, all records break DistinctLDiversity"):
        ammg.Pipeline([step]).run(people(), secret=1)
    key = ammg.Mondrian(k=4, criteria=[{"distinct_l_diversity": {"attributes": ["age"]}}])
    with pytest.raises(InputError, match="'age' is both a key and the sensitive attribute"):
        ammg.Pipeline([key]).run(people(), secret=1)
