"""The last round: the best candidates on the whole file and under secrets of their own."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Iterator

from ammg.draws import Secret
from ammg.optimizer.bench import Bench
from ammg.optimizer.ladder import Problem, Verdict
from ammg.optimizer.result import Candidate

FRESH = 3
"""Secrets of their own under which a recipe must meet the limits in the mean before it is chosen."""


class Finals:
    """Judges candidates to the end.

    One secret overfits: among many recipes some meet a limit by luck. So a candidate is also run under fresh secrets,
    and what counts is the larger of the risk of the file to be released and of the mean over all draws plus its
    standard error.
    """

    def __init__(self, bench: Bench, whole: Problem) -> None:
        self.bench, self.whole = bench, whole

    def __call__(self, candidate: Candidate) -> Candidate | None:
        """The candidate on the whole file; None where it is refused there."""
        verdict = self.bench.under(self.whole, "whole", candidate.recipe)
        if verdict.state == "refused":
            return None
        masked = self.whole.masked(candidate.recipe)[1]
        fresh = tuple(self._fresh(candidate)) if verdict.pressure <= 1 else ()
        draws = {label: (risk, *(one.risks[label] for one in fresh)) for label, risk in verdict.risks.items()}
        pressure = max(
            limit.pressure(max(draws[label][0], _mean_and_error(draws[label])))
            for label, limit in self.whole.limits.items()
        )
        return Candidate(candidate.number, verdict.recipe, verdict.risks, verdict.loss, pressure, masked, draws)

    def _fresh(self, candidate: Candidate) -> Iterator[Verdict]:
        """The recipe under other secrets; nothing if it gives the same file whatever the secret."""
        problem = self.whole
        for number in range(FRESH):
            digest = hashlib.blake2b(f"fresh {number}".encode(), key=problem.secret.key, digest_size=32)
            other = problem.with_secret(Secret.of(digest.digest()))
            if number == 0 and _alike(problem, other, candidate):
                return
            verdict = self.bench.under(other, f"fresh {number}", candidate.recipe)
            if verdict.state != "refused":
                yield verdict


def _mean_and_error(values: tuple[float, ...]) -> float:
    """The mean over draws plus its standard error: a margin where the limit is near."""
    if len(values) == 1:
        return values[0]
    return statistics.fmean(values) + statistics.stdev(values) / math.sqrt(len(values))


def _alike(problem: Problem, other: Problem, candidate: Candidate) -> bool:
    """Whether the recipe makes the same file under both secrets."""
    if problem.measured(candidate.recipe).loss != other.measured(candidate.recipe).loss:
        return False
    return problem.masked(candidate.recipe)[1].table.equals(other.masked(candidate.recipe)[1].table)
