"""Compare masked files, or the files that several projects make, with the original of one project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.errors import InputError
from ammg.io.read import read
from ammg.pipeline.comparison import Comparison, compare
from ammg.progress import Report
from ammg.projects.project import Project
from ammg.release.provenance import read_link


def compare_project(
    project: Project,
    files: Sequence[str],
    data: Microdata | None = None,
    *,
    references: bool = True,
    progress: Report | None = None,
) -> Comparison:
    """Measure masked files by the project's measures, scenario and limits.

    A file is a release, whose link is taken from its private folder if available, or another project file of the same
    source, whose methods are run. A release alone does not say how it was made, so attacks that use the description of
    the methods find less than with its project file.
    """
    if not files:
        raise InputError("Nothing to compare: name masked files, or project files that make them.")
    original = project.read() if data is None else data
    masked: dict[str, Any] = {}
    links: dict[str, Any] = {}
    for file in files:
        name = _named(file, masked)
        if Path(file).suffix in (".yaml", ".yml"):
            other = Project.load(file)
            masked[name] = other.pipeline().run(original, other.secret())
        else:
            masked[name] = _as_in(original, read(file))
            links[name] = read_link(file)
    return compare(
        masked,
        original,
        project.measures,
        project.scenario,
        limits=project.judged_by,
        links=links,
        references=references,
        progress=progress,
    )


def _named(file: str, taken: dict[str, Any]) -> str:
    """The name of a file without its ending; the whole path where two are called alike."""
    short = Path(file).stem
    return file if short in taken else short


def _as_in(original: Microdata, masked: Microdata) -> Microdata:
    """The release with the roles that the original's attributes have, and categories where those are categories."""
    both = [a for a in original.schema if a.name in masked.schema]
    kinds = {a.name: "nominal" for a in both if a.is_categorical and not masked.schema[a.name].is_categorical}
    return masked.with_kinds(kinds).with_roles({a.name: a.role.value for a in both})
