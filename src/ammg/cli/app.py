"""The `ammg` program: its commands, and what it does with errors."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import warnings
from typing import Annotated

import typer

from ammg.cli.commands import Commands
from ammg.cli.console import say_error, say_note
from ammg.errors import AmmgError, DataWarning
from ammg.version import __version__

UNFORESEEN = 3
STOPPED = 130
"""What typer makes of Ctrl-C: 128 and the number of the signal."""

app = typer.Typer(
    name="ammg",
    cls=Commands,
    help="Mask microdata, measure disclosure risk and information loss, and search for the best balance.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ammg {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the program.

    Exit codes: 0 when all went well, 1 when limits are not met, 2 for wrong input, 3 for a fault of AMMG itself, 130
    when stopped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? and nothing breaks
    atexit.register(gc.freeze)  # at the end, a search for objects nobody needs takes a third of a second
    shown = warnings.showwarning
    warnings.showwarning = lambda message, kind, *place: (
        say_note(str(message)) if issubclass(kind, DataWarning) else shown(message, kind, *place)
    )
    try:
        app()
    except AmmgError as error:
        say_error(_without_passwords(str(error)))
        sys.exit(2)
    except MemoryError:
        say_error(
            "There is not enough memory for this. Use fewer records, or other measures: attacks need most. What works "
            "chunk by chunk needs less from a stream (source: {path: …, stream: true})."
        )
        sys.exit(2)
    except SystemExit as end:
        if end.code == STOPPED:
            say_error("Stopped; no file was left incomplete.")
            _leave_threads_behind()
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # which is how polars fails
            raise
        if isinstance(error, OSError) and error.filename is not None:
            say_error(f"'{error.filename}': {error.strerror}.")
            sys.exit(2)
        if os.environ.get("AMMG_TRACEBACK"):
            raise
        from ammg.io.format import first_line

        said = _without_passwords(first_line(error))
        say_error(
            f"Unexpected error ({type(error).__name__}: {said}). Please report it, with the output of the "
            "same command under AMMG_TRACEBACK=1."
        )
        sys.exit(UNFORESEEN)


def _leave_threads_behind() -> None:
    """End now if a second Ctrl-C has left threads at work: they would meet a program that is being taken apart."""
    threads = sys.modules.get("ammg.kernels.threads")
    if threads is not None and threads.are_working():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(STOPPED)


def _without_passwords(text: str) -> str:
    from ammg.io.urls import hidden  # here, because it loads polars

    return hidden(text)
