"""`ammg.read`: any file or database table to microdata, without guessing roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.errors import InputError
from ammg.forks import refuse_forked
from ammg.progress import tick


def read(source: str | Path, **options: Any) -> Microdata:
    """Read microdata from a file or a database; a table in memory goes in by `ammg.Microdata(table)`.

    The ending of the name determines the format; options are those of the format (see the docs).
    """
    if not isinstance(source, str | Path):
        raise InputError(
            f"A {type(source).__name__} is not a file name: give one, or make microdata from a table with "
            "ammg.Microdata(table)."
        )
    refuse_forked()
    tick(0, 1, "reading")
    data: Microdata = registry.format_for(str(source), **options).read(str(source))
    tick(1, 1, "reading")
    return data
