"""Writes the stub that tells editors and type checkers which names `ammg` resolves on first use."""

import ast
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("src/ammg")
STUB = PACKAGE / "__init__.pyi"


class CustomBuildHook(BuildHookInterface):
    """Runs before every build, editable installs included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stub and put it into the wheel."""
        root = Path(self.root)
        (root / STUB).write_text(stub(root / PACKAGE), encoding="utf-8")
        build_data["artifacts"].append(f"/{STUB.as_posix()}")


def stub(package: Path) -> str:
    """Re-exports of the face's names and of every unit by its class name, read from the source without importing it."""
    face = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    names = next(
        ast.literal_eval(node.value)
        for node in face.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "_NAMES"
    )
    lines = {f"from {module} import {name} as {name}" for name, module in names.items()}
    for family in ("methods", "measures"):
        for path in (package / family).rglob("*.py"):
            module = ".".join(("ammg", *path.relative_to(package).with_suffix("").parts))
            lines |= {
                f"from {module} import {node.name} as {name}"
                for node in ast.parse(path.read_text(encoding="utf-8")).body
                if isinstance(node, ast.ClassDef) and _snake(node.name) == path.stem
                for name in (node.name, *_also_called(node))
            }
    packages = [f"from ammg import {name} as {name}" for name in ("datasets", "estimators", "tables")]
    head = [*packages, "from ammg.version import __version__ as __version__"]
    return "\n".join([*head, *sorted(lines)]) + "\n"


def _also_called(unit: ast.ClassDef) -> tuple[str, ...]:
    return next(
        (
            tuple(ast.literal_eval(node.value))
            for node in unit.body
            if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.target) == "also_called"
        ),
        (),
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
