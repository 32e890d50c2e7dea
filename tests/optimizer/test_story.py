"""What became of each combination of methods, in words."""

from __future__ import annotations

import ammg
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.story import considered

LIMITS = {"distance_linkage": ammg.Limit("distance_linkage", 0.05)}
NOISE, SWAP = ammg.AdditiveNoise(), ammg.RankSwapping()


def test_every_combination_says_how_far_it_got() -> None:
    verdicts = [
        Verdict((NOISE,), "broken", 0.1, {"distance_linkage": 0.4}, 8.0),
        Verdict((NOISE,), "safe", 0.3, {"distance_linkage": 0.01}, 0.2),
        Verdict((SWAP,), "broken", 0.2, {"distance_linkage": 0.2}, 4.0),
        Verdict((NOISE, SWAP), "measured", 0.5),
        Verdict((SWAP, NOISE), "refused", reason="it cannot be"),
    ]
    assert [str(entry) for entry in considered(verdicts, "s1", LIMITS)] == [
        "additive_noise (2 recipes): meets all limits, s1 0.3",
        "rank_swapping (1 recipe): exceeds the limit of distance_linkage, at best 4 times; s1 0.2",
        "additive_noise + rank_swapping (1 recipe): not attacked: its s1 of at least 0.5 exceeds that of the "
        "best safe recipe",
        "rank_swapping + additive_noise (1 recipe): cannot be used: it cannot be",
    ]


def test_a_recipe_that_a_better_score_beats_was_not_judged_by_the_limits() -> None:
    (entry,) = considered([Verdict((NOISE,), "broken", 5.0, {}, 1.2)], "dscore", LIMITS)
    assert str(entry) == "additive_noise (1 recipe): its dscore is higher than that of the best safe recipe"


def test_what_was_tried_on_a_group_of_columns_says_so() -> None:
    (entry,) = considered(
        [Verdict((NOISE,), "safe", 0.3, {"intact_records": 0.01}, 0.2)], "s1", LIMITS, "income, wages"
    )
    assert str(entry) == "additive_noise on income, wages (1 recipe): meets all limits, s1 0.3"
