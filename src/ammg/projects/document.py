"""The YAML document of a project file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg import registry
from ammg.errors import InputError, Problem, ProjectError
from ammg.io.yaml_faults import no_space, undecodable
from ammg.io.yaml_text import parse_yaml


def load_yaml(path: Path) -> dict[str, Any]:
    """The document as a mapping, or an error that says where it is broken."""
    if not path.is_file():
        if path.is_dir():
            raise InputError(f"'{path}' is a folder: name the project file in it.")
        raise InputError(f"Project file '{path}' does not exist: check the name.")
    try:
        return parse_document(path.read_text(encoding="utf-8"), str(path))
    except (UnicodeDecodeError, ProjectError) as error:
        if _holds_data(path):
            raise InputError(
                f"'{path}' is a data file, not a project: write a project for it with `ammg init {path}`."
            ) from None
        if isinstance(error, ProjectError):
            raise
        raise ProjectError(str(path), [Problem("", undecodable(error))]) from None


def _holds_data(path: Path) -> bool:
    """Whether the name ends as those of data files do; a text may be either."""
    claimed = any(unit.claims(str(path)) for unit in registry.units("formats").values())
    return claimed and path.suffix.lower() != ".txt"


def parse_document(text: str, where: str) -> dict[str, Any]:
    """The mapping in a text; `where` names the file in errors."""
    try:
        document = parse_yaml(text)
    except InputError as error:
        raise ProjectError(where, [Problem("", str(error))]) from None
    if not isinstance(document, dict):
        told = no_space(text.strip()) if isinstance(document, str) else ""
        expected = "it must be a mapping with source, roles, methods …, such as `source: patients.csv`."
        raise ProjectError(where, [Problem("", told or expected)])
    return document
