"""Risk and loss of a project's masked file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.engines.engine import Engine
from ammg.measures.measure import Measure
from ammg.pipeline.evaluation import Evaluation, evaluate, resolve
from ammg.pipeline.masked import Masked
from ammg.progress import Report, reporting
from ammg.projects.project import Project


@dataclass(frozen=True)
class AssessOutcome:
    """What assessing a project found; nothing was written."""

    evaluation: Evaluation
    notes: tuple[str, ...]
    minimised: str | None = None
    """The label of the loss or score that a search of the project minimises, if it was measured."""

    @property
    def keeps_limits(self) -> bool:
        """Whether every limit of the project is met."""
        return not self.evaluation.broken

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {**self.evaluation.to_dict(), "notes": list(self.notes), "minimised": self.minimised}


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
        return AssessOutcome(evaluation, step_notes(masked), minimised_label(project, evaluation))


def mask_and_measure(
    project: Project, data: Microdata | None, secret: Secret | None, engine: Engine | None = None
) -> tuple[Masked, Evaluation]:
    """The masked file, and its risk and loss under the project's limits, with the loss that a search minimises."""
    table = project.read() if data is None else data
    masked = project.pipeline().run(table, secret or project.secret(), engine)
    measures = measured_by(project, in_memory=masked.source.in_memory)
    return masked, evaluate(masked, measures, project.scenario, limits=project.judged_by)


def measured_by(project: Project, *, in_memory: bool = True) -> list[Measure]:
    """What the project measures, and what a search of it minimises.

    Of a stream the default loss is left out, which would read all records into memory.
    """
    measures = resolve(project.measures)
    if not project.is_searched or (not in_memory and project.goal.minimise is None):
        return measures
    return measures if project.minimised in measures else [*measures, project.minimised]


def minimised_label(project: Project, evaluation: Evaluation) -> str | None:
    """The label of what a search of the project minimises; None if it was not measured."""
    if not project.is_searched or project.minimised not in evaluation:
        return None
    return evaluation.label(project.minimised)


def step_notes(masked: Masked) -> tuple[str, ...]:
    """What the steps noted, each with the name of its method."""
    return tuple(f"{step.method}: {note}" for step in masked.steps for note in step.notes)
