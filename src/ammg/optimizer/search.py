"""`ammg.search`: the masked file with the least loss among those that are safe enough."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import AmmgError, Cancelled, InputError, NotDefined
from ammg.measures.measure import Measure
from ammg.methods.method import Method
from ammg.optimizer.result import Candidate, SearchResult
from ammg.optimizer.space import Space
from ammg.optimizer.storage import open_study, secret_of
from ammg.params import search_ranges
from ammg.pipeline.evaluation import evaluate, resolve
from ammg.pipeline.labels import labelled
from ammg.pipeline.limits import Limit, LimitsLike, limits_of, suggested_limits
from ammg.pipeline.masked import Masked
from ammg.pipeline.pipeline import Pipeline
from ammg.progress import Report, part, reporting, tick

_FREE = 0.25  # share of the trials after the starts in which the optimiser chooses the whole recipe
_ATTEMPTS = 10  # to find a variation that was not tried


def search(
    data: Microdata | Any,
    risk: LimitsLike,
    loss: str | Measure = "cell_loss",
    *,
    trials: int = 100,
    steps: int = 3,
    methods: Sequence[str] | None = None,
    scenario: Scenario | None = None,
    secret: Secret | bytes | str | int | None = None,
    records: int = 10_000,
    storage: str | Path | None = None,
    progress: Report | None = None,
) -> SearchResult:
    """Search recipes of up to `steps` methods for small loss under limits: `{measure: greatest value}`, or `Limit`s.

    Recipes are tried on a random sample of at most `records` records; the chosen one is run and judged on all of them.
    With `storage` (a file) an interrupted search goes on where it stopped and ends as it would have ended; its secret,
    unless given, is kept beside it.
    """
    if not isinstance(data, Microdata):
        data = Microdata(data)
    limits, (minimised,) = _checked(risk), resolve(loss)
    if minimised.family != "loss":
        raise InputError(f"'{minimised.name}' measures {minimised.family}, not loss: choose a measure of loss.")
    _check_numbers(trials=trials, steps=steps, records=records)
    key = secret_of(secret, storage)
    scenario = scenario or Scenario()
    sample = _sampled(data, records, key)
    space = Space(data.schema, steps, methods, _nonnegative(sample))
    problem = _Problem(sample, limits, minimised, scenario, key)
    with reporting(progress):
        candidates = _explore(space, problem, trials, storage)
    if sample is data:
        return SearchResult.choose(candidates, problem.judge, problem.limits, problem.loss_label)
    whole = _Problem(data, limits, minimised, scenario, key)
    return SearchResult.choose(candidates, whole.judge, problem.limits, problem.loss_label, sample=len(sample))


def _nonnegative(data: Microdata) -> list[str]:
    """Numbers of which none is negative: no masked one should be."""
    numbers = [a.name for a in data.schema if a.kind & Kind.NUMERIC and data.table[a.name].dtype.is_numeric()]
    return [name for name in numbers if (least := data.table[name].min()) is not None and least >= 0]  # type: ignore[operator]


class _Problem:
    """Judges recipes on one file."""

    def __init__(
        self, data: Microdata, limits: tuple[Limit, ...], loss: Measure, scenario: Scenario, secret: Secret
    ) -> None:
        self.data, self.loss, self.scenario, self.secret = data, loss, scenario, secret
        labels = labelled([*(limit.measure for limit in limits), loss])
        self.limits = {
            label: limit for label, measure in labels.items() for limit in limits if limit.measure == measure
        }
        self.loss_label = next(label for label, measure in labels.items() if measure == loss)

    def judge(self, recipe: tuple[Method, ...], number: int = -1) -> Candidate:
        """Mask and measure without the steps that change nothing; recipes whose risk cannot be told are refused."""
        with part(0, 2):
            masked = Pipeline(recipe).run(self.data, self.secret)
            while len(working := _working(recipe, masked)) < len(recipe):
                recipe = working
                masked = Pipeline(recipe).run(self.data, self.secret)
        if masked.table.equals(self.data.table):
            raise NotDefined("no step changes anything")
        with part(1, 2):
            measures = [limit.measure for limit in self.limits.values()]
            evaluation = evaluate(masked, [*measures, self.loss], self.scenario, before=False)
        for label, measurement in evaluation.items():
            if measurement.value is None:
                raise NotDefined(f"'{label}' is not defined: {measurement.reason}")
        risks = {label: evaluation.value(limit.measure) for label, limit in self.limits.items()}
        pressure = max(limit.pressure(risks[label]) for label, limit in self.limits.items())
        return Candidate(number, recipe, risks, evaluation.value(self.loss), pressure, masked)


def _working(recipe: tuple[Method, ...], masked: Masked) -> tuple[Method, ...]:
    """The steps that changed a cell, or dropped a record or a column."""
    kept = set(masked.table.columns)
    return tuple(
        step
        for step, done in zip(recipe, masked.steps, strict=True)
        if done.changed or done.records_before != done.records_after or not kept.issuperset(step.columns or ())
    )


def _explore(
    space: Space,
    problem: _Problem,
    trials: int,
    storage: str | Path | None,
) -> list[Candidate]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed = int(Draws(problem.secret).at("search").generator().integers(2**31))
    starts = space.starts()[: max(trials // 2, 1)]
    study = open_study(storage, _question(problem, space))
    done = [trial for trial in study.trials if trial.state.is_finished()]
    while len(done) < trials:
        number = len(done)
        tick(number, trials)
        # A sampler of its own for each trial: a search that was interrupted goes on as if it had not been. A trial
        # that was under way is left where it is and made again, and so is a start that waits already.
        study.sampler = optuna.samplers.TPESampler(seed=seed + number, n_startup_trials=20)
        given = starts[number] if number < len(starts) else _near_the_best(space, done, seed + number)
        if given and not study.get_trials(False, [optuna.trial.TrialState.WAITING]):
            study.enqueue_trial(given)
        trial = study.ask()
        try:
            with part(number, trials):
                candidate = problem.judge(space.recipe(trial), number)
        except Cancelled:
            raise
        except AmmgError as refused:
            trial.set_user_attr("refused", str(refused))
            done.append(study.tell(trial, state=optuna.trial.TrialState.FAIL))
            continue
        trial.set_user_attr("risks", candidate.risks)
        trial.set_constraint("risk", candidate.pressure - 1)
        done.append(study.tell(trial, [candidate.pressure, candidate.loss]))
    tick(trials, trials)
    refusals = Counter(trial.user_attrs["refused"] for trial in done if "refused" in trial.user_attrs)
    if refusals.total() == len(done):
        raise InputError(f"Every recipe was refused; most often: {refusals.most_common(1)[0][0]}")
    return [
        Candidate(
            number,
            space.recipe(optuna.trial.FixedTrial(trial.params)),
            trial.user_attrs["risks"],
            trial.values[1],
            trial.values[0],
            None,
        )
        for number, trial in enumerate(done)
        if trial.state == optuna.trial.TrialState.COMPLETE
    ]


def _near_the_best(space: Space, done: list[Any], seed: int) -> dict[str, Any]:
    """Mostly one of the best recipes so far with a choice made anew or, once it is safe, made milder; else nothing."""
    rng = np.random.default_rng(seed)
    judged = sorted((t for t in done if t.values), key=lambda t: (max(t.values[0], 1.0), t.values[1]))
    if not judged or rng.random() < _FREE:
        return {}
    tried = [trial.params for trial in done]
    for _ in range(_ATTEMPTS):
        best = judged[min(int(rng.geometric(0.5)) - 1, len(judged) - 1)]
        params = space.varied(best.params, rng, milder=best.values[0] <= 1)
        if params not in tried:
            return params
    return {}


def _question(problem: _Problem, space: Space) -> str:
    """What a search answers, as a keyed digest: it tells nothing about the data or the secret."""
    options = [(option.name, option.groups, search_ranges(option.unit)) for option in space.options]
    limits = sorted(
        (limit.measure.name, limit.measure.model_dump_json(), limit.at_most) for limit in problem.limits.values()
    )
    loss = (problem.loss.name, problem.loss.model_dump_json())
    asked = (limits, loss, problem.scenario, space.steps, options, problem.data.schema)
    digest = hashlib.blake2b(repr(asked).encode(), key=problem.secret.key, digest_size=16)
    digest.update(problem.data.table.hash_rows(seed=0).to_numpy().tobytes())
    return digest.hexdigest()


def _sampled(data: Microdata, records: int, secret: Secret) -> Microdata:
    """At most so many records at random, whole households where there are any."""
    if len(data) <= records:
        return data
    rng = Draws(secret).at("search").generator("sample")
    if data.schema.household is None:
        rows = np.sort(rng.choice(len(data), size=records, replace=False))
    else:
        home = data.table[data.schema.household].rank("dense").fill_null(0).to_numpy()
        sizes = np.bincount(home)
        order = rng.permutation(np.flatnonzero(sizes))
        kept = order[np.cumsum(sizes[order]) <= records]
        rows = np.flatnonzero(np.isin(home, kept if len(kept) else order[:1]))
    return Microdata(data.table[rows], data.schema)


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
