"""Search methods for a project, and write what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.methods.method import Method
from ammg.optimizer.goal import Goal
from ammg.optimizer.left_open import left_as_they_are, open_attributes, told_sizes
from ammg.optimizer.modes import mode_of
from ammg.optimizer.result import SearchResult
from ammg.optimizer.search import search
from ammg.optimizer.strategy import KINDS, kind_of
from ammg.pipeline.limits import suggested_limits
from ammg.progress import Report, reporting
from ammg.projects.project import Project
from ammg.release.provenance import write_secret
from ammg.release.target import check_folder


@dataclass(frozen=True)
class SearchOutcome:
    """What a search found, the project with the chosen methods, and where they were written."""

    result: SearchResult
    project: Project
    written: Mapping[str, str] = field(default_factory=dict)

    @property
    def keeps_limits(self) -> bool:
        """Whether the chosen file meets every limit."""
        return self.result.choice.is_safe

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**self.result.to_dict(), **self.written}


def search_project(
    project: Project,
    data: Microdata | None = None,
    *,
    output: Path | None = None,
    trials: int | None = None,
    secret: Secret | None = None,
    storage: Path | None = None,
    replace: bool = False,
    progress: Report | None = None,
) -> SearchOutcome:
    """Search for the methods with the least information loss that meet all limits, and write them to `output` if given.

    An earlier result is overwritten only with `replace`. The R-U map is written beside the found project, and the
    secret of the evaluated file, readable by the owner only. The project names the secret, so that masking it makes
    exactly that file.
    """
    if not project.judged_by:
        shown = ", ".join(f"{name}: {limit:g}" for name, limit in suggested_limits().items())
        raise InputError(f"The project has no limits: add e.g. limits: {{{shown}}}, or goal: {{mode: public}}.")
    if output is not None:
        _check_output(output, replace=replace)
    settings = project.search
    with reporting(progress):
        table = project.read() if data is None else data
    result = search(
        table,
        project.judged_by,
        project.minimised,
        trials=trials or settings.trials,
        steps=settings.steps,
        methods=settings.methods,
        untouched=project.goal.untouched,
        scenario=project.scenario,
        records=settings.records,
        secret=secret or project.secret(),
        storage=storage,
        progress=progress,
    )
    found = _found(project, result, result.recipe)
    return SearchOutcome(result, found) if output is None else _written(project, result, output)


def with_goal(
    project: Project, data: Microdata, *, mode: str | None, minimise: str | None, untouched: Sequence[str] | None
) -> Project:
    """The project with parts of its goal replaced."""
    given = {"mode": mode, "minimise": minimise, "untouched": tuple(untouched or ()) or None}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        return project
    for name in untouched or ():
        data.schema[name]  # an unknown column gets the nearest one
    if mode is not None:
        mode_of(mode)
    goal = Goal(**{**{name: getattr(project.goal, name) for name in project.goal.model_fields_set}, **changes})
    return project.model_copy(update={"goal": goal})


def left_open(project: Project, data: Microdata) -> tuple[str, ...]:
    """What a search will not protect, in words: sizes that households tell, and attributes that single out records."""
    known = [name for name in project.scenario.known_in(data.schema) if name in data.schema]
    told = [name for name in told_sizes(data, known) if name not in project.goal.untouched]
    return (*left_as_they_are(data, told), *open_attributes(data, known))


def beside(path: Path) -> Path:
    """Where the found project goes by default: beside the project that was searched."""
    return path.with_name(f"{path.with_suffix('').name}.found.yaml")


def _check_output(path: Path, *, replace: bool) -> None:
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"'{path}' must be a project file: give it the ending .yaml.")
    check_folder(path)
    if path.exists() and not replace:
        raise InputError(f"'{path}' already exists: choose another name with --output, or overwrite it with --replace.")


def _found(project: Project, result: SearchResult, recipe: tuple[Method, ...]) -> Project:
    """The project with the methods found, and the hierarchies that the search proposed for the columns they mask.

    It says what was minimised, so that masking it shows the loss of the search.
    """
    masked = {name for step in recipe for name in step.columns or ()}
    proposed = {name: rule for name, rule in result.hierarchies.items() if name in masked}
    changes = {
        "methods": recipe,
        "switched_off": {},
        "secret_file": None,
        "hierarchies": {**project.hierarchies, **proposed},
        "goal": project.goal if project.is_searched else Goal(minimise=project.minimised.name),
    }
    return project.model_copy(update=changes)


def _written(project: Project, result: SearchResult, path: Path) -> SearchOutcome:
    """The found project, the runners-up beside it, the R-U map and the secret that makes each of their files."""
    secret = path.with_suffix(".secret")
    for kind in KINDS:  # runners-up of an earlier search, whose secret is overwritten
        path.with_suffix(f".{kind}{path.suffix}").unlink(missing_ok=True)
    write_secret(result.chosen.secret, secret)
    written = {"project": str(path)}
    places = [path, *(path.with_suffix(f".{kind_of(c.recipe)}{path.suffix}") for c in result.runners_up)]
    named = []
    for place, recipe in zip(places, (result.recipe, *(c.recipe for c in result.runners_up)), strict=True):
        found = _found(project, result, recipe).seen_from(path.parent)
        named.append(found.model_copy(update={"secret_file": secret.name}))
        with atomic(place) as temporary:
            temporary.write_text(named[-1].to_yaml(), encoding="utf-8")
    for place, candidate in zip(places[1:], result.runners_up, strict=True):
        written[f"runner-up ({kind_of(candidate.recipe)})"] = str(place)
    written |= {"picture": str(result.plot(path.with_suffix(".svg"))), "secret": str(secret)}
    return SearchOutcome(result, named[0], written)
