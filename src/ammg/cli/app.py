"""The `ammg` program: its commands, and what it does with errors."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Annotated

import typer

from ammg.cli import assess, demo, init, inspect, mask, reproduce, search, units
from ammg.cli.console import say_error, say_note
from ammg.errors import AmmgError, DataWarning
from ammg.version import __version__

STOPPED = 130
"""What typer makes of Ctrl-C: 128 and the number of the signal."""

app = typer.Typer(
    name="ammg",
    help="Mask microdata, measure disclosure risk and information loss, and search for the best balance.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("inspect")(inspect.inspect)
app.command("init")(init.init)
app.command("mask")(mask.mask)
app.command("assess")(assess.assess)
app.command("search")(search.search)
app.command("methods")(units.methods)
app.command("measures")(units.measures)
app.command("demo")(demo.demo)
app.command("reproduce")(reproduce.reproduce)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ammg {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program: 0 when all went well, 1 when thresholds are not met, 2 for wrong input, 130 when stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? and nothing breaks
    shown = warnings.showwarning
    warnings.showwarning = lambda message, kind, *place: (
        say_note(str(message)) if issubclass(kind, DataWarning) else shown(message, kind, *place)
    )
    try:
        app()
    except AmmgError as error:
        say_error(str(error))
        sys.exit(2)
    except OSError as error:
        if error.filename is None:
            raise
        say_error(f"'{error.filename}': {error.strerror}.")
        sys.exit(2)
    except SystemExit as end:
        if end.code == STOPPED:
            say_error("Stopped; every file is whole, or as it was before.")
        raise
