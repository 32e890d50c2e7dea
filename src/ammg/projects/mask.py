"""Run a project and write its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.engines.engine import Engine
from ammg.errors import InputError
from ammg.io.urls import hidden
from ammg.pipeline.evaluation import Evaluation
from ammg.progress import Report, reporting
from ammg.projects.assess import mask_and_measure, minimised_label, step_notes
from ammg.projects.project import Project
from ammg.projects.release import check_release, release_project


@dataclass(frozen=True)
class MaskOutcome:
    """Result of masking a project and where it was written: nowhere if limits are not met and nothing was forced."""

    evaluation: Evaluation
    notes: tuple[str, ...]
    written: Mapping[str, str]
    minimised: str | None = None
    """The label of the loss or score that a search of the project minimises, if it was measured."""

    @property
    def is_written(self) -> bool:
        """Whether there is a release."""
        return bool(self.written)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        measured = {**self.evaluation.to_dict(), "notes": list(self.notes), "minimised": self.minimised}
        return {"written": dict(self.written), **measured}


def mask_project(
    project: Project,
    data: Microdata | None = None,
    *,
    target: str | None = None,
    secret: Secret | None = None,
    force: str | None = None,
    replace: bool = False,
    engine: Engine | None = None,
    progress: Report | None = None,
) -> MaskOutcome:
    """Mask the project's data, measure risk and information loss, and write the release if all limits are met.

    `force` is the reason for releasing although limits or release checks fail; it is recorded. Without `secret`, the
    one in the project's secret file is used, or a new one. With `replace`, an earlier release of this target is
    replaced; its private folder is kept under another name.
    """
    where = project.path(project.target) if target is None and project.target else target
    if where is None:
        raise InputError("The project has no target: add one such as `target: released.csv`, or use --target.")
    if force is not None and not force.strip():
        raise InputError("The reason to force the release is empty: write why it may be released.")
    check_release(project, where, replace=replace)
    if engine is not None and engine.name != "local" and not where.lower().endswith(".parquet"):
        raise InputError(f"The engine '{engine.name}' writes Parquet: give '{hidden(where)}' the ending .parquet.")
    with reporting(progress):
        masked, evaluation = mask_and_measure(project, data, secret, engine)
        notes, minimised = step_notes(masked), minimised_label(project, evaluation)
        if evaluation.broken and force is None:
            return MaskOutcome(evaluation, notes, {}, minimised)
        if secret is not None:
            project = project.model_copy(update={"secret_file": None})  # it names another secret than this release has
        written = release_project(project, masked, evaluation, where, force, replace=replace)
    return MaskOutcome(evaluation, (*notes, *written.notes), written.places, minimised)
