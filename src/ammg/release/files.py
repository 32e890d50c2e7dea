"""A release and its companions: what is published with the file, and what stays private."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ammg import registry
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.io.atomic import atomic, expanded
from ammg.io.urls import hidden
from ammg.release.lock import lock_of_url, only_writer
from ammg.release.masking import Masking
from ammg.release.provenance import provenance, write_json, write_private
from ammg.release.release import Release
from ammg.release.staging import refuse_collision, staged, write_elsewhere


@dataclass(frozen=True)
class Companions:
    """What is written with a release: project file, guide and public report beside it, the rest in a private folder."""

    project: str
    summary: str
    public_report: str
    internal_report: str
    """For the review panel: it goes into the private folder."""
    evaluation: Mapping[str, Any]
    secret: Secret
    source: str
    real: int
    """Masked records that stand for a real one."""


def check_beside(target: str, *, replace: bool = False) -> None:
    """Refuse a target that exists or is an earlier release, unless it is to be replaced."""
    names = Beside.of(target)
    refuse_collision(names.private, folder=True)
    refuse_collision(names.project, folder=False)
    refuse_collision(names.summary, folder=False)
    refuse_collision(names.report, folder=False)
    if replace:
        return
    if os.path.lexists(names.private):
        raise InputError(
            f"'{names.private}' holds the secret and the link of an earlier release: choose another target "
            "(--target), or replace the release (--replace, or replace=True), which keeps the old folder under "
            "another name."
        )
    if "://" not in target and os.path.lexists(expanded(target)):
        raise InputError(f"'{target}' exists: choose another target, or replace it (--replace, or replace=True).")


def write_release(
    release: Release, masked: Masking, companions: Companions, target: str, *, replace: bool = False
) -> dict[str, str]:
    """Write masked file, project file, guide and public report, and the private folder.

    Everything is written before anything is moved into place, so that no release is without its secret. Returns the
    path of each file. Formats that cannot store a codebook get one beside the file.
    """
    names = Beside.of(target)
    shown = hidden(target)
    alone = only_writer(lock_of_url(target), shown) if "://" in target else nullcontext()
    with alone, staged(names.home, names.name) as place:
        check_beside(target, replace=replace)  # again: another process may have written it since
        (place / names.project.name).write_text(companions.project, encoding="utf-8")
        (place / names.summary.name).write_text(companions.summary, encoding="utf-8")
        (place / names.report.name).write_text(companions.public_report, encoding="utf-8")
        private = write_private(companions.secret, masked.n, release, place / names.private.name)
        write_json(companions.evaluation, private / "evaluation.json", 0o600)
        with atomic(private / "report.html", 0o600) as path:
            path.write_text(companions.internal_report, encoding="utf-8")
        if "://" in target:
            told = provenance(masked, companions.source, target, release.clearance, real=companions.real)
            write_json(told, private / "provenance.json", 0o600)
            write_elsewhere(place)
            release.write(target)
        else:
            written = place / Path(target).name
            release.write(written)
            told = provenance(
                masked, companions.source, target, release.clearance, written=written, real=companions.real
            )
            write_json(told, private / "provenance.json", 0o600)
    return {
        "masked file": shown,
        "project file": str(names.project),
        "public summary": str(names.summary),
        "public report": str(names.report),
        "private (secret, link, provenance, risk and loss)": str(names.private),
    }


@dataclass(frozen=True)
class Beside:
    """The names of the files beside a target: all begin with its full name, so that no two releases share one."""

    home: Path
    name: str

    @classmethod
    def of(cls, target: str) -> Beside:
        """Beside a file; in the working folder for a table."""
        path = registry.format_for(target).place(target)
        return cls(path.parent, path.name)

    @property
    def private(self) -> Path:
        """The folder that only the owner may read."""
        return self.home / f"{self.name}.private"

    @property
    def project(self) -> Path:
        """The project file that makes the release again."""
        return self.home / f"{self.name}.project.yaml"

    @property
    def summary(self) -> Path:
        """What may be published about the masking: the guide for users of the file."""
        return self.home / f"{self.name}.summary.md"

    @property
    def report(self) -> Path:
        """The public version of the report."""
        return self.home / f"{self.name}.report.html"
