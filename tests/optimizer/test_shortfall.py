"""A search that finds nothing names every limit that the nearest recipe breaks, and what could help."""

import polars as pl

import ammg
from ammg.optimizer.result import Candidate, SearchResult

LIMITS = {"a": ammg.Limit("frequency", 0.1), "b": ammg.Limit("k_anonymity", 0.0), "c": ammg.Limit("il1s", 0.5)}


def told(candidates: list[Candidate], judged: Candidate, remedies: tuple[str, ...] = ("more than 9 trials",)) -> str:
    return SearchResult.choose(candidates, lambda _: judged, LIMITS, "cell_loss", remedies=remedies).reason


def broken(number: int, **risks: float) -> Candidate:
    return Candidate(number, (), risks, 0.1, max(LIMITS[label].pressure(value) for label, value in risks.items()))


def test_every_broken_limit_is_named_with_its_value_the_worst_first() -> None:
    nearest = broken(0, a=0.2, b=0.3, c=0.4)
    assert told([nearest], nearest) == (
        "None of 1 recipe meets all limits. This one comes closest: b is 0.3, the limit is 0; a is 0.2, the limit is "
        "0.1. No recipe tried meets the limit of b or a. What could help: more than 9 trials or higher limits of b "
        "and a."
    )


def test_limits_that_other_recipes_meet_are_told_from_those_out_of_reach() -> None:
    nearest = broken(0, a=0.2, b=0.3, c=0.4)
    others = [broken(1, a=0.1, b=0.5), broken(2, b=0.0, c=0.9)]
    assert "Other recipes meet each of these limits, but none meets all of them." in told([nearest, *others], nearest)
    assert "No recipe tried meets the limit of b." in told([nearest, others[0]], nearest)
    one = broken(0, a=0.2, b=0.0, c=0.4)
    assert "Other recipes meet this limit but break others." in told([one, others[0]], one)


def test_a_limit_that_only_other_secrets_break_is_told_with_their_mean() -> None:
    first = Candidate(0, (), {"a": 0.09, "b": 0.0, "c": 0.4}, 0.1, 0.9)
    draws = {"a": (0.09, 0.13, 0.14), "b": (0.0,), "c": (0.4,)}
    judged = Candidate(0, (), first.risks, 0.1, 1.4, draws=draws)
    reason = told([first], judged)
    assert "meets all limits with other secrets. This one comes closest: a is 0.09 here and 0.12 on average over 3" in (
        reason
    )
    assert "No recipe tried" not in reason


def test_a_search_says_what_could_help_it() -> None:
    table = pl.DataFrame({"age": [21, 35, 35, 48, 52, 67, 70, 81], "city": list("aabbccdd"), "pay": [*range(8)]})
    data = ammg.Microdata(table).with_roles(key=["age", "city"], confidential=["pay"])
    limits = {"frequency": 0.0, "k_anonymity": 0.0, "cell_loss": 0.0}
    found = ammg.search(data, limits, trials=4, steps=1, methods=["rank_swapping"], untouched=["city"], secret=1)
    assert not found.choice.is_safe
    missed = [label for label, limit in found.limits.items() if found.choice.risks[label] > limit.at_most]
    assert len(missed) > 1
    assert all(f"{label} is {found.choice.risks[label]:.4g}, the limit is 0" in found.reason for label in missed)
    assert "What could help: more than 4 trials, recipes of more than 1 step, all methods instead of" in found.reason
    assert "masking city" in found.reason
