"""`ammg.search`: the masked file with the least loss among those that are safe enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import AmmgError, InputError
from ammg.methods.method import Method
from ammg.pipeline.evaluation import evaluate, resolve
from ammg.pipeline.pipeline import Pipeline
from ammg.search.result import Candidate, SearchResult
from ammg.search.space import Space

Progress = Callable[[int, int, str], None]


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
    progress: Progress | None = None,
) -> SearchResult:
    """Search recipes of up to `steps` methods for small loss under the thresholds `{risk measure: greatest value}`.

    Recipes are tried on a random sample of at most `records` records; the chosen one is run and judged on all of them.
    With `storage` (a file) an interrupted search goes on where it stopped and ends as it would have ended.
    """
    if not isinstance(data, Microdata):
        data = Microdata(data)
    _check_measures(risk, loss)
    key = Secret.of(secret)
    scenario = scenario or Scenario()
    sample = _sampled(data, records, key)
    space = Space(data.schema, steps, methods)
    problem = _Problem(sample, dict(risk), loss, scenario, key)
    candidates = _explore(space, problem, trials, key, storage, progress)
    whole = problem if sample is data else _Problem(data, dict(risk), loss, scenario, key)
    return SearchResult.choose(candidates, whole.judge, dict(risk), loss)


class _Problem:
    """Judges recipes on one file."""

    def __init__(self, data: Microdata, risk: dict[str, float], loss: str, scenario: Scenario, secret: Secret) -> None:
        self.data, self.risk, self.loss, self.scenario, self.secret = data, risk, loss, scenario, secret

    def judge(self, recipe: tuple[Method, ...], number: int = -1) -> Candidate:
        """Mask and measure; a measure without a value counts as no risk and total loss."""
        masked = Pipeline(recipe).run(self.data, self.secret)
        evaluation = evaluate(masked, [*self.risk, self.loss], self.scenario, before=False)
        risks = {name: float(np.nan_to_num(evaluation.value(name), nan=0.0)) for name in self.risk}
        loss = float(np.nan_to_num(evaluation.value(self.loss), nan=1.0))
        return Candidate(number, recipe, risks, loss, _pressure(risks, self.risk), masked)


def _pressure(risks: Mapping[str, float], limits: Mapping[str, float]) -> float:
    """The worst risk as a multiple of its threshold: safe enough when at most 1."""
    return max(risks[name] / limit if limit > 0 else 1.0 + risks[name] * 1e6 for name, limit in limits.items())


def _explore(
    space: Space,
    problem: _Problem,
    trials: int,
    secret: Secret,
    storage: str | Path | None,
    progress: Progress | None,
) -> list[Candidate]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed = int(Draws(secret).at("search").generator().integers(2**31))
    study = _study(optuna, storage, problem)
    if not study.trials:
        starts = space.starts()
        chosen = np.random.default_rng(seed).permutation(len(starts))[: max(1, trials // 2)]
        for number in sorted(chosen):
            study.enqueue_trial(starts[number])
    done = [trial for trial in study.trials if trial.state.is_finished()]
    while len(done) < trials:
        number = len(done)
        if progress:
            progress(number, trials, "")
        # A sampler of its own for each trial: a search that was interrupted goes on as if it had not been.
        study.sampler = optuna.samplers.TPESampler(seed=seed + number, n_startup_trials=20)
        trial = study.ask()
        try:
            candidate = problem.judge(space.recipe(trial), number)
        except AmmgError as refused:
            trial.set_user_attr("refused", str(refused))
            done.append(study.tell(trial, state=optuna.trial.TrialState.FAIL))
            continue
        trial.set_user_attr("risks", candidate.risks)
        trial.set_constraint("risk", candidate.pressure - 1)
        done.append(study.tell(trial, [candidate.pressure, candidate.loss]))
    if progress:
        progress(trials, trials, "")
    return [
        Candidate(
            trial.number,
            space.recipe(optuna.trial.FixedTrial(trial.params)),
            trial.user_attrs["risks"],
            trial.values[1],
            trial.values[0],
            None,
        )
        for trial in done
        if trial.state == optuna.trial.TrialState.COMPLETE
    ]


def _study(optuna: Any, storage: str | Path | None, problem: _Problem) -> Any:
    question = repr((sorted(problem.risk.items()), problem.loss, problem.data.columns, len(problem.data)))
    if storage is None:
        return optuna.create_study(directions=["minimize", "minimize"])
    backend = optuna.storages.journal.JournalFileBackend(str(storage))
    study = optuna.create_study(
        storage=optuna.storages.JournalStorage(backend),
        study_name="search",
        directions=["minimize", "minimize"],
        load_if_exists=True,
    )
    asked = study.user_attrs.get("question")
    if asked is not None and asked != question:
        raise InputError(f"'{storage}' holds a search with other data or thresholds: name another file.")
    study.set_user_attr("question", question)
    return study


def _sampled(data: Microdata, records: int, secret: Secret) -> Microdata:
    if len(data) <= records:
        return data
    rng = Draws(secret).at("search").generator("sample")
    rows = np.sort(rng.choice(len(data), size=records, replace=False))
    return Microdata(data.table[rows], data.schema)


def _check_measures(risk: Mapping[str, float], loss: str) -> None:
    if not risk:
        raise InputError("A search needs a threshold for at least one risk: risk={'distance_linkage': 0.05}.")
    for name, measure in zip([*risk, loss], resolve([*risk, loss]), strict=True):
        wanted = "risk" if name in risk else "loss"
        if measure.family != wanted:
            raise InputError(f"'{name}' measures {measure.family}, not {wanted}: choose a measure of {wanted}.")
    for name, limit in risk.items():
        if not limit >= 0:
            raise InputError(f"The threshold of '{name}' is {limit}: it must be at least 0.")
