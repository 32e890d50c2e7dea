"""Search a recipe for a project, and write what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.optimizer.result import SearchResult
from ammg.optimizer.search import search
from ammg.pipeline.limits import meant, suggested_limits
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
        """Whether the chosen file keeps every limit."""
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
    progress: Report | None = None,
) -> SearchOutcome:
    """Search for the recipe of least loss under the project's limits, and write it to `output` if that is given.

    Beside the found project go the R-U map and, readable by the owner alone, the secret of the file that was judged:
    the project names it, so that masking it makes exactly that file.
    """
    if not project.limits:
        shown = ", ".join(f"{name}: {limit:g}" for name, limit in suggested_limits().items())
        raise InputError(f"The project has no limits: add e.g. limits: {{{shown}}}")
    if output is not None:
        _check_output(output)
    settings = project.search
    with reporting(progress):
        table = project.read() if data is None else data
    result = search(
        table,
        project.judged_by,
        meant(settings.loss, project.measures or ()),
        trials=trials or settings.trials,
        steps=settings.steps,
        methods=settings.methods,
        scenario=project.scenario,
        records=settings.records,
        secret=secret or project.secret(),
        storage=storage,
        progress=progress,
    )
    found = project.model_copy(update={"methods": result.recipe, "secret_file": None})
    return SearchOutcome(result, found) if output is None else _written(result, found, output)


def beside(path: Path) -> Path:
    """Where the found project goes by default: beside the project that was searched."""
    return path.with_name(f"{path.with_suffix('').name}.found.yaml")


def _check_output(path: Path) -> None:
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"'{path}' is to be a project file: give it the ending .yaml.")
    check_folder(path)


def _written(result: SearchResult, found: Project, path: Path) -> SearchOutcome:
    secret = path.with_suffix(".secret")
    named = found.seen_from(path.parent).model_copy(update={"secret_file": secret.name})
    write_secret(result.chosen.secret, secret)
    with atomic(path) as temporary:
        temporary.write_text(named.to_yaml(), encoding="utf-8")
    picture = result.plot(path.with_suffix(".svg"))
    return SearchOutcome(result, named, {"project": str(path), "picture": str(picture), "secret": str(secret)})
