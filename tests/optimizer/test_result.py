import pytest

import ammg
from ammg.errors import InputError
from ammg.optimizer.result import Candidate, SearchResult


def candidate(number: int, pressure: float, loss: float) -> Candidate:
    return Candidate(number, (), {"risk": pressure}, loss, pressure)


def choose(candidates: list[Candidate], whole: dict[int, float | None] | None = None) -> SearchResult:
    """`whole` has the pressures that turn out otherwise on all records; None for a recipe that is refused there."""

    def judge(tried: Candidate) -> Candidate | None:
        pressure = (whole or {}).get(tried.number, tried.pressure)
        return None if pressure is None else candidate(tried.number, pressure, tried.loss)

    return SearchResult.choose(
        candidates, judge, {"risk": ammg.Limit("frequency", 1.0)}, "cell_loss", sample=500 if whole else None
    )


def test_the_safe_candidate_of_least_loss_is_chosen() -> None:
    result = choose([candidate(0, 0.5, 0.4), candidate(1, 0.9, 0.2), candidate(2, 1.2, 0.0)])
    assert result.choice.number == 1
    assert "all limits" in result.reason


def test_a_candidate_that_is_not_safe_on_all_records_is_passed_over() -> None:
    result = choose([candidate(0, 0.5, 0.4), candidate(1, 0.9, 0.2)], {1: 1.1})
    assert result.choice.number == 0
    assert result.reason == (
        "2 of 2 recipes, tried on 500 records, meet all limits; 1 of them does not on the whole file; among the rest, "
        "this one has the least cell_loss (0.4)."
    )


def test_a_candidate_that_is_refused_on_all_records_is_passed_over() -> None:
    assert choose([candidate(0, 0.5, 0.4), candidate(1, 0.9, 0.2)], {1: None}).choice.number == 0
    assert choose([candidate(0, 3.0, 0.4), candidate(1, 2.0, 0.2)], {1: None}).choice.number == 0
    with pytest.raises(InputError, match="works on all records"):
        choose([candidate(0, 3.0, 0.4)], {0: None})


def test_a_choice_that_is_safe_is_never_said_to_be_none() -> None:
    milder = [candidate(number, 0.9, number / 100) for number in range(20)]
    result = choose([*milder, candidate(20, 0.1, 0.5)], dict.fromkeys(range(20), 1.1))
    assert result.choice.number == 20
    assert result.choice.is_safe
    assert result.reason == (
        "The 20 recipes of least loss meet all limits at first but not on the whole file; this one, the "
        "least risky of 21 recipes, tried on 500 records, does."
    )


def test_where_many_fall_those_with_room_to_the_limit_are_next() -> None:
    near = [candidate(number, 0.99, number / 100) for number in range(15)]
    result = choose([*near, candidate(15, 0.8, 0.5), candidate(16, 0.1, 0.6)], dict.fromkeys(range(15), 1.1))
    assert result.choice.number == 15


def test_a_choice_that_is_safe_on_the_whole_file_alone_is_said_to_be() -> None:
    result = choose([candidate(0, 1.5, 0.4), candidate(1, 1.2, 0.2)], {1: 0.9})
    assert (result.choice.number, result.choice.is_safe) == (1, True)
    assert result.reason == (
        "None of 2 recipes, tried on 500 records, meets all limits; on the whole file the least risky one does."
    )


def test_of_equal_losses_the_first_is_chosen() -> None:
    assert choose([candidate(0, 0.5, 0.2), candidate(1, 0.1, 0.2)]).choice.number == 0


def test_the_frontier_leaves_out_who_is_beaten() -> None:
    result = choose([candidate(0, 2, 0.0), candidate(1, 1, 0.3), candidate(2, 1.5, 0.4), candidate(3, 0.5, 0.3)])
    assert [point.number for point in result.frontier] == [0, 3]
