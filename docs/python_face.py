"""The page of Python names: functions with their signatures, classes with what can be asked of them."""

import inspect
import textwrap
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import ammg
from ammg.analyzer.analyze import analyze
from ammg.measures.measurement import Chart, People, Table
from ammg.optimizer.result import SearchResult
from ammg.optimizer.search import search
from ammg.release.release import Release

FUNCTIONS = (
    ammg.read,
    analyze,
    ammg.evaluate,
    ammg.compare,
    ammg.loss_of,
    ammg.records_below,
    ammg.expected_reidentifications,
    ammg.record_risks,
    ammg.category_counts,
    ammg.tabulate,
    ammg.write_table,
    search,
    ammg.read_secret,
)
CLASSES = (
    ammg.Microdata,
    ammg.Hierarchy,
    ammg.Analysis,
    ammg.Scenario,
    ammg.ExternalFile,
    ammg.Pipeline,
    ammg.Masked,
    Release,
    ammg.Evaluation,
    ammg.Comparison,
    ammg.Survive,
    ammg.Measurement,
    ammg.Limit,
    Table,
    Chart,
    People,
    SearchResult,
    ammg.Project,
)
FOR_AMMG_ITSELF = {"beside", "block", "choose", "cleared", "known_in", "path", "record_ids", "seen_from", "streamed"}
PACKAGES = (ammg.datasets, ammg.estimators, ammg.tables)
INTRODUCTION = """# Python

Every [method](methods/index.md) and [measure](measures/index.md) is in `ammg` by its class name and takes its
parameters by name. What AMMG refuses raises `ammg.AmmgError`."""


def python_page() -> str:
    functions = [section(f"ammg.{function.__name__}", function) for function in FUNCTIONS]
    classes = [class_section(unit) for unit in CLASSES]
    packages = [package_section(package) for package in PACKAGES]
    return "\n\n".join([INTRODUCTION, *functions, *classes, *packages]) + "\n"


def section(title: str, function: Any) -> str:
    call = textwrap.fill(title + arguments(function), 100, subsequent_indent="    ")
    return f"## {title}\n\n```python\n{call}\n```\n\n{inspect.getdoc(function)}"


def class_section(unit: type[Any]) -> str:
    owner = f"ammg.{unit.__name__}" if hasattr(ammg, unit.__name__) else unit.__name__
    fields = [(name, info.description) for name, info in getattr(unit, "model_fields", {}).items() if info.description]
    if is_dataclass(unit):
        public = [field for field in dataclass_fields(unit) if not field.name.startswith("_")]
        fields = [(field.name, "`" + str(field.type).replace("|", "\\|") + "`") for field in public]
    names = [name for name in vars(unit) if not name.startswith("_") and name not in FOR_AMMG_ITSELF]
    asked = filter(None, [member(name, vars(unit)[name]) for name in names])
    rows = [f"| `{name}` | {meaning} |" for name, meaning in [*fields, *asked]]
    return "\n".join([f"## {owner}", "", inspect.getdoc(unit) or "", "", "| name | meaning |", "|---|---|", *rows])


def package_section(package: Any) -> str:
    named = [(name, getattr(package, name)) for name in package.__all__]
    rows = [
        f"| `{name}{arguments(value)}` | {first_line(value)} |" for name, value in named if inspect.isfunction(value)
    ]
    return "\n".join([f"## {package.__name__}", "", package.__doc__, "", "| name | meaning |", "|---|---|", *rows])


def member(name: str, value: Any) -> tuple[str, str] | None:
    """A property by its name, a method with its arguments; nothing else."""
    if isinstance(value, property | cached_property):
        return name, first_line(value)
    function = getattr(value, "__func__", value)
    return (name + arguments(function), first_line(function)) if inspect.isfunction(function) else None


def arguments(function: Any) -> str:
    """The signature without types: names, order and defaults."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name not in ("self", "cls")]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def first_line(documented: Any) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0].replace("|", "\\|")
