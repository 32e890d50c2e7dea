"""The project file: one YAML document that makes the same release again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from ammg.data.hierarchy import Hierarchy
from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario
from ammg.errors import AmmgError, InputError, ProjectError
from ammg.io.target import check_target
from ammg.measures.measure import Measure
from ammg.methods.method import Method
from ammg.params import Parameters, param
from ammg.pipeline.pipeline import Pipeline
from ammg.pipeline.project_reader import ProjectReader, load_yaml


class SearchSettings(Parameters):
    """What the automatic search is told."""

    trials: int = param(100, "Number of recipes to try.", ge=1)
    loss: str = param("cell_loss", "The loss to make small.")
    steps: int = param(3, "Longest recipe.", ge=1, le=6)
    methods: tuple[str, ...] | None = param(None, "Methods that may be used; by default all that allow it.")
    records: int = param(10_000, "Recipes are tried on a random sample of at most this many records.", ge=100)


class Project(Parameters):
    """Everything but the secret: source, roles, scenario, methods in order, measures, thresholds, target."""

    source: Mapping[str, Any] = Field(description="Path and options of reading.")
    roles: Mapping[str, str] = Field(default_factory=dict)
    kinds: Mapping[str, str] = Field(default_factory=dict)
    levels: Mapping[str, str] = Field(default_factory=dict)
    links: Mapping[str, str] = Field(default_factory=dict)
    hierarchies: Mapping[str, str | Mapping[str, list[str]]] = Field(default_factory=dict)
    identities: tuple[str, ...] = ()
    """Sums that hold, such as "income = wages + pensions"."""
    scenario: Scenario = Field(default_factory=Scenario)
    methods: tuple[Method, ...] = ()
    measures: tuple[Measure, ...] | None = None
    thresholds: Mapping[str, float] = Field(default_factory=dict)
    search: SearchSettings = Field(default_factory=SearchSettings)
    target: str | None = None
    order: Literal["records", "households"] = "records"
    folder: Path = Field(default=Path(), exclude=True)
    """Relative paths start here: the folder of the project file."""

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read and validate a project file; all problems are reported together."""
        project, _ = cls.open(path)
        return project

    @classmethod
    def open(cls, path: str | Path, *, with_target: bool = True) -> tuple[Project, Microdata]:
        """Read a project file and the data it names, validated against each other.

        The target is looked at too, unless the caller will write elsewhere.
        """
        path = Path(path)
        reader = ProjectReader(load_yaml(path), path.parent)
        values = reader.sections(cls)
        project = cls.model_construct(**values, folder=path.parent)
        data = project._data(reader.problems) if values.get("source") else None
        project = project._with_external(reader.problems)
        if data is not None:
            reader.check_columns(project, data)
        if with_target:
            project._check_target(reader.problems)
        if reader.problems or data is None:
            raise ProjectError(str(path), reader.problems)
        return project, data

    def read(self) -> Microdata:
        """The data with roles, kinds, levels, links, hierarchies and identities as the project gives them."""
        problems: list[str] = []
        data = self._data(problems)
        if problems or data is None:
            raise ProjectError("The project", problems)
        return data

    def pipeline(self) -> Pipeline:
        """The methods, in order."""
        return Pipeline(self.methods)

    def path(self, name: str) -> str:
        """A path of the project, relative to its folder; URLs stay as they are."""
        return name if "://" in name else str(self.folder / Path(name).expanduser())

    def sources(self) -> list[str]:
        """Where everything that the project reads is."""
        external = self.scenario.external.path if self.scenario.external else None
        trees = [tree for tree in self.hierarchies.values() if isinstance(tree, str)]
        source = getattr(self, "source", {}).get("path")  # a project that is being checked may have none
        return [self.path(name) for name in (source, external, *trees) if name is not None]

    def seen_from(self, folder: str | Path) -> Project:
        """The same project for a file in another folder: relative paths lead where they led before."""
        hierarchies = {
            name: self._path_from(tree, folder) if isinstance(tree, str) else tree
            for name, tree in self.hierarchies.items()
        }
        changes: dict[str, Any] = {
            "source": {**self.source, "path": self._path_from(str(self.source["path"]), folder)},
            "hierarchies": hierarchies,
            "scenario": self._scenario_from(folder),
            "target": self._path_from(self.target, folder) if self.target else None,
            "folder": Path(folder),
        }
        return self.model_copy(update=changes)

    def _scenario_from(self, folder: str | Path) -> Scenario:
        external = self.scenario.external
        if external is None or external.path is None:
            return self.scenario
        moved = external.model_copy(update={"path": self._path_from(external.path, folder)})
        return self.scenario.model_copy(update={"external": moved})

    def _path_from(self, name: str, folder: str | Path) -> str:
        if "://" in name or Path(name).expanduser().is_absolute():
            return name
        return Path(os.path.relpath(self.folder / name, folder)).as_posix()

    def to_yaml(self, full: bool = False) -> str:
        """The project as YAML; reading it gives the same project.

        With `full` it says the parameters of every method, also those that have their defaults.
        """
        plain: dict[str, Any] = {"source": self._plain_source()}
        for section in ("roles", "kinds", "levels", "links", "hierarchies"):
            if value := getattr(self, section):
                plain[section] = dict(value)
        if self.identities:
            plain["identities"] = list(self.identities)
        if self.scenario != Scenario():
            plain["scenario"] = self.scenario.model_dump(mode="json", exclude_unset=True)
        plain["methods"] = [_named(method, full) for method in self.methods]
        if self.measures is not None:
            plain["measures"] = [_named(measure) for measure in self.measures]
        if self.thresholds:
            plain["thresholds"] = dict(self.thresholds)
        if self.search.model_fields_set:
            plain["search"] = self.search.model_dump(mode="json", exclude_unset=True)
        if self.target:
            plain["target"] = self.target
        if self.order != "records":
            plain["order"] = self.order
        return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)

    def _plain_source(self) -> str | dict[str, Any]:
        return str(self.source["path"]) if set(self.source) == {"path"} else dict(self.source)

    def _data(self, problems: list[str]) -> Microdata | None:
        from ammg.io.read import read

        options = dict(self.source)
        try:
            data = read(self.path(options.pop("path")), **options)
        except AmmgError as error:
            problems.append(f"source: {error}")
            return None
        for section in ("roles", "kinds", "levels", "links", "hierarchies"):
            for name, value in (getattr(self, section, None) or {}).items():
                try:
                    data = self._told(data, section, name, value)
                except (AmmgError, OSError) as error:
                    problems.append(f"{section}.{name}: {error}")
        for number, identity in enumerate(self.identities, 1):
            try:
                data = data.with_identities(identity)
            except AmmgError as error:
                problems.append(f"identities[{number}]: {error}")
        return data

    def _with_external(self, problems: list[str]) -> Project:
        """The project with the records of the intruder's external file, if its scenario names one."""
        from ammg.io.read import read

        external = self.scenario.external
        if external is None:
            return self
        try:
            if external.path is None:
                raise InputError("has no path. Write external: {path: voters.csv, match: SSN}")
            held = external.model_copy(update={"data": read(self.path(external.path))})
        except AmmgError as error:
            problems.append(f"scenario.external: {error}")
            return self
        return self.model_copy(update={"scenario": self.scenario.model_copy(update={"external": held})})

    def _check_target(self, problems: list[str]) -> None:
        if self.target is None:
            return
        try:
            check_target(self.path(self.target), self.sources())
        except AmmgError as error:
            problems.append(f"target: {error}")

    def _told(self, data: Microdata, section: str, name: str, value: Any) -> Microdata:
        """The data with one more fact from a section."""
        if section == "links":
            return data.with_links({name: value})
        if section == "hierarchies":
            return data.with_hierarchies({name: self._hierarchy(value)})
        change = {"roles": data.with_roles, "kinds": data.with_kinds, "levels": data.with_levels}[section]
        return change(**{value: name})

    def _hierarchy(self, tree: str | Mapping[str, list[str]]) -> Hierarchy:
        if isinstance(tree, str):
            return Hierarchy.from_csv(self.path(tree))
        return Hierarchy.from_mapping(tree)


def _named(unit: Method | Measure, full: bool = False) -> str | dict[str, Any]:
    given = unit.model_dump(mode="json", exclude_unset=not full)
    return {unit.name: given} if given else unit.name
