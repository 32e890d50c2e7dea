"""Write a release and what belongs to it: what may be told beside the file, what stays private apart."""

from __future__ import annotations

from pathlib import Path

from ammg.cli.console import say_note
from ammg.data.masked import Masked
from ammg.io.atomic import atomic
from ammg.pipeline.evaluation import Evaluation
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import provenance, write_json, write_private
from ammg.pipeline.public_summary import public_summary, summary_text


def write_release(
    masked: Masked, project: Project, evaluation: Evaluation, target: str, force: str | None = None
) -> dict[str, str]:
    """Write masked file, project file and public summary, and apart from them the private folder.

    Returns where each is. The codebook is written with the file by formats that cannot hold it.
    """
    release = masked.release(order=project.order, force=force)
    for note in release.clearance.notes:
        say_note(note)
    release.write(target)
    stem = Path("release") if "://" in target else Path(target).with_suffix("")
    files = {
        "masked file": target,
        "project file": f"{stem}.project.yaml",
        "public summary": f"{stem}.summary.md",
        "private (secret, link, provenance, risk and loss)": f"{stem}.private",
    }
    with atomic(files["project file"]) as path:
        path.write_text(_as_released(project, target, stem.parent).to_yaml(), encoding="utf-8")
    with atomic(files["public summary"]) as path:
        path.write_text(summary_text(public_summary(masked, evaluation)), encoding="utf-8")
    private = write_private(masked, release, f"{stem}.private")
    source = project.path(str(project.source["path"]))
    write_json(provenance(masked, source, target, release.clearance), private / "provenance.json", 0o600)
    write_json(evaluation.to_dict(), private / "evaluation.json", 0o600)
    return files


def _as_released(project: Project, target: str, folder: Path) -> Project:
    """The project as it makes this release again from the folder that it is written to."""
    moved = project.seen_from(folder)
    name = target if "://" in target else Path(target).name
    return moved.model_copy(update={"target": name})
