"""What a project reads: its data with everything it says about them, and the intruder's own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from ammg.data.hierarchy import Hierarchy, value_text
from ammg.data.hierarchy_builders import by_tree
from ammg.data.hierarchy_rules import is_rule
from ammg.data.microdata import Microdata
from ammg.data.rules.document import with_rules_of
from ammg.data.scenario import Scenario
from ammg.errors import AmmgError, Cancelled, InputError, Problem
from ammg.io.read import read
from ammg.pipeline.evaluation import resolve
from ammg.projects.document import load_yaml

if TYPE_CHECKING:
    from ammg.projects.project import Project

LARGE = 2**24  # bytes of a file that takes longer to read than measures take to load


def read_source(project: Project) -> tuple[Microdata | None, list[Problem]]:
    """The data with roles, kinds, levels, links, hierarchies and rules, and what does not fit them."""
    options = dict(project.source)
    problems: list[Problem] = []
    path = project.path(options.pop("path"))
    try:
        with _loading_measures(path):
            data = read(path, **options)
    except Cancelled:
        raise
    except AmmgError as error:
        return None, [Problem("source", str(error))]
    for section in ("missing_codes", "roles", "kinds", "levels", "links", "labels", "hierarchies"):
        for name, value in getattr(project, section).items():
            try:
                data = _told(project, data, section, name, value)
            except Cancelled:
                raise
            except (AmmgError, OSError) as error:
                problems.append(Problem(f"{section}.{name}", str(error)))
    data, unfit = with_rules_of(project.rule_sections, data)
    return data, [*problems, *unfit]


@contextmanager
def _loading_measures(path: str) -> Iterator[None]:
    """Load measures and the compiler while a large file is read, which leaves a processor time for it."""
    try:
        is_large = Path(path).stat().st_size >= LARGE
    except OSError:
        is_large = False  # a database, or nothing that can be read
    thread = Thread(target=_load_measures, name="loading", daemon=True)
    if is_large:
        with suppress(RuntimeError):  # the system has no thread left
            thread.start()
    yield
    if thread.is_alive():  # if reading failed, nobody waits
        thread.join()


def _load_measures() -> None:
    with suppress(Exception):  # whoever needs a part gets the error
        from ammg.kernels.hashing import number_keys

        import_module("scipy.linalg.cython_blas")  # which numba needs for its first kernel
        number_keys(np.zeros(1, dtype=np.int64), 2)  # with its first kernel, numba prepares itself for all others
        resolve(None)


def read_scenario(project: Project) -> tuple[Scenario, list[Problem]]:
    """The scenario with the records of the intruder's external file, if it names one."""
    external = project.scenario.external
    if external is None:
        return project.scenario, []
    try:
        if external.path is None:
            raise InputError("has no path. Write external: {path: voters.csv, match: SSN}")
        held = external.model_copy(update={"data": read(project.path(external.path))})
    except Cancelled:
        raise
    except AmmgError as error:
        return project.scenario, [Problem("scenario.external", str(error))]
    return project.scenario.model_copy(update={"external": held}), []


def _told(project: Project, data: Microdata, section: str, name: str, value: Any) -> Microdata:
    """The data with one more fact from a section."""
    if section == "missing_codes":
        return data.with_missing_codes({name: value})
    if section == "links":
        return data.with_links({name: value})
    if section == "labels":
        return data.with_labels({name: value})
    if section == "hierarchies":
        return _with_hierarchy(project, data, name, value)
    change = {"roles": data.with_roles, "kinds": data.with_kinds, "levels": data.with_levels}[section]
    return change(**{value: name})


def _with_hierarchy(project: Project, data: Microdata, name: str, tree: str | Mapping[str, list[str]]) -> Microdata:
    """A rule, the path of a CSV file or of a YAML tree, or levels value by value; checked against the values."""
    if is_rule(tree):
        return data.with_hierarchies({name: tree})
    if isinstance(tree, str) and tree.endswith((".yaml", ".yml")):
        hierarchy = by_tree(load_yaml(Path(project.path(tree))))
    elif isinstance(tree, str):
        hierarchy = Hierarchy.from_csv(project.path(tree))
    else:
        hierarchy = Hierarchy.from_mapping(tree)
    data = data.with_hierarchies({name: hierarchy})
    if data.streamed is None and (problems := hierarchy.check(map(value_text, data.value_counts(name)))):
        raise InputError(" ".join(problems))
    return data
