"""The last round: the best candidates on the whole file and under secrets of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from ammg.draws import Secret
from ammg.optimizer.bench import Bench
from ammg.optimizer.ladder import Problem, Verdict
from ammg.optimizer.options import written
from ammg.optimizer.result import Candidate
from ammg.optimizer.shortfall import figure_of

FRESH = 3
"""Secrets of their own under which a recipe must meet the limits in the mean before it is chosen."""
_FIRST = 2  # of them, tried at once


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
        verdict = self._on_whole(candidate)
        if verdict.state == "refused":
            return None
        masked = self.whole.masked(candidate.recipe)[1]
        fresh = self._fresh(candidate, verdict) if verdict.pressure <= 1 else []
        draws = _draws(verdict, fresh)
        return Candidate(
            candidate.number, verdict.recipe, verdict.risks, verdict.loss, self._pressure(draws), masked, draws
        )

    def _on_whole(self, candidate: Candidate) -> Verdict:
        """The verdict on the whole file: that of the search, if the search judged the whole file to the end."""
        known = self.bench.verdicts.get(written(candidate.recipe))
        if self.whole is self.bench.problem and known is not None and known.state == "safe":
            return known
        return self.bench.under({"whole": self.whole}, candidate.recipe)[0]

    def _fresh(self, candidate: Candidate, verdict: Verdict) -> list[Verdict]:
        """The recipe under other secrets; nothing if it gives the same file whatever the secret.

        A recipe that breaks a limit in the mean over the first of them gets no more.
        """
        problems = {f"fresh {number}": self.whole.with_secret(self._secret(number)) for number in range(FRESH)}
        if _alike(self.whole, problems["fresh 0"], candidate):
            return []
        labels = list(problems)
        found: list[Verdict] = []
        for some in (labels[:_FIRST], labels[_FIRST:]):
            more = self.bench.under({label: problems[label] for label in some}, candidate.recipe)
            found += [one for one in more if one.state != "refused"]
            if self._pressure(_draws(verdict, found), errors=0.0) > 1:
                break
        return found

    def _secret(self, number: int) -> Secret:
        key = self.whole.secret.key
        return Secret.of(hashlib.blake2b(f"fresh {number}".encode(), key=key, digest_size=32).digest())

    def _pressure(self, draws: Mapping[str, tuple[float, ...]], errors: float = 1.0) -> float:
        """The worst risk, as a multiple of its limit: of the file itself, or of the mean with its standard error."""
        return max(limit.pressure(figure_of(draws[label], errors)) for label, limit in self.whole.limits.items())


def _draws(verdict: Verdict, fresh: Sequence[Verdict]) -> dict[str, tuple[float, ...]]:
    return {label: (risk, *(one.risks[label] for one in fresh)) for label, risk in verdict.risks.items()}


def _alike(problem: Problem, other: Problem, candidate: Candidate) -> bool:
    """Whether the recipe makes the same file under both secrets."""
    if problem.measured(candidate.recipe).loss != other.measured(candidate.recipe).loss:
        return False
    return problem.masked(candidate.recipe)[1].table.equals(other.masked(candidate.recipe)[1].table)
