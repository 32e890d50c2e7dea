"""What CONTRIBUTING promises about the whole: layers, sizes, light import, thin surfaces, one test a unit."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ammg
from ammg import registry

PACKAGE = Path(ammg.__file__).parent
TESTS = Path(__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    {"params", "registry", "draws", "optional", "errors", "forks", "progress", "version"},
    {"kernels", "charts"},
    {"data"},
    {"summaries"},
    {"criteria"},
    {"analyzer", "estimators", "tables", "datasets"},
    {"methods", "measures", "engines", "io"},
    {"release"},
    {"report"},
    {"pipeline", "testing"},
    {"optimizer", "reproduce"},
    {"projects"},
    {"store", "jobs"},
    {"cli", "web"},
)
"""From the ground up; a part imports from parts below it, and from its own."""

BESIDE = {
    ("engines", "methods"),
    ("testing", "pipeline"),
    ("reproduce", "optimizer"),
    ("jobs", "store"),
    ("cli", "web"),
}
"""Imports within a layer that are meant: engines apply methods, the contract runs pipelines, jobs fill a store."""

WITHOUT_POLARS = {"kernels", "summaries", "criteria", "methods", "measures", "params", "registry", "draws", "optional"}
HEAVY = {"numba", "scipy", "sklearn", "pandas", "joblib", "pyspark", "sqlalchemy", "matplotlib", "randomgen"}
LIGHT = ("numba", "scipy", "sklearn", "pandas", "joblib", "pyspark", "sqlalchemy", "matplotlib", "pyarrow", "polars")
LONGEST = 400
LARGEST = 25
ON_DEMAND = (PACKAGE / "io" / "databases", PACKAGE / "store", PACKAGE / "jobs")
"""Loaded as a whole by the function that opens a database or a store."""


def part_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    if inside.name == "__main__.py":  # what `python -m ammg` runs
        return "cli"
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def level(part: str) -> int:
    found = [number for number, parts in enumerate(LAYERS) if part in parts]
    assert found, f"'{part}' has no layer: give it one here and in CONTRIBUTING"
    return found[0]


@cache
def imports(path: Path) -> list[tuple[int, str, bool]]:
    """(line, module, whether it is at the top) of every import of a file."""
    found: list[tuple[int, str, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while waiting:
        node, top = waiting.pop()
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            of_ammg = [f"ammg.{alias.name}" for alias in node.names] if node.module == "ammg" else [str(node.module)]
            found += [(node.lineno, module, top) for module in of_ammg]
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += [(child, False) for child in ast.iter_child_nodes(node)]
        elif not isinstance(node, ast.expr):
            top = top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            waiting += [(child, top) for child in ast.iter_child_nodes(node)]
    return sorted(found)


def imported(path: Path, *, at_the_top: bool = False) -> Iterator[tuple[int, str]]:
    """(line, module) of every import, those inside functions included unless only the top is wanted."""
    return ((line, module) for line, module, top in imports(path) if top or not at_the_top)


def test_contributing_tells_the_layers() -> None:
    told = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a method")[0]
    assert [part for path in SOURCES if (part := part_of(path)) != "__init__" and f"`{part}`" not in told] == []


def test_imports_point_down() -> None:
    wrong = []
    for path in SOURCES:
        part = part_of(path)
        if part == "__init__":
            continue
        for line, module in imported(path):
            other = module.split(".")[1] if module.startswith("ammg.") else None
            if other in (None, part, "__init__") or (part, other) in BESIDE:
                continue
            if level(other) >= level(part) and not (level(other) == level(part) == 0):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_what_sees_arrays_alone_does_not_use_polars() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in SOURCES
        if part_of(path) in WITHOUT_POLARS
        for line, module in imported(path)
        if module.partition(".")[0] in {"polars", "pandas", "pyarrow"}
    ]
    assert not wrong, "\n".join(wrong)


def test_pyspark_stays_in_its_engine() -> None:
    wrong = [
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if not path.is_relative_to(PACKAGE / "engines" / "spark")
        for _, module in imported(path)
        if module.partition(".")[0] == "pyspark"
    ]
    assert not wrong, "\n".join(wrong)


def test_heavy_packages_load_inside_the_functions_that_need_them() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        for path in SOURCES
        if part_of(path) != "kernels" and not any(map(path.is_relative_to, ON_DEMAND))
        for line, module in imported(path, at_the_top=True)
        if module.partition(".")[0] in HEAVY
    ]
    assert not wrong, "\n".join(wrong)


def test_compiled_kernels_load_inside_the_functions_that_need_them() -> None:
    compiled = {
        ".".join(("ammg", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in (PACKAGE / "kernels").rglob("*.py")
        if any(m in {"numba", "ammg.kernels.jit"} or m.startswith("scipy") for _, m in imported(path, at_the_top=True))
    }
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        for path in SOURCES
        if part_of(path) in {"data", "methods", "measures", "pipeline", "engines", "io", "cli"}
        and not any(map(path.is_relative_to, ON_DEMAND))
        for line, module in imported(path, at_the_top=True)
        if module in compiled
    ]
    assert not wrong, "\n".join(wrong)


def test_every_file_is_short() -> None:
    long = {
        str(path): lines
        for folder in (PACKAGE, TESTS)
        for path in folder.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) >= LONGEST
    }
    assert not long, f"files of {LONGEST} lines and more are two ideas: {long}"


def test_every_folder_is_small() -> None:
    folders = [folder for root in (PACKAGE, TESTS) for folder in (root, *root.rglob("*")) if folder.is_dir()]
    large = {str(folder): count for folder in folders if (count := len(list(folder.glob("*.py")))) > LARGEST}
    assert not large, f"folders of more than {LARGEST} modules are bags: divide them: {large}"


def test_importing_ammg_is_light() -> None:
    program = f"import sys, ammg; print([name for name in {LIGHT} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_reading_a_unit_list_does_not_compile_or_open_anything() -> None:
    families = "for family in ('methods', 'measures', 'formats'): registry.units(family)"
    shown = "print([name for name in ('numba', 'joblib', 'pyspark', 'sqlalchemy', 'pandas') if name in sys.modules])"
    program = f"import sys\nfrom ammg import registry\n{families}\n{shown}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("surface", ["cli", "web"])
def test_surfaces_name_no_unit(surface: str) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if part_of(path) == surface)
    names = {
        name
        for family in ("methods", "measures")
        for key, unit in registry.units(family).items()
        for name in (key, unit.__name__)
    }
    named = sorted(name for name in names if re.search(rf"\b{re.escape(name)}\b", text))
    assert not named, f"{surface} names {named}: it should loop over the registry"


@pytest.mark.parametrize("family", ["methods", "measures"])
def test_every_unit_has_a_test_of_its_name(family: str) -> None:
    tested = {path.stem for path in (TESTS / family).rglob("test_*.py")}
    lacking = [name for name in _own(family) if f"test_{name}" not in tested]
    assert not lacking, f"write tests/{family}/<room>/test_<name>.py for {lacking}"


@pytest.mark.parametrize("family", ["methods", "measures", "formats"])
def test_the_first_line_of_a_unit_is_one_sentence(family: str) -> None:
    for name, unit in registry.units(family).items():
        first = (unit.__dict__.get("__doc__") or "").strip().partition("\n")[0]
        assert first, f"{name} has no docstring: its first line is what menus show"
        assert first.endswith("."), f"{name}: the first line does not end: {first!r}"
        assert not re.search(r"[.!?]\s+[A-Z]", first), f"{name}: the first line is more than a sentence: {first!r}"


@pytest.mark.parametrize("family", ["methods", "measures"])
def test_every_parameter_is_described(family: str) -> None:
    for name, unit in registry.units(family).items():
        for field, info in unit.model_fields.items():
            assert info.description, f"{name}.{field} has no description"


def _own(family: str) -> list[str]:
    """The units of this package, without those of plug-ins and of tests."""
    package = registry.FAMILIES[family]
    return [name for name, unit in registry.units(family).items() if unit.__module__.startswith(f"{package}.")]
