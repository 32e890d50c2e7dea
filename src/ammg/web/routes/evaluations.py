"""Evaluations, comparisons, searches and reports."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import StreamingResponse

from ammg.store import evaluations, previews, searches, work
from ammg.store.searches import SearchPoints
from ammg.store.values import Comparison, Evaluation, Job, ReportInfo, Search
from ammg.store.values import Version as KeptVersion
from ammg.web.access import Asks, Kept
from ammg.web.bodies import LARGEST_NUMBER, Body, Id
from ammg.web.downloads import FILE, sent

router = APIRouter(tags=["evaluations"])

_ID = r"^[A-Za-z0-9_-]{1,64}$"
Version = Annotated[int | None, Field(ge=1, le=LARGEST_NUMBER, description="By default the current one.")]
Ids = Annotated[list[Annotated[str, Field(pattern=_ID)]], Query(min_length=1, max_length=20)]


class Evaluating(Body):
    """What to measure: a version, or exactly what is in a masked file."""

    version: Version = None
    masked_file_id: str | None = Field(None, pattern=_ID)
    unmasked: bool = Field(False, description="The records as they are, without the methods of the version.")


class Searching(Body):
    """Where to begin, and how many recipes to try."""

    version: Version = None
    trials: int | None = Field(None, ge=1, le=100_000)


class Previewing(Body):
    """Which steps to show on a sample: those of a version, or others in their place."""

    version: Version = None
    methods: list[Any] | None = Field(None, max_length=200)


class Adopting(Body):
    """Which point of a search becomes a version."""

    key: str = Field(pattern=r"^[0-9a-f]{16}$")
    based_on: int | None = Field(None, ge=0, le=LARGEST_NUMBER)


class Reporting(Body):
    """Which report, for whom."""

    masked_file_id: str = Field(pattern=_ID)
    kind: Literal["public", "internal"] = "public"


@router.get("/projects/{project_id}/evaluations")
def list_evaluations(project_id: Id, store: Kept, actor: Asks) -> tuple[Evaluation, ...]:
    """The evaluations of a project, newest first, without their values."""
    return evaluations.list_evaluations(store, actor, project_id)


@router.post("/projects/{project_id}/evaluations", status_code=202)
def start_evaluate(project_id: Id, given: Evaluating, store: Kept, actor: Asks) -> Job:
    """Measure risk and loss."""
    return work.start_evaluate(store, actor, project_id, given.version, given.masked_file_id, unmasked=given.unmasked)


@router.get("/projects/{project_id}/evaluations/{evaluation_id}")
def get_evaluation(project_id: Id, evaluation_id: Id, store: Kept, actor: Asks) -> Evaluation:
    """One evaluation with everything that was measured; charts are values, for you to draw."""
    return evaluations.get_evaluation(store, actor, project_id, evaluation_id)


@router.get("/projects/{project_id}/comparison")
def compare(project_id: Id, evaluation: Ids, store: Kept, actor: Asks) -> Comparison:
    """Evaluations side by side, one row per measure."""
    return evaluations.compare(store, actor, project_id, list(dict.fromkeys(evaluation)))


@router.get("/projects/{project_id}/searches")
def list_searches(project_id: Id, store: Kept, actor: Asks) -> tuple[Search, ...]:
    """The searches of a project, newest first."""
    return evaluations.list_searches(store, actor, project_id)


@router.post("/projects/{project_id}/searches", status_code=202)
def start_search(project_id: Id, given: Searching, store: Kept, actor: Asks) -> Job:
    """Search the methods that meet the limits of a version with the least loss; the result becomes a version."""
    return work.start_search(store, actor, project_id, given.version, given.trials)


@router.get("/projects/{project_id}/searches/{search_id}")
def get_search(project_id: Id, search_id: Id, store: Kept, actor: Asks) -> Search:
    """One search: the choice and why, the frontier of risk and loss, the map as a chart."""
    return evaluations.get_search(store, actor, project_id, search_id)


@router.get("/jobs/{job_id}/points")
def search_points(job_id: Id, store: Kept, actor: Asks) -> SearchPoints:
    """What a search has found so far, or in the end: each point is a recipe with its risk and its loss."""
    return searches.search_points(store, actor, job_id)


@router.post("/jobs/{job_id}/adopt", status_code=201)
def adopt_point(job_id: Id, given: Adopting, store: Kept, actor: Asks) -> KeptVersion:
    """Make a point of a search the new current version."""
    return searches.adopt_point(store, actor, job_id, given.key, given.based_on)


@router.post("/projects/{project_id}/previews", status_code=202)
def start_preview(project_id: Id, given: Previewing, store: Kept, actor: Asks) -> Job:
    """Run steps on a sample of the records."""
    return previews.start_preview(store, actor, project_id, given.version, given.methods)


@router.get("/jobs/{job_id}/preview")
def get_preview(job_id: Id, store: Kept, actor: Asks) -> dict[str, Any]:
    """What the steps do to the sample, column by column; only the owner sees single records."""
    return previews.get_preview(store, actor, job_id)


@router.get("/projects/{project_id}/reports")
def list_reports(project_id: Id, store: Kept, actor: Asks) -> tuple[ReportInfo, ...]:
    """The reports that you may read, newest first."""
    return evaluations.list_reports(store, actor, project_id)


@router.post("/projects/{project_id}/reports", status_code=202)
def start_report(project_id: Id, given: Reporting, store: Kept, actor: Asks) -> Job:
    """Write the report on a masked file."""
    return work.start_report(store, actor, project_id, given.masked_file_id, given.kind)


@router.get("/projects/{project_id}/reports/{report_id}", **FILE)
def read_report(project_id: Id, report_id: Id, store: Kept, actor: Asks) -> StreamingResponse:
    """A report as one HTML file; the internal one is for the owner and the review panel."""
    return sent(evaluations.read_report(store, actor, project_id, report_id))
