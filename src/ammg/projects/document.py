"""The YAML document of a project file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ammg.errors import InputError, Problem, ProjectError
from ammg.io.yaml_text import parse_yaml


def load_yaml(path: Path) -> dict[str, Any]:
    """The document as a mapping, or an error that says where it is broken."""
    if not path.is_file():
        raise InputError(f"Project file '{path}' does not exist: check the name.")
    try:
        document = parse_yaml(path.read_text(encoding="utf-8"))
    except InputError as error:
        raise ProjectError(str(path), [Problem("", str(error))]) from None
    except UnicodeDecodeError as error:
        raise ProjectError(str(path), [Problem("", f"not a YAML document: {error}")]) from None
    if not isinstance(document, dict):
        raise ProjectError(str(path), [Problem("", "it must be a mapping with source, roles, methods …")])
    return document
