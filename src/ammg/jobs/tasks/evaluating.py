"""Measure risk and information loss of the file that a version makes."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from ammg.jobs.inputs import open_project, secret_of_masked
from ammg.jobs.task import Task
from ammg.jobs.tasks.masking import add_evaluation, log_measured, values_of
from ammg.projects.assess import assess_project
from ammg.projects.attributes.rare import rare_combinations


def run(task: Task) -> None:
    """Mask and measure; no file is kept."""
    project, data, secret = open_project(task)
    masked_file_id = task.parameters["masked_file_id"]
    if masked_file_id is not None:
        secret = secret_of_masked(task, masked_file_id)
    unmasked = task.parameters.get("unmasked", False)
    if unmasked:
        project = project.model_copy(update={"methods": ()})
    outcome = assess_project(project, data, secret=secret, progress=task.report)
    log_measured(task, outcome.evaluation)
    values = {**values_of(outcome), "read_as": task.parameters["version"]}
    if unmasked:
        rarest = rare_combinations(data, project.scenario)
        values["people"] = [{"measure": "", "what": "rarest combinations", "sentences": rarest}, *values["people"]]

    def record(session: Session) -> dict[str, Any]:
        return {"evaluation_id": add_evaluation(task, session, values, masked_file_id, unmasked=unmasked)}

    task.finish(record)
