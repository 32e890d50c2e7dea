"""A project file before validation: parsed without data, then checked against the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ammg.data.microdata import Microdata
from ammg.errors import AmmgError, Problem, ProjectError
from ammg.projects.check import check_columns, check_names_of_units
from ammg.projects.document import load_yaml
from ammg.projects.project import Project
from ammg.projects.reader import ProjectReader
from ammg.projects.source import read_scenario, read_source
from ammg.release.provenance import read_secret
from ammg.release.target import check_target


@dataclass(frozen=True)
class Draft:
    """The sections that could be read, with defaults for the others, and what is wrong with them.

    Parsing needs no data; `opened` reads them and reports everything that is wrong with file and data together.
    """

    project: Project
    problems: tuple[Problem, ...]
    places: tuple[str, ...]
    """Where in the document each valid method stands."""
    broken: tuple[tuple[str, Mapping[str, Any]], ...]
    """Position of methods with a wrong parameter, and their other parameters, which are checked all the same."""

    @classmethod
    def load(cls, path: str | Path) -> Draft:
        """Parse a project file."""
        return cls.parse(load_yaml(Path(path)), Path(path).parent)

    @classmethod
    def parse(cls, document: Mapping[str, Any], folder: Path = Path()) -> Draft:
        """Parse a document whose relative paths start at `folder`."""
        reader = ProjectReader(document)
        sections = reader.sections(Project)
        project = Project.model_construct(**sections, switched_off=reader.switched_off, folder=folder)
        check_names_of_units(project, reader)
        return cls(project, tuple(reader.problems), tuple(reader.places.get("methods", ())), tuple(reader.broken))

    def refuse_problems(self, where: str) -> None:
        """Refuse what is wrong without reading the data."""
        if self.problems:
            raise ProjectError(where, list(self.problems))

    def opened(self, where: str, *, with_target: bool = True, with_secret: bool = True) -> tuple[Project, Microdata]:
        """The project and its data.

        Raises:
            ProjectError: all problems of `where`, those with the data, the target and the secret file included.
        """
        problems = list(self.problems)
        data = None
        if self.project.source:
            data, found = read_source(self.project)
            problems += found
        scenario, found = read_scenario(self.project)
        problems += found
        project = self.project.model_copy(update={"scenario": scenario})
        if data is not None:
            problems += check_columns(project, data, self.places, self.broken)
        if with_target and project.target is not None:
            problems += _told("target", check_target, project.path(project.target), project.sources())
        if with_secret and project.secret_file is not None:
            problems += _told("secret_file", read_secret, project.path(project.secret_file))
        if problems or data is None:
            raise ProjectError(where, problems)
        return project, data


def _told(place: str, check: Any, *arguments: Any) -> list[Problem]:
    try:
        check(*arguments)
    except AmmgError as error:
        return [Problem(place, str(error))]
    return []
