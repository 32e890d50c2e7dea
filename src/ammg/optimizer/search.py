"""`ammg.search`: the masked file with the least loss among those that are safe enough."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import InputError
from ammg.forks import refuse_forked
from ammg.kernels.threads import allowed_processors
from ammg.measures.measure import Measure
from ammg.optimizer.bench import Bench
from ammg.optimizer.finals import Finals
from ammg.optimizer.groups import groups_of
from ammg.optimizer.ladder import Problem
from ammg.optimizer.left_open import left_as_they_are, open_attributes, told_sizes
from ammg.optimizer.left_out import left_out
from ammg.optimizer.proposals import proposed_rules
from ammg.optimizer.references import references
from ammg.optimizer.result import Candidate, SearchResult
from ammg.optimizer.sample import nonnegative, sampled
from ammg.optimizer.so_far import HIERARCHIES
from ammg.optimizer.space import Space
from ammg.optimizer.storage import Journal, secret_of
from ammg.optimizer.story import Considered, considered
from ammg.optimizer.strategy import attack_more, explore, refit, strengthen
from ammg.params import search_ranges
from ammg.pipeline.evaluation import resolve
from ammg.pipeline.limits import Limit, LimitsLike, limits_of, suggested_limits
from ammg.pipeline.survive import SurviveLike, survivors
from ammg.progress import Report, reporting, tick

_MOST_STEPS = 6  # beyond it recipes become too many to try


def search(
    data: Microdata | Any,
    risk: LimitsLike,
    loss: str | Measure = "overall_loss",
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
    """Search for the recipe of up to `steps` methods with the least loss that meets all limits.

    Limits on `risk` are `{measure: largest value}` or `Limit`s. What must `survive` ("mean income by region within 2
    %") is checked like the limits. Keys without a hierarchy get the one that `analyze` proposes, so that they can be
    recoded. Recipes are tried on a random sample of at most `records` records; the chosen one is evaluated on all of
    them. It must also meet the limits on average over three other secrets; where none does, slightly stronger recipes
    are tried beyond `trials`. `untouched` are columns that no step may mask; a household size that the number of
    released members tells is left alone as well. The number of `processes` (by default one per core) changes the time,
    never the result. With `storage` (a file) an interrupted search continues where it
    stopped, with the same result; its secret, unless given, is kept beside the file.
    """
    refuse_forked()
    if not isinstance(data, Microdata):
        data = Microdata(data)
    (minimised,) = resolve(loss)
    limits = _checked(risk)
    limits = limits_of((*limits, *(survivor.limit for survivor in survivors(survive))))
    if minimised.family == "risk":
        raise InputError(f"'{minimised.name}' measures risk: choose a loss, or a score of both, to minimise.")
    _check_numbers(trials=trials, steps=steps, records=records, processes=processes or 1)
    for name in untouched:
        data.schema[name]  # an unknown column gets the nearest one
    key = secret_of(secret, storage)
    scenario = scenario or Scenario()
    known = [name for name in scenario.known_in(data.schema) if name in data.schema]
    named = [name for limit in limits for name in getattr(limit.measure, "columns", None) or ()]
    told = told_sizes(sampled(data, records, key), {*known, *named})
    left = left_as_they_are(data, [name for name in told if name not in untouched])
    untouched = (*untouched, *told)
    rules = proposed_rules(data, [name for name in known if name not in untouched])
    data = data.with_hierarchies(rules) if rules else data
    sample = sampled(data, records, key)
    problem = Problem(sample, limits, minimised, scenario, key)
    groups = groups_of(problem.limits, known, untouched)
    limited = {name for group in groups for name in group.columns}
    space = Space(
        data.schema,
        steps,
        methods,
        known=known,
        nonnegative=nonnegative(sample),
        untouched=untouched,
        told=[name for name in told if name in known],
        limited=limited - set(known),
    )
    whole = problem if sample is data else Problem(data, limits, minimised, scenario, key)
    journal = Journal(storage, _question(problem, space))
    if journal.get(HIERARCHIES) is None:
        journal.put(HIERARCHIES, rules)
    bench = Bench(problem, journal, trials, processes or allowed_processors())
    with reporting(progress):
        explore(space, bench, Draws(key).at("search").generator("variations"), groups)
        last = bench
        if sample is not data:
            last = Bench(whole, journal, _refitted(len(data)), processes or allowed_processors(), "whole ")
            refit(bench, last)
        tick(trials, trials)
        tried_on = None if sample is data else len(sample)
        remedies = _remedies(None if bench.spent < trials else trials, steps, methods, untouched, tried_on)
        choose = partial(_chosen, last, whole, bench, tried_on, remedies)
        result = choose()
        for more in (attack_more, strengthen):
            if not result.choice.is_safe and more(last):
                result = choose()
        compared = references(space, bench)
    return replace(
        result,
        references=compared,
        considered=_considered(bench),
        left_out=left_out(space),
        hierarchies=rules,
        notes=(*left, *open_attributes(sample, known)),
    )


def _chosen(last: Bench, whole: Problem, bench: Bench, sample: int | None, remedies: Sequence[str]) -> SearchResult:
    """The choice among what was attacked, by the last round."""
    return SearchResult.choose(
        _candidates(last),
        Finals(last, whole),
        whole.limits,
        whole.loss_label,
        tried=bench.spent,
        sample=sample,
        remedies=remedies,
    )


def _remedies(
    trials: int | None, steps: int, methods: Sequence[str] | None, untouched: Sequence[str], records: int | None
) -> list[str]:
    """What a search that finds nothing could be given; more trials only if it used up all of them."""
    return [
        *([f"more than {trials} trials"] if trials else []),
        *([f"recipes of more than {steps} step{'s' * (steps > 1)}"] if steps < _MOST_STEPS else []),
        *(["all methods instead of those listed"] if methods is not None else []),
        *([f"masking {', '.join(untouched)}, which must stay untouched now"] if untouched else []),
        *([f"a sample of more than {records:,} records"] if records else []),
    ]


def _considered(bench: Bench) -> tuple[Considered, ...]:
    """What became of each combination of methods: together, then for each group of columns by itself."""
    asked = bench.problem.loss_label, bench.problem.limits
    parts = (considered(part.verdicts.values(), *asked, title) for title, part in bench.parts.items())
    return tuple(chain(considered(bench.verdicts.values(), *asked), *parts))


def _refitted(records: int) -> int:
    """Recipes that are judged on a whole file that was too large to search on."""
    return max(6, min(40, 1_000_000 // records))


def _candidates(bench: Bench) -> list[Candidate]:
    """The recipes that were attacked, in the order in which they were tried."""
    verdicts = list(bench.verdicts.values())
    refusals = Counter(verdict.reason for verdict in verdicts if verdict.state == "refused")
    if refusals.total() == len(verdicts):
        raise InputError(f"Every recipe was refused; the most frequent reason: {refusals.most_common(1)[0][0]}")
    return [
        Candidate(number, verdict.recipe, verdict.risks, verdict.loss, verdict.pressure)
        for number, verdict in enumerate(verdicts)
        if verdict.state in ("safe", "broken", "lossy") and verdict.risks
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
            raise InputError(f"{name} = {number!r} is not valid: give a whole number of at least 1.")
