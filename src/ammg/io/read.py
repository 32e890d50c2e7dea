"""`ammg.read`: any file or table to microdata, without guessing roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.errors import InputError, did_you_mean


def read(source: str | Path, **options: Any) -> Microdata:
    """Read microdata; the ending of the name says the format, options are those of the format (see the docs)."""
    form = type(registry.format_for(str(source)))
    unknown = [name for name in options if name not in form.model_fields]
    if unknown:
        raise InputError(
            f"Reading {form.__name__} has no option '{unknown[0]}'.{did_you_mean(unknown[0], form.model_fields)}"
        )
    data: Microdata = form(**options).read(str(source))
    return data
