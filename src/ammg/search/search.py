"""`ammg.search`: the masked file with the least loss among those that are safe enough."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import AmmgError, Cancelled, InputError, NotDefined
from ammg.methods.method import Method
from ammg.params import search_ranges
from ammg.pipeline.evaluation import evaluate, resolve
from ammg.pipeline.pipeline import Pipeline
from ammg.progress import Report, part, reporting, tick
from ammg.search.result import Candidate, SearchResult
from ammg.search.space import Space
from ammg.search.storage import open_study, secret_of

_FREE = 0.25  # share of the trials after the starts in which the optimiser chooses the whole recipe
_ATTEMPTS = 10  # to find a variation that was not tried


def search(
    data: Microdata | Any,
    risk: Mapping[str, float],
    loss: str = "cell_loss",
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
    """Search recipes of up to `steps` methods for small loss under the thresholds `{risk measure: greatest value}`.

    Recipes are tried on a random sample of at most `records` records; the chosen one is run and judged on all of them.
    With `storage` (a file) an interrupted search goes on where it stopped and ends as it would have ended; its secret,
    unless given, is kept beside it.
    """
    if not isinstance(data, Microdata):
        data = Microdata(data)
    risk, loss = _checked(risk, loss), registry.own_name("measures", loss)
    _check_numbers(trials=trials, steps=steps, records=records)
    key = secret_of(secret, storage)
    scenario = scenario or Scenario()
    sample = _sampled(data, records, key)
    space = Space(data.schema, steps, methods)
    problem = _Problem(sample, risk, loss, scenario, key)
    with reporting(progress):
        candidates = _explore(space, problem, trials, storage)
    if sample is data:
        return SearchResult.choose(candidates, problem.judge, risk, loss)
    whole = _Problem(data, risk, loss, scenario, key)
    return SearchResult.choose(candidates, whole.judge, risk, loss, sample=len(sample))


class _Problem:
    """Judges recipes on one file."""

    def __init__(self, data: Microdata, risk: dict[str, float], loss: str, scenario: Scenario, secret: Secret) -> None:
        self.data, self.risk, self.loss, self.scenario, self.secret = data, risk, loss, scenario, secret

    def judge(self, recipe: tuple[Method, ...], number: int = -1) -> Candidate:
        """Mask and measure; a recipe that changes nothing, or whose risk or loss cannot be told, is refused."""
        with part(0, 2):
            masked = Pipeline(recipe).run(self.data, self.secret)
        if masked.table.equals(self.data.table):
            raise NotDefined("no step changes anything")
        with part(1, 2):
            evaluation = evaluate(masked, [*self.risk, self.loss], self.scenario, before=False)
        for name, measurement in evaluation.after.items():
            if measurement.value is None:
                raise NotDefined(f"'{name}' is not defined: {measurement.reason}")
        risks = {name: evaluation.value(name) for name in self.risk}
        loss = evaluation.value(self.loss)
        return Candidate(number, recipe, risks, loss, _pressure(risks, self.risk), masked)


def _pressure(risks: Mapping[str, float], limits: Mapping[str, float]) -> float:
    """The worst risk as a multiple of its threshold: safe enough when at most 1."""
    return max(risks[name] / limit if limit > 0 else 1.0 + risks[name] * 1e6 for name, limit in limits.items())


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
    asked = (sorted(problem.risk.items()), problem.loss, problem.scenario, space.steps, options, problem.data.schema)
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


def _checked(risk: Mapping[str, float], loss: str) -> dict[str, float]:
    """The thresholds by the measures' own names."""
    if not isinstance(risk, Mapping) or not risk:
        raise InputError("A search needs a threshold for at least one risk: risk={'distance_linkage': 0.05}.")
    for name, wanted in (*((name, "risk") for name in risk), (loss, "loss")):
        (measure,) = resolve([name])
        if measure.family != wanted:
            raise InputError(f"'{name}' measures {measure.family}, not {wanted}: choose a measure of {wanted}.")
    for name, limit in risk.items():
        if not isinstance(limit, int | float) or not limit >= 0:
            raise InputError(f"The threshold of '{name}' is {limit!r}: it must be a number of at least 0.")
    return {registry.own_name("measures", name): float(limit) for name, limit in risk.items()}


def _check_numbers(**numbers: int) -> None:
    for name, number in numbers.items():
        if not isinstance(number, int) or number < 1:
            raise InputError(f"A search with {name} = {number!r} does nothing: give a whole number of at least 1.")
