"""Pictures on disk: whole or absent, in the format that the ending says."""

from __future__ import annotations

from pathlib import Path

from ammg.charts.drawing import Drawing
from ammg.errors import InputError, did_you_mean
from ammg.io.atomic import atomic

_FORMATS = ("svg", "png", "pdf")


def write_picture(drawing: Drawing, path: str | Path) -> Path:
    """Write a drawing as SVG, PNG or PDF, by the ending of the path."""
    path = Path(path)
    form = path.suffix.lstrip(".").lower() or "svg"
    if form not in _FORMATS:
        hint = did_you_mean(form, _FORMATS) or f" Choose {', '.join(_FORMATS)}."
        raise InputError(f"'{path}' does not end like a picture.{hint}")
    with atomic(path) as temporary:
        temporary.write_bytes(drawing.to_bytes(form))
    return path
