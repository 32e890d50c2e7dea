"""The report of a project's masked file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ammg.charts.chart import Chart
from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.engines.engine import Engine
from ammg.errors import InputError
from ammg.io.urls import hidden
from ammg.pipeline.evaluation import Evaluation
from ammg.progress import Report, reporting
from ammg.projects.assess import mask_and_measure, step_notes
from ammg.projects.project import Project
from ammg.projects.public_project import public_yaml
from ammg.release.target import check_folder
from ammg.report.evidence import LEAST, Evidence, Reader, Version
from ammg.report.page import write_report


@dataclass(frozen=True)
class ReportOutcome:
    """What the report says, and where it is; the masked file itself is not written."""

    evaluation: Evaluation
    notes: tuple[str, ...]
    written: Mapping[str, str]

    @property
    def keeps_limits(self) -> bool:
        """Whether every limit of the project is met."""
        return not self.evaluation.broken

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {"written": dict(self.written), **self.evaluation.to_dict(), "notes": list(self.notes)}


def report_project(
    project: Project,
    data: Microdata | None = None,
    *,
    output: Path,
    version: Version = "public",
    k: int = LEAST,
    secret: Secret | None = None,
    engine: Engine | None = None,
    progress: Report | None = None,
) -> ReportOutcome:
    """Mask the project's data, measure risk and loss, and write the report, whether or not limits are met.

    Without `secret` the one of the project's secret file is used, else a new one: give the secret of a release to
    report on that release.
    """
    reader = Reader(version, k)
    if output.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"'{output}' must be an HTML file: give it the ending .html.")
    check_folder(output)
    with reporting(progress):
        table = project.read() if data is None else data
        masked, evaluation = mask_and_measure(project, table, secret, engine)
    written = write_report(evidence_for(reader, project, table, evaluation), output, reader)
    return ReportOutcome(evaluation, step_notes(masked), {f"{version} report": str(written)})


def evidence_for(
    reader: Reader,
    project: Project,
    data: Microdata,
    evaluation: Evaluation,
    choice: tuple[str, Chart] | None = None,
) -> Evidence:
    """What the report is written from, with the project file that this reader may see."""
    text = public_yaml(project, data.schema) if reader.is_public else project.to_yaml(full=True)
    return evaluation.evidence(text, read_by_users(project), choice)


def read_by_users(project: Project) -> str:
    """What snippets for users read: the name of the target, without a password."""
    target = project.target or "masked.parquet"
    return hidden(target) if "://" in target else Path(target).name


def beside(path: Path, version: Version) -> Path:
    """Where the report goes by default: beside the project file."""
    return path.with_name(f"{path.with_suffix('').name}.{'report' if version == 'public' else 'internal'}.html")
