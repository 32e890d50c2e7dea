"""The whole workflow on built-in data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ammg.datasets import demo_project, survey
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.optimizer.result import SearchResult
from ammg.pipeline.evaluation import Evaluation, evaluate
from ammg.progress import Report, reporting
from ammg.projects.assess import measured_by
from ammg.projects.project import Project
from ammg.projects.release import release_project
from ammg.projects.search import search_project


@dataclass(frozen=True)
class DemoOutcome:
    """What the demonstration found and where it was written; no release if nothing meets the limits."""

    result: SearchResult
    evaluation: Evaluation
    notes: tuple[str, ...]
    written: Mapping[str, str]

    @property
    def keeps_limits(self) -> bool:
        """Whether the chosen file meets every limit."""
        return not self.evaluation.broken


def demo(folder: Path, *, records: int = 2_500, trials: int = 120, progress: Report | None = None) -> DemoOutcome:
    """Make a survey, search for a safe masked file, and write file, project, risk and loss, and R-U map."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file: name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    survey(records, seed=1).drop("household_income").write_parquet(folder / "survey.parquet")
    with atomic(folder / "project.yaml") as path:
        path.write_text(demo_project(), encoding="utf-8")
    project, data = Project.open(folder / "project.yaml")
    found = search_project(project, data, trials=trials, secret=Secret.of(1), progress=progress)
    result = found.result
    evaluation = evaluate(
        result.chosen, measured_by(project), project.scenario, limits=project.judged_by, progress=progress
    )
    written = {
        "R-U map": str(result.plot(folder / "ru-map.svg")),
        "picture of the risks": str(evaluation.plot(folder / "risk.svg")),
    }
    if evaluation.broken:
        return DemoOutcome(result, evaluation, (), written)
    with reporting(progress):
        target = str(folder / "masked.parquet")
        choice = (result.reason, result.map)
        release = release_project(found.project, result.chosen, evaluation, target, replace=True, choice=choice)
    return DemoOutcome(result, evaluation, release.notes, {**release.places, **written})
