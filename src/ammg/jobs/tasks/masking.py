"""Mask a version: the masked file with its accompanying files, and its evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from sqlalchemy.orm import Session

from ammg.draws import Secret
from ammg.io.codebook import codebook_path
from ammg.jobs.inputs import finite, open_project
from ammg.jobs.task import Task, add_file
from ammg.pipeline.evaluation import Evaluation as Measured
from ammg.projects.assess import AssessOutcome
from ammg.projects.init import is_streamed, open_file
from ammg.projects.mask import MaskOutcome, mask_project
from ammg.release.files import Beside
from ammg.report.evidence import Reader, Version
from ammg.report.shown import first_records, pictures, risky_people
from ammg.store.ground.files import Stored
from ammg.store.models.base import folded, new_id
from ammg.store.models.projects import ProjectRow
from ammg.store.models.work import EvaluationRow, MaskedFileRow, PartRow

_LARGEST = 2**29
"""Largest masked file, in bytes, that is read back whole to show its first records."""


def run(task: Task) -> None:
    """Mask, measure, and keep the file unless it breaks a limit and is not forced."""
    project, data, secret = open_project(task)
    name, force = task.parameters["name"], task.parameters["force"]
    place = task.folder / "masked"
    place.mkdir(mode=0o700)
    outcome = mask_project(
        project,
        data,
        target=str(place / name),
        secret=secret or Secret.of(None),
        force=force,
        progress=task.report,
    )
    log_measured(task, outcome.evaluation)
    exported = project.model_copy(update={"secret_file": None, "target": name}).to_yaml(full=True)
    parts = _kept(task, place / name, exported) if outcome.is_written else {}
    values = values_of(outcome)

    def record(session: Session) -> dict[str, Any]:
        masked_file_id = _masked_file(task, session, outcome, place / name, parts) if parts else None
        evaluation_id = add_evaluation(task, session, values, masked_file_id)
        broken = list(outcome.evaluation.broken.values())
        return {"masked_file_id": masked_file_id, "evaluation_id": evaluation_id, "broken": broken}

    task.finish(record)


def values_of(outcome: MaskOutcome | AssessOutcome) -> dict[str, Any]:
    """Everything measured, with charts for everybody and for the panel; results about single people are for the owner.

    The store shows each part only to those who may see it.
    """
    evidence = outcome.evaluation.evidence()
    shown = {version: pictures(evidence, Reader(version)) for version in get_args(Version)}
    return {**outcome.to_dict(), "pictures": shown, "people": risky_people(evidence)}


def log_measured(task: Task, evaluation: Measured) -> None:
    """Log the number of records and the broken limits."""
    counts = f"{evaluation.records['t']:,.0f} masked records from {evaluation.records['n']:,.0f}"
    task.log(f"{counts}, {len(evaluation)} measures, {len(evaluation.broken)} limits broken")


def add_evaluation(
    task: Task, session: Session, values: dict[str, Any], masked_file_id: str | None, *, unmasked: bool = False
) -> str:
    """Store risk and information loss; version 0 stands for the unmasked records."""
    row_id = new_id()
    values = {name: part for name, part in values.items() if name != "written"}
    session.add(
        EvaluationRow(
            id=row_id,
            project_id=task.project_id,
            version=0 if unmasked else task.parameters["version"],
            masked_file_id=masked_file_id,
            job_id=task.claim.job_id,
            keeps_limits=not values["missed"],
            outcome=task.store.vault.seal(json.dumps(finite(values)), f"evaluation:{row_id}"),
            created_at=task.store.clock(),
        )
    )
    session.flush()
    return row_id


def _kept(task: Task, target: Path, exported: str) -> dict[str, tuple[str, str, Stored]]:
    """File name, role and stored file of each part."""
    beside = Beside.of(str(target))
    files = {
        "masked": ("public", target),
        "codebook": ("public", codebook_path(target)),
        "summary": ("public", beside.summary),
        "report": ("public", beside.report),
        "internal_report": ("internal", beside.private / "report.html"),
        "secret": ("private", beside.private / "secret"),
        "link": ("private", beside.private / "link.parquet"),
        "provenance": ("private", beside.private / "provenance.json"),
        "evaluation": ("private", beside.private / "evaluation.json"),
    }
    kept = {name: (path.name, role, task.keep(path)) for name, (role, path) in files.items() if path.is_file()}
    kept["project"] = (f"{target.name}.project.yaml", "internal", task.keep(exported.encode()))
    if is_streamed(target.name) or target.stat().st_size <= _LARGEST:
        first = json.dumps(finite(first_records(open_file(str(target)))))
        kept["sample"] = ("sample.json", "team", task.keep(first.encode()))
    return kept


def _masked_file(
    task: Task, session: Session, outcome: MaskOutcome, target: Path, parts: dict[str, tuple[str, str, Stored]]
) -> str:
    provenance = json.loads((Beside.of(str(target)).private / "provenance.json").read_text(encoding="utf-8"))
    broken = list(outcome.evaluation.broken.values())
    reasons = [reason for reason in provenance["clearance"]["reasons"] if reason not in broken]
    forced = provenance["clearance"]["forced"]
    facts = {"broken": broken, "gate": reasons, "force": [forced] if forced else [], "notes": list(outcome.notes)}
    row_id = new_id()
    session.add(
        MaskedFileRow(
            id=row_id,
            project_id=task.project_id,
            owner_id=session.get_one(ProjectRow, task.project_id).owner_id,
            name=target.name,
            name_key=folded(target.name),
            version=task.parameters["version"],
            job_id=task.claim.job_id,
            records=provenance["records"]["after"],
            needs_reason=bool(broken or reasons),
            facts=task.store.vault.seal(json.dumps(facts), f"masked file:{row_id}"),
            created_at=task.store.clock(),
            created_by=task.author_id,
        )
    )
    session.flush()
    for name, (file_name, role, stored) in parts.items():
        file_id = add_file(session, stored, task.store, public=role == "public")
        session.add(PartRow(masked_file_id=row_id, name=name, file_name=file_name, role=role, file_id=file_id))
    session.flush()
    return row_id
