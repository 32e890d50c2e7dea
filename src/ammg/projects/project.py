"""The project file: one YAML document that makes the same release again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationInfo, field_validator

from ammg.data.hierarchy_rules import is_rule
from ammg.data.microdata import Microdata
from ammg.data.rules.document import written_rules
from ammg.data.scenario import Scenario
from ammg.draws import Secret
from ammg.errors import ProjectError
from ammg.io.atomic import expanded
from ammg.io.urls import with_variable
from ammg.measures.measure import Measure
from ammg.methods.method import Method
from ammg.optimizer.goal import Goal
from ammg.params import Parameters, param
from ammg.pipeline.limits import Limit, limits_of, meant
from ammg.pipeline.pipeline import Pipeline
from ammg.pipeline.survive import Survive, survivors
from ammg.projects.limit_entries import as_plain
from ammg.projects.reader import SKIP
from ammg.projects.source import read_source
from ammg.projects.table_request import TableRequest
from ammg.release.provenance import read_secret


class SearchSettings(Parameters):
    """Settings of the automatic search."""

    trials: int = param(100, "Number of recipes (combinations of methods) to try.", ge=1)
    loss: str = param("overall_loss", "The information loss to minimise.")
    steps: int = param(3, "Longest recipe.", ge=1, le=6)
    methods: tuple[str, ...] | None = param(None, "Methods that may be used; by default all that allow it.")
    records: int = param(10_000, "Recipes are tried on a random sample of at most this many records.", ge=100)


class Project(Parameters):
    """Everything but the secret: source, roles, scenario, methods in order, measures, limits, target."""

    source: Mapping[str, Any] = Field(description="Path and options of reading.")
    roles: Mapping[str, str] = Field(default_factory=dict)
    kinds: Mapping[str, str] = Field(default_factory=dict)
    levels: Mapping[str, str] = Field(default_factory=dict)
    links: Mapping[str, str] = Field(default_factory=dict)
    labels: Mapping[str, str] = Field(default_factory=dict)
    """What attributes are, in words; labels of the file itself stay where nothing is said."""
    hierarchies: Mapping[str, str | Mapping[str, list[str]]] = Field(default_factory=dict)
    missing_codes: Mapping[str, Any] = Field(default_factory=dict)
    """Codes for missing values: `{income: [-9, -8], age: {99: unknown}}`; a pair [90, 99] is a range."""
    rules: tuple[str | Mapping[str, Any], ...] = ()
    """What holds in every record, such as "income = wages + pensions" or "age < 15 implies status = 'single'"."""
    identities: tuple[str, ...] = ()
    """Rules that are sums; written as rules."""
    scenario: Scenario = Field(default_factory=Scenario)
    methods: tuple[Method, ...] = ()
    measures: tuple[Measure, ...] | None = None
    limits: tuple[Limit, ...] = Field(default=(), description="Largest values: {measure: value}, or a list of Limit.")
    survive: tuple[Survive, ...] = Field(default=(), description="Statistics with tolerances, checked like limits.")
    goal: Goal = Field(default_factory=Goal)
    """The goal of the search; its limits and what must survive are checked by masking and assessing too."""
    search: SearchSettings = Field(default_factory=SearchSettings)
    tables: tuple[TableRequest, ...] = ()
    secret_file: str | None = Field(None, description="Path of the file with the secret; omit it to generate one.")
    target: str | None = None
    order: Literal["records", "households"] = "records"
    switched_off: Mapping[int, Method] = Field(default_factory=dict, exclude=True)
    """Steps that stay in the list and are not run, by their position in it: `- {rounding: {base: 5}, skip: true}`."""
    folder: Path = Field(default=Path(), exclude=True)
    """Relative paths start here: the folder of the project file."""

    @field_validator("limits", mode="before")
    @classmethod
    def _limits(cls, given: Any, info: ValidationInfo) -> tuple[Limit, ...]:
        return limits_of(given, info.data.get("measures") or ())

    @field_validator("survive", mode="before")
    @classmethod
    def _survive(cls, given: Any) -> tuple[Survive, ...]:
        return survivors(given)

    @property
    def judged_by(self) -> tuple[Limit, ...]:
        """The limits, those of the goal's mode, and those that check what must survive."""
        own = [limit.measure for limit in self.limits]
        of_mode = [limit for limit in self.goal.limits if limit.measure not in own]
        kept = dict.fromkeys((*self.survive, *self.goal.survive))
        return limits_of((*self.limits, *of_mode, *(survivor.limit for survivor in kept)))

    @property
    def minimised(self) -> Measure:
        """The loss or score that a search minimises."""
        return self.goal.minimised or meant(self.search.loss, self.measures or ())

    @property
    def is_searched(self) -> bool:
        """Whether the project says what a search is to reach, or how it goes."""
        return bool(self.goal.model_fields_set or self.search.model_fields_set)

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read and validate a project file; all problems are reported together."""
        project, _ = cls.open(path)
        return project

    @classmethod
    def open(cls, path: str | Path, *, with_target: bool = True, with_secret: bool = True) -> tuple[Project, Microdata]:
        """Read a project file and the data it names, validated against each other.

        Target and secret file are looked at too, unless the caller has others.
        """
        from ammg.projects.draft import Draft

        return Draft.load(path).opened(str(path), with_target=with_target, with_secret=with_secret)

    def read(self) -> Microdata:
        """The data with roles, kinds, levels, links, hierarchies and rules as the project gives them."""
        data, problems = read_source(self)
        if problems or data is None:
            raise ProjectError("The project", problems)
        return data

    def pipeline(self) -> Pipeline:
        """The methods, in order."""
        return Pipeline(self.methods)

    def secret(self) -> Secret | None:
        """The secret in the project's secret file; None if it names none, so that a new one is drawn."""
        return None if self.secret_file is None else read_secret(self.path(self.secret_file))

    def path(self, name: str) -> str:
        """A path of the project, relative to its folder; URLs stay as they are."""
        return name if "://" in name else str(self.folder / expanded(name))

    def sources(self) -> list[str]:
        """Where everything that the project reads is."""
        external = self.scenario.external.path if self.scenario.external else None
        trees = [tree for tree in self.hierarchies.values() if isinstance(tree, str) and not is_rule(tree)]
        source = self.source.get("path")  # a project that is being checked may have none
        return [self.path(name) for name in (source, external, self.secret_file, *trees) if name is not None]

    def seen_from(self, folder: str | Path) -> Project:
        """The same project for a file in another folder: relative paths lead where they led before."""
        hierarchies = {
            name: self._path_from(tree, folder) if isinstance(tree, str) and not is_rule(tree) else tree
            for name, tree in self.hierarchies.items()
        }
        changes: dict[str, Any] = {
            "source": {**self.source, "path": self._path_from(str(self.source["path"]), folder)},
            "hierarchies": hierarchies,
            "scenario": self._scenario_from(folder),
            "secret_file": self._path_from(self.secret_file, folder) if self.secret_file else None,
            "target": self._path_from(self.target, folder) if self.target else None,
            "tables": tuple(self._table_from(request, folder) for request in self.tables),
            "folder": Path(folder),
        }
        return self.model_copy(update=changes)

    def _table_from(self, request: TableRequest, folder: str | Path) -> TableRequest:
        if request.target is None:
            return request
        return request.model_copy(update={"target": self._path_from(request.target, folder)})

    def _scenario_from(self, folder: str | Path) -> Scenario:
        external = self.scenario.external
        if external is None or external.path is None:
            return self.scenario
        moved = external.model_copy(update={"path": self._path_from(external.path, folder)})
        return self.scenario.model_copy(update={"external": moved})

    def _path_from(self, name: str, folder: str | Path) -> str:
        if "://" in name or expanded(name).is_absolute():
            return name
        return Path(os.path.relpath(self.folder / name, folder)).as_posix()

    def to_yaml(self, full: bool = False) -> str:
        """The project as YAML; reading it gives the same project.

        With `full` it says the parameters of every method, also those that have their defaults. The password of a
        database URL is not written: the URL names an environment variable instead.
        """
        plain: dict[str, Any] = {"source": self._plain_source()}
        for section in ("roles", "kinds", "levels", "links", "labels", "hierarchies", "missing_codes"):
            if value := getattr(self, section):
                plain[section] = dict(value)
        if rules := written_rules(self.rule_sections):
            plain["rules"] = rules
        if self.scenario != Scenario():
            plain["scenario"] = self._plain_scenario()
        plain["methods"] = self._plain_methods(full)
        if self.measures is not None:
            plain["measures"] = [_named(measure) for measure in self.measures]
        plain |= self._plain_judgement()
        if self.goal.model_fields_set:
            plain["goal"] = self.goal.to_plain()
        if self.search.model_fields_set:
            plain["search"] = self.search.model_dump(mode="json", exclude_unset=True)
        if self.tables:
            plain["tables"] = [request.model_dump(mode="json", exclude_unset=True) for request in self.tables]
        for section in ("secret_file", "target"):
            if value := getattr(self, section):
                plain[section] = with_variable(value, "AMMG_TARGET_PASSWORD")
        if self.order != "records":
            plain["order"] = self.order
        return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)

    def _plain_methods(self, full: bool) -> list[Any]:
        """All steps in order, with those that are switched off where they were."""
        plain = [_named(method, full) for method in self.methods]
        for position, method in sorted(self.switched_off.items()):
            plain.insert(
                position - 1, {method.name: method.model_dump(mode="json", exclude_unset=not full), SKIP: True}
            )
        return plain

    def _plain_judgement(self) -> dict[str, Any]:
        """Limits, and what must survive."""
        plain: dict[str, Any] = {}
        if self.limits:
            plain["limits"] = as_plain(self.limits, self.measures or ())
        if self.survive:
            plain["survive"] = [str(survivor) for survivor in self.survive]
        return plain

    @property
    def rule_sections(self) -> dict[str, tuple[Any, ...]]:
        """Rules by the section they are written in."""
        return {"rules": self.rules, "identities": self.identities}

    def _plain_source(self) -> str | dict[str, Any]:
        path = with_variable(str(self.source["path"]), "AMMG_SOURCE_PASSWORD")
        return path if set(self.source) == {"path"} else {**self.source, "path": path}

    def _plain_scenario(self) -> dict[str, Any]:
        plain = self.scenario.model_dump(mode="json", exclude_unset=True)
        if self.scenario.external is not None and self.scenario.external.path is not None:
            plain["external"]["path"] = with_variable(self.scenario.external.path, "AMMG_EXTERNAL_PASSWORD")
        return plain


def _named(unit: Method | Measure, full: bool = False) -> str | dict[str, Any]:
    given = unit.model_dump(mode="json", exclude_unset=not full)
    return {unit.name: given} if given else unit.name
