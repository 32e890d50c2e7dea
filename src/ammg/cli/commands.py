"""The commands of `ammg`, each imported when it is called: `ammg --help` waits for none of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

MODULES: Mapping[str, str] = {
    "inspect": "inspect",
    "init": "init",
    "mask": "mask",
    "assess": "assess",
    "compare": "compare",
    "report": "report",
    "search": "search",
    "tabulate": "tabulate",
    "methods": "units",
    "measures": "units",
    "demo": "demo",
    "reproduce": "reproduce",
    "serve": "serve",
    "backup": "serve",
    "restore": "serve",
}
"""The module of this package that holds the function of each command, which is called like the command."""


class Commands(TyperGroup):
    """All commands; help lists them by the first lines of their docstrings, which are read from the source."""

    _listing = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = _Loaded(dict.fromkeys(MODULES))

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of the work."""
        return list(MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or in a list of all commands its name and what it does."""
        if self._listing:
            return TyperCommand(cmd_name, help=_purpose(cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """What `ammg --help` prints."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


class _Loaded(dict[str, Any]):
    """Commands by name, imported when one is taken out."""

    def __getitem__(self, name: str) -> Any:
        if super().__getitem__(name) is None:
            self[name] = _loaded(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in MODULES else default

    def items(self) -> Any:
        return [(name, self[name]) for name in self]

    def values(self) -> Any:
        return [self[name] for name in self]


def _loaded(name: str) -> Any:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name)(getattr(import_module(f"ammg.cli.{MODULES[name]}"), name))
    return typer.main.get_command(app)


def _purpose(name: str) -> str:
    source = Path(__file__).with_name(f"{MODULES[name]}.py").read_text(encoding="utf-8")
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name)
    return ast.get_docstring(function) or ""
