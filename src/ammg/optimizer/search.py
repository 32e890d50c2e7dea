"""`ammg.search`: the masked file with the least loss among those that are safe enough."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import InputError
from ammg.measures.measure import Measure
from ammg.optimizer.bench import Bench
from ammg.optimizer.finals import Finals
from ammg.optimizer.ladder import Problem
from ammg.optimizer.result import Candidate, SearchResult
from ammg.optimizer.sample import nonnegative, sampled
from ammg.optimizer.space import Space
from ammg.optimizer.storage import Journal, secret_of
from ammg.optimizer.strategy import explore
from ammg.params import search_ranges
from ammg.pipeline.evaluation import resolve
from ammg.pipeline.limits import Limit, LimitsLike, limits_of, suggested_limits
from ammg.pipeline.survive import SurviveLike, survivors
from ammg.progress import Report, reporting, tick


def search(
    data: Microdata | Any,
    risk: LimitsLike,
    loss: str | Measure = "cell_loss",
    *,
    trials: int = 300,
    steps: int = 3,
    methods: Sequence[str] | None = None,
    untouched: Sequence[str] = (),
    scenario: Scenario | None = None,
    survive: SurviveLike | None = None,
    secret: Secret | bytes | str | int | None = None,
    records: int = 10_000,
    processes: int | None = None,
    storage: str | Path | None = None,
    progress: Report | None = None,
) -> SearchResult:
    """Search recipes of up to `steps` methods for small loss under limits: `{measure: greatest value}`, or `Limit`s.

    What must `survive` ("mean income by region within 2 %") is judged like the limits.
    Recipes are tried on a random sample of at most `records` records; the chosen one is run and judged on all of them.
    It must also keep the limits in the mean of three further secrets. `untouched` are columns that no step may mask.
    The number of `processes` (by default one per core) changes the time it takes, never the result. With `storage` (a
    file) an interrupted search goes on where it stopped and ends as it would have ended; its secret, unless given, is
    kept beside it.
    """
    if not isinstance(data, Microdata):
        data = Microdata(data)
    limits, (minimised,) = _checked(risk), resolve(loss)
    limits = limits_of((*limits, *(survivor.limit for survivor in survivors(survive))))
    if minimised.family != "loss":
        raise InputError(f"'{minimised.name}' measures {minimised.family}, not loss: choose a measure of loss.")
    _check_numbers(trials=trials, steps=steps, records=records, processes=processes or 1)
    for name in untouched:
        data.schema[name]  # an unknown column gets the nearest one
    key = secret_of(secret, storage)
    scenario = scenario or Scenario()
    sample = sampled(data, records, key)
    known = [name for name in scenario.known_in(data.schema) if name in data.schema]
    space = Space(data.schema, steps, methods, known=known, nonnegative=nonnegative(sample), untouched=untouched)
    problem = Problem(sample, limits, minimised, scenario, key)
    whole = problem if sample is data else Problem(data, limits, minimised, scenario, key)
    journal = Journal(storage, _question(problem, space))
    bench = Bench(problem, journal, trials, processes or os.cpu_count() or 1)
    with reporting(progress):
        explore(space, bench, Draws(key).at("search").generator("variations"))
        candidates = _candidates(bench)
        tick(trials, trials)
        return SearchResult.choose(
            candidates,
            Finals(bench, whole),
            problem.limits,
            problem.loss_label,
            tried=len(bench.verdicts),
            sample=None if sample is data else len(sample),
        )


def _candidates(bench: Bench) -> list[Candidate]:
    """The recipes that were attacked, in the order in which they were tried."""
    verdicts = list(bench.verdicts.values())
    refusals = Counter(verdict.reason for verdict in verdicts if verdict.state == "refused")
    if refusals.total() == len(verdicts):
        raise InputError(f"Every recipe was refused; most often: {refusals.most_common(1)[0][0]}")
    return [
        Candidate(number, verdict.recipe, verdict.risks, verdict.loss, verdict.pressure)
        for number, verdict in enumerate(verdicts)
        if verdict.state in ("safe", "broken")
    ]


def _question(problem: Problem, space: Space) -> str:
    """What a search answers, as a keyed digest: it tells nothing about the data or the secret."""
    options = [(option.name, option.columns, search_ranges(option.unit)) for option in space.options]
    limits = sorted(
        (limit.measure.name, limit.measure.model_dump_json(), limit.at_most) for limit in problem.limits.values()
    )
    loss = (problem.loss.name, problem.loss.model_dump_json())
    asked = (limits, loss, problem.scenario, space.steps, options, problem.data.schema)
    digest = hashlib.blake2b(repr(asked).encode(), key=problem.secret.key, digest_size=16)
    digest.update(problem.data.table.hash_rows(seed=0).to_numpy().tobytes())
    return digest.hexdigest()


def _checked(risk: LimitsLike) -> tuple[Limit, ...]:
    """The limits; losses may be limited too, but not they alone."""
    limits = limits_of(risk)
    if not any(limit.measure.family == "risk" for limit in limits):
        raise InputError(f"A search needs a limit on at least one risk: risk={suggested_limits()}.")
    return limits


def _check_numbers(**numbers: int) -> None:
    for name, number in numbers.items():
        if not isinstance(number, int) or number < 1:
            raise InputError(f"A search with {name} = {number!r} does nothing: give a whole number of at least 1.")
