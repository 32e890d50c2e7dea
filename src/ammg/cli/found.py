"""Search a recipe for a project, and write what was found."""

from __future__ import annotations

from pathlib import Path

from ammg.cli.console import progress
from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.io.atomic import atomic
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import write_secret
from ammg.search.result import SearchResult


def find_recipe(
    project: Project,
    data: Microdata,
    *,
    trials: int | None = None,
    secret: Secret | int | None = None,
    storage: Path | None = None,
    quiet: bool = False,
) -> tuple[SearchResult, Project]:
    """Search as the project says; the project with the chosen methods comes with the result."""
    from ammg.search.search import search

    settings = project.search
    with progress("searching", quiet) as report:
        result = search(
            data,
            project.thresholds,
            settings.loss,
            trials=trials or settings.trials,
            steps=settings.steps,
            methods=settings.methods,
            scenario=project.scenario,
            records=settings.records,
            secret=secret,
            storage=storage,
            progress=report,
        )
    return result, project.model_copy(update={"methods": result.recipe})


def write_found(result: SearchResult, found: Project, path: Path) -> dict[str, Path]:
    """Write the project with the chosen methods, the R-U map, and the secret that makes the chosen file again.

    Returns where each is; the secret is readable by its owner alone.
    """
    with atomic(path) as temporary:
        temporary.write_text(found.seen_from(path.parent).to_yaml(), encoding="utf-8")
    write_secret(result.chosen.secret, path.with_suffix(".secret"))
    return {"project": path, "picture": result.plot(path.with_suffix(".svg")), "secret": path.with_suffix(".secret")}
