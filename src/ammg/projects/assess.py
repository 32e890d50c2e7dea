"""Risk and loss of a project's masked file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.engines.engine import Engine
from ammg.pipeline.evaluation import Evaluation, evaluate
from ammg.pipeline.masked import Masked
from ammg.progress import Report, reporting
from ammg.projects.project import Project


@dataclass(frozen=True)
class AssessOutcome:
    """What assessing a project found; nothing was written."""

    evaluation: Evaluation
    notes: tuple[str, ...]

    @property
    def keeps_limits(self) -> bool:
        """Whether every limit of the project is met."""
        return not self.evaluation.broken

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**self.evaluation.to_dict(), "notes": list(self.notes)}


def assess_project(
    project: Project,
    data: Microdata | None = None,
    *,
    secret: Secret | None = None,
    engine: Engine | None = None,
    progress: Report | None = None,
) -> AssessOutcome:
    """Mask the project's data and measure risk and loss; nothing is written.

    Without `secret`, the one in the project's secret file is used, or a new one.
    """
    with reporting(progress):
        masked, evaluation = mask_and_measure(project, data, secret, engine)
        return AssessOutcome(evaluation, step_notes(masked))


def mask_and_measure(
    project: Project, data: Microdata | None, secret: Secret | None, engine: Engine | None = None
) -> tuple[Masked, Evaluation]:
    """The masked file, and its risk and loss under the project's limits."""
    table = project.read() if data is None else data
    masked = project.pipeline().run(table, secret or project.secret(), engine)
    return masked, evaluate(masked, project.measures, project.scenario, limits=project.judged_by)


def step_notes(masked: Masked) -> tuple[str, ...]:
    """What the steps noted, each with the name of its method."""
    return tuple(f"{step.method}: {note}" for step in masked.steps for note in step.notes)
