"""`ammg.read`: any file or table to microdata, without guessing roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg import registry
from ammg.data.microdata import Microdata


def read(source: str | Path, **options: Any) -> Microdata:
    """Read microdata; the ending of the name says the format, options are those of the format (see the docs)."""
    data: Microdata = registry.format_for(str(source), **options).read(str(source))
    return data
