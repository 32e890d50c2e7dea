"""Write a release and what belongs to it: what may be told beside the file, what stays private apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ammg.cli.console import say_note
from ammg.data.masked import Masked
from ammg.data.release import Release
from ammg.io.staging import refuse_collision, staged, write_elsewhere
from ammg.io.target import check_target
from ammg.pipeline.evaluation import Evaluation
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import provenance, write_json, write_private
from ammg.pipeline.public_summary import public_summary, summary_text


def check_release(project: Project, target: str) -> None:
    """Refuse a target that cannot be written, or beside which something is in the way, before anything is computed."""
    check_target(target, project.sources())
    stem = _stem(target)
    refuse_collision(Path(f"{stem}.private"), folder=True)
    refuse_collision(Path(f"{stem}.project.yaml"), folder=False)
    refuse_collision(Path(f"{stem}.summary.md"), folder=False)


def write_release(
    masked: Masked,
    project: Project,
    evaluation: Evaluation,
    target: str,
    force: str | None = None,
    broken: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Write masked file, project file and public summary, and apart from them the private folder.

    Everything is written before anything takes its place, so that no release is without its secret. `broken` are
    thresholds in spite of which the release is forced. Returns where each is. The codebook is written with the file
    by formats that cannot hold it.
    """
    release = _cleared(masked.release(order=project.order, force=force), force, broken or {})
    for note in release.clearance.notes:
        say_note(note)
    stem = _stem(target)
    with staged(stem.parent, stem.name) as place:
        _write_text(place / f"{stem.name}.project.yaml", _as_released(project, target, stem.parent).to_yaml(full=True))
        _write_text(place / f"{stem.name}.summary.md", summary_text(public_summary(masked, evaluation)))
        private = write_private(masked, release, place / f"{stem.name}.private")
        write_json(evaluation.to_dict(), private / "evaluation.json", 0o600)
        source = project.path(str(project.source["path"]))
        told = provenance(masked, source, target, release.clearance)
        write_json(told, private / "provenance.json", 0o600)
        if "://" in target:
            write_elsewhere(place)
            release.write(target)
        else:
            written = place / Path(target).name
            release.write(written)
            told = provenance(masked, source, target, release.clearance, written=written)
            write_json(told, private / "provenance.json", 0o600)
    return {
        "masked file": target,
        "project file": f"{stem}.project.yaml",
        "public summary": f"{stem}.summary.md",
        "private (secret, link, provenance, risk and loss)": f"{stem}.private",
    }


def _stem(target: str) -> Path:
    return Path("release") if "://" in target else Path(target).expanduser().with_suffix("")


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _cleared(release: Release, force: str | None, broken: Mapping[str, str]) -> Release:
    if not broken:
        return release
    clearance = release.clearance
    reasons = (*clearance.reasons, *broken.values())
    return release.cleared(replace(clearance, reasons=reasons, forced=force.strip() if force else None))


def _as_released(project: Project, target: str, folder: Path) -> Project:
    """The project as it makes this release again from the folder that it is written to."""
    moved = project.seen_from(folder)
    name = target if "://" in target else Path(target).name
    return moved.model_copy(update={"target": name})
