"""Release what a project made: the file, and the project file that reproduces it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from ammg.charts.chart import Chart
from ammg.pipeline.evaluation import Evaluation
from ammg.pipeline.masked import Masked
from ammg.projects.project import Project
from ammg.projects.report import evidence_for, read_by_users
from ammg.release.files import Beside, Companions, check_beside, write_release
from ammg.release.public_summary import public_summary, summary_text
from ammg.release.release import Release
from ammg.release.target import check_target
from ammg.report.evidence import Reader
from ammg.report.page import report_html


@dataclass(frozen=True)
class Written:
    """Where each file of a release is, and what its audit noted."""

    places: dict[str, str]
    notes: tuple[str, ...]


def check_release(project: Project, target: str, *, replace: bool = False) -> None:
    """Refuse a target that cannot be written, or beside which something is in the way, before anything is computed."""
    check_target(target, project.sources())
    check_beside(target, replace=replace)


def release_project(
    project: Project,
    masked: Masked,
    evaluation: Evaluation,
    target: str,
    force: str | None = None,
    *,
    replace: bool = False,
    choice: tuple[str, Chart] | None = None,
) -> Written:
    """Write the release with everything that belongs to it; limits that it breaks in spite of `force` are recorded.

    An earlier release of this target is only replaced with `replace`; its private folder is kept under another name.
    `choice` says why a search chose this combination of methods, with its map, for the report.

    Raises:
        ReleaseBlocked: the audit found reasons against it, and it is not forced.
    """
    release = _cleared(masked.release(order=project.order, force=force), evaluation, force)
    released = _as_released(project, target)
    public, internal = (
        report_html(evidence_for(reader, released, masked.original, evaluation, choice), reader)
        for reader in (Reader("public"), Reader("internal"))
    )
    companions = Companions(
        project=released.to_yaml(full=True),
        summary=summary_text(public_summary(masked, evaluation.measured), read_by_users(released)),
        public_report=public,
        internal_report=internal,
        evaluation=evaluation.to_dict(),
        secret=masked.secret,
        source=project.path(str(project.source["path"])),
        real=masked.r,
    )
    return Written(write_release(release, masked, companions, target, replace=replace), release.clearance.notes)


def _cleared(release: Release, evaluation: Evaluation, force: str | None) -> Release:
    broken = evaluation.broken
    if not broken:
        return release
    clearance = release.clearance
    reasons = (*clearance.reasons, *broken.values())
    return release.cleared(dataclasses.replace(clearance, reasons=reasons, forced=force.strip() if force else None))


def _as_released(project: Project, target: str) -> Project:
    """The project as it makes this release again from the folder that it is written to."""
    moved = project.seen_from(Beside.of(target).home)
    name = target if "://" in target else Path(target).name
    return moved.model_copy(update={"target": name})
