"""`ammg methods` and `ammg measures`: what there is, and how each is used."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill
from typing import Annotated, Any

import typer
from pydantic_core import PydanticUndefined

from ammg import registry
from ammg.cli.console import hanging, out, say_json
from ammg.params import describe_limits, prose
from ammg.registry import meaning


def _beginning(family: str) -> Callable[[str], list[str]]:
    """What the shell offers for the beginning of a name."""

    def offered(incomplete: str) -> list[str]:
        return [name for name in registry.units(family) if name.startswith(incomplete)]

    return offered


_HELP = "Show this one with its parameters."
MethodName = Annotated[str | None, typer.Argument(help=_HELP, autocompletion=_beginning("methods"))]
MeasureName = Annotated[str | None, typer.Argument(help=_HELP, autocompletion=_beginning("measures"))]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def methods(name: MethodName = None, json: Json = False) -> None:
    """List the masking methods, or show one with its parameters."""
    _show("methods", name, json)


def measures(name: MeasureName = None, json: Json = False) -> None:
    """List the measures of risk and loss, or show one with its parameters."""
    _show("measures", name, json)


def _show(family: str, name: str | None, json: bool) -> None:
    own = name and registry.own_name(family, name)
    chosen = registry.units(family) if own is None else {own: registry.find(family, own)}
    if json:
        say_json({key: _facts(unit) for key, unit in chosen.items()})
    elif own is None:
        width = max(map(len, chosen))
        for key, unit in chosen.items():
            family_word = f"{unit.family}  " if hasattr(unit, "family") else ""
            told = f"{meaning(unit)} Slow." if getattr(unit, "slow", "") else meaning(unit)
            out.print(hanging(f"{key:<{width}}  {family_word}", told, out.width), markup=False, soft_wrap=True)
    else:
        _show_one(own, chosen[own])


def _facts(unit: type[Any]) -> dict[str, Any]:
    named = {"also_called": [registry.snake(name) for name in registry.other_names(unit)]}
    return {"meaning": meaning(unit), **(named if named["also_called"] else {}), "schema": unit.model_json_schema()}


def _show_one(name: str, unit: type[Any]) -> None:
    out.print(name, style="bold")
    if others := registry.other_names(unit):
        out.print(f"also called {', '.join(map(registry.snake, others))}", markup=False)
    for paragraph in prose(unit).replace("\nSource:", "\n\nSource:").split("\n\n"):
        out.print(fill(" ".join(paragraph.split()), out.width), markup=False, soft_wrap=True)
    out.print()
    for field, info in unit.model_fields.items():
        default = "needed" if info.default is PydanticUndefined else f"default {info.default!r}"
        head = f"{field} ({', '.join(filter(None, [default, describe_limits(info)]))})"
        told = fill(info.description or "", out.width, initial_indent="    ", subsequent_indent="    ")
        out.print(f"{fill(head, out.width, subsequent_indent='  ')}\n{told}", markup=False, soft_wrap=True)
