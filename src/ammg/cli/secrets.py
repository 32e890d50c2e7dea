"""The secret that a command is given, and a warning where it can be guessed."""

from __future__ import annotations

from pathlib import Path

from ammg.cli.console import say_note
from ammg.draws import Secret
from ammg.projects.project import Project
from ammg.release.provenance import is_guessable, read_secret


def given_secret(path: Path | None, project: Project) -> Secret | None:
    """The secret in a file; None leaves it to the project."""
    named = path or (project.path(project.secret_file) if project.secret_file else None)
    if named is not None and is_guessable(named):
        say_note(
            f"the secret in '{named}' is so short that it can be guessed from a few known records, which "
            "would undo the masking: omit it to generate one of 256 bits."
        )
    return read_secret(path) if path else None
