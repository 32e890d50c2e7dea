"""The YAML document of a project file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg.errors import InputError, Problem, ProjectError
from ammg.io.yaml_faults import no_space, undecodable
from ammg.io.yaml_text import parse_yaml


def load_yaml(path: Path) -> dict[str, Any]:
    """The document as a mapping, or an error that says where it is broken."""
    if not path.is_file():
        raise InputError(f"Project file '{path}' does not exist: check the name.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(str(path), [Problem("", undecodable(error))]) from None
    return parse_document(text, str(path))


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
