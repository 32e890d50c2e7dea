from ammg.search.result import Candidate, SearchResult


def candidate(number: int, pressure: float, loss: float) -> Candidate:
    return Candidate(number, (), {"risk": pressure}, loss, pressure)


def choose(candidates: list[Candidate], whole: dict[int, float] | None = None) -> SearchResult:
    """`whole` has the pressures that turn out otherwise on all records."""

    def judge(recipe: object, number: int) -> Candidate:
        tried = candidates[number]
        return candidate(number, (whole or {}).get(number, tried.pressure), tried.loss)

    return SearchResult.choose(candidates, judge, {"risk": 1.0}, "cell_loss")


def test_the_safe_candidate_of_least_loss_is_chosen() -> None:
    result = choose([candidate(0, 0.5, 0.4), candidate(1, 0.9, 0.2), candidate(2, 1.2, 0.0)])
    assert result.choice.number == 1
    assert "every risk at or below its threshold" in result.reason


def test_a_candidate_that_is_not_safe_on_all_records_is_passed_over() -> None:
    result = choose([candidate(0, 0.5, 0.4), candidate(1, 0.9, 0.2)], {1: 1.1})
    assert result.choice.number == 0


def test_of_equal_losses_the_first_is_chosen() -> None:
    assert choose([candidate(0, 0.5, 0.2), candidate(1, 0.1, 0.2)]).choice.number == 0


def test_the_frontier_leaves_out_who_is_beaten() -> None:
    result = choose([candidate(0, 2, 0.0), candidate(1, 1, 0.3), candidate(2, 1.5, 0.4), candidate(3, 0.5, 0.3)])
    assert [point.number for point in result.frontier] == [0, 3]
