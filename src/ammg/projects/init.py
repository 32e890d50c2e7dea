"""A commented project file to start from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ammg import registry
from ammg.analyzer.analysis import Analysis
from ammg.analyzer.analyze import analyze
from ammg.analyzer.render import as_project
from ammg.data.microdata import Microdata
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.read import read
from ammg.io.urls import with_variable


@dataclass(frozen=True)
class InitOutcome:
    """Where the new project file is, and the analysis it was made from."""

    path: Path
    analysis: Analysis


def init_project(file: str, path: Path | None = None) -> InitOutcome:
    """Write a project file with proposed roles, by default beside the data; an existing file is never overwritten."""
    registry.format_for(file)  # refuses what is no file at all
    remote = "://" in file
    target = path or (Path("project.yaml") if remote else Path(file).with_suffix(".yaml"))
    if target.exists():
        raise InputError(f"'{target}' already exists and is not overwritten: choose another name for the project file.")
    analysis = analyze_file(file)
    source = with_variable(file, "AMMG_SOURCE_PASSWORD") if remote else os.path.relpath(file, target.resolve().parent)
    with atomic(target) as temporary:
        temporary.write_text(as_project(analysis, source), encoding="utf-8")
    return InitOutcome(target, analysis)


def analyze_file(file: str) -> Analysis:
    """The analysis of a file, which stays on disk where its format allows it."""
    return analyze(open_file(file))


def open_file(file: str) -> Microdata:
    """A file, which stays on disk where its format allows it."""
    return read(file, stream=True) if is_streamed(file) else read(file)


def is_streamed(file: str) -> bool:
    """Whether the format of a file lets it stay on disk."""
    return "stream" in type(registry.format_for(file)).model_fields
