"""`ammg methods` and `ammg measures`: what there is, and how each is used."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from pydantic_core import PydanticUndefined
from rich.table import Table

from ammg import registry
from ammg.cli.console import out, say_json
from ammg.params import describe_limits
from ammg.pipeline.evaluation import meaning

Name = Annotated[str | None, typer.Argument(help="Show this one with its parameters.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def methods(name: Name = None, json: Json = False) -> None:
    """List the masking methods, or show one with its parameters."""
    _show("methods", name, json)


def measures(name: Name = None, json: Json = False) -> None:
    """List the measures of risk and loss, or show one with its parameters."""
    _show("measures", name, json)


def _show(family: str, name: str | None, json: bool) -> None:
    chosen = registry.units(family) if name is None else {name: registry.find(family, name)}
    if json:
        say_json({key: {"meaning": meaning(unit), "schema": unit.model_json_schema()} for key, unit in chosen.items()})
    elif name is None:
        width = max(map(len, chosen))
        for key, unit in chosen.items():
            family_word = f"{unit.family}  " if hasattr(unit, "family") else ""
            out.print(f"{key:<{width}}  {family_word}{meaning(unit)}", markup=False, soft_wrap=True)
    else:
        _show_one(name, chosen[name])


def _show_one(name: str, unit: type[Any]) -> None:
    out.print(name, style="bold")
    out.print(inspect.cleandoc(unit.__doc__ or ""), markup=False)
    out.print()
    table = Table(box=None, pad_edge=False)
    for title in ("parameter", "default", "range", "meaning"):
        table.add_column(title)
    for field, info in unit.model_fields.items():
        default = "(needed)" if info.default is PydanticUndefined else repr(info.default)
        table.add_row(field, default, describe_limits(info), info.description or "")
    out.print(table)
