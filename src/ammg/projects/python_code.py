"""A project as Python: a program that masks and measures as the project file does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pprint import pformat
from typing import Any

from pydantic import BaseModel

from ammg.data.hierarchy_rules import is_rule
from ammg.data.scenario import Scenario
from ammg.io.urls import with_variable
from ammg.projects.assess import measured_by
from ammg.projects.project import Project

_WIDTH = 100
_SECTIONS = ("missing_codes", "roles", "kinds", "levels", "links", "labels")


def as_python(project: Project) -> str:
    """The program; under the same secret it makes the same masked file.

    Steps that are switched off are left out. Relative paths start where the program runs.
    """
    return "\n\n".join("\n".join(part) for part in _parts(project) if part) + "\n"


def _parts(project: Project) -> Iterator[list[str]]:
    yield [*_imports(project), "import ammg"]
    yield list(_reading(project))
    steps = [_unit(step) for step in project.methods]
    secret = f", secret=ammg.read_secret({project.secret_file!r})" if project.secret_file else ""
    yield [f"masked = ammg.Pipeline({_listed(steps)}).run(data{secret})"]
    yield list(_measuring(project))
    if project.target is not None:
        order = "" if project.order == "records" else f"order={project.order!r}"
        yield [f"masked.release({order}).write({with_variable(project.target, 'AMMG_TARGET_PASSWORD')!r})"]


def _imports(project: Project) -> list[str]:
    if not any(_is_tree(tree) for tree in project.hierarchies.values()):
        return []
    return ["from pathlib import Path", "", "import yaml", "", "from ammg.data.hierarchy_builders import by_tree"]


def _reading(project: Project) -> Iterator[str]:
    options = dict(project.source)
    path = with_variable(str(options.pop("path")), "AMMG_SOURCE_PASSWORD")
    yield f"data = {_call('ammg.read', [repr(path)], options)}"
    for section in _SECTIONS:
        if given := getattr(project, section):
            yield f"data = data.with_{section}({_plain(dict(given), 24)})"
    for name, tree in project.hierarchies.items():
        yield f"data = data.with_hierarchies({{{name!r}: {_hierarchy(tree)}}})"
    if project.rules:
        yield f"data = data.with_rules({_arguments(map(_plain, project.rules))})"
    if project.identities:
        yield f"data = data.with_identities({_arguments(map(repr, project.identities))})"


def _measuring(project: Project) -> Iterator[str]:
    options = []
    if project.measures is not None or project.is_searched:
        options.append(f"measures={_listed(map(_unit, measured_by(project)))}")
    if project.scenario != Scenario():
        yield f"scenario = {_scenario(project.scenario)}"
        options.append("scenario=scenario")
    if project.judged_by:
        limits = [f"ammg.Limit({_unit(limit.measure)}, {limit.at_most!r})" for limit in project.judged_by]
        options.append(f"limits={_listed(limits)}")
    yield f"evaluation = ammg.evaluate({_arguments(['masked', *options])})"
    yield "print(evaluation)"


def _scenario(scenario: Scenario) -> str:
    given = scenario.model_dump(mode="json", exclude_unset=True, exclude={"external"})
    options = [f"{name}={_plain(value)}" for name, value in given.items()]
    if (external := scenario.external) is not None:
        path = with_variable(str(external.path), "AMMG_EXTERNAL_PASSWORD")
        options.append(f"external=ammg.ExternalFile(match={external.match!r}, data=ammg.read({path!r}))")
    return f"ammg.Scenario({_arguments(options)})"


def _hierarchy(tree: str | Mapping[str, list[str]]) -> str:
    if _is_tree(tree):
        return f"by_tree(yaml.safe_load(Path({tree!r}).read_text(encoding='utf-8')))"
    if isinstance(tree, str):
        return repr(tree)
    return _plain(dict(tree), 24)


def _is_tree(tree: object) -> bool:
    return isinstance(tree, str) and not is_rule(tree) and tree.endswith((".yaml", ".yml"))


def _unit(unit: BaseModel) -> str:
    """A method or a measure with the parameters that were given."""
    return _call(f"ammg.{type(unit).__name__}", [], unit.model_dump(mode="json", exclude_unset=True))


def _call(name: str, first: list[str], options: Mapping[str, Any]) -> str:
    return f"{name}({_arguments([*first, *(f'{key}={_plain(value)}' for key, value in options.items())])})"


def _listed(parts: Iterable[str]) -> str:
    return f"[{_arguments(parts)}]"


def _arguments(parts: Iterable[str]) -> str:
    """On one line if they fit, else one per line."""
    each = list(parts)
    if sum(len(part) + 2 for part in each) <= _WIDTH - 30 and not any("\n" in part for part in each):
        return ", ".join(each)
    indented = (part.replace("\n", "\n    ") for part in each)
    return "\n    " + ",\n    ".join(indented) + ",\n"


def _plain(value: Any, before: int = 0) -> str:
    return pformat(value, width=_WIDTH - before, sort_dicts=False, compact=True)
