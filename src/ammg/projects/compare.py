"""Compare masked files, or the files that several projects make, with the original of one project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.errors import InputError
from ammg.io.read import read
from ammg.pipeline.comparison import Comparison, compare
from ammg.progress import Report
from ammg.projects.assess import measured_by
from ammg.projects.project import Project
from ammg.release.provenance import read_link, secret_of


def compare_project(
    project: Project,
    files: Sequence[str],
    data: Microdata | None = None,
    *,
    references: bool = True,
    progress: Report | None = None,
) -> Comparison:
    """Measure masked files by the project's measures, scenario and limits.

    A file is a release or another project file of the same source. The methods of a project are run; so are those of a
    release that still has its project file and private folder. A release alone does not say how it was made: attacks
    that use the description of the methods then find less, and a remark says so.
    """
    if not files:
        raise InputError("Nothing to compare: name masked files, or project files that make them.")
    original = project.read() if data is None else data
    masked: dict[str, Any] = {}
    links: dict[str, Any] = {}
    remarks: list[str] = []
    for file in files:
        name = _named(file, masked)
        made_by = Path(file if Path(file).suffix in (".yaml", ".yml") else f"{file}.project.yaml")
        secret = None if str(made_by) == file else secret_of(file, project.sources()[0])
        if str(made_by) == file or (secret is not None and made_by.is_file()):
            other = Project.load(made_by)
            masked[name] = other.pipeline().run(original, secret or other.secret())
        else:
            masked[name] = _as_in(original, read(file))
            links[name] = read_link(file)
            remarks.append(f"{name}: how this file was made is not known, so its risk may be higher than shown.")
    found = compare(
        masked,
        original,
        measured_by(project),
        project.scenario,
        limits=project.judged_by,
        links=links,
        references=references,
        progress=progress,
    )
    return replace(found, remarks=tuple(remarks))


def _named(file: str, taken: dict[str, Any]) -> str:
    """The name of a file without its ending; the whole path where two are called alike."""
    short = Path(file).stem
    return file if short in taken else short


def _as_in(original: Microdata, masked: Microdata) -> Microdata:
    """The release with the roles that the original's attributes have, and categories where those are categories."""
    both = [a for a in original.schema if a.name in masked.schema]
    kinds = {a.name: "nominal" for a in both if a.is_categorical and not masked.schema[a.name].is_categorical}
    return masked.with_kinds(kinds).with_roles({a.name: a.role.value for a in both})
