"""Review before release."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ammg.store import reviews
from ammg.store.values import Review
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Body, Id

router = APIRouter(tags=["reviews"])

_LONGEST = 20_000


class Submission(Body):
    """A masked file and a comment by the owner; a reason is required if limits or release checks fail."""

    masked_file_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    statement: str = Field("", max_length=_LONGEST)
    reason: str = Field("", max_length=_LONGEST)


class Remark(Body):
    """What somebody says."""

    text: str = Field(max_length=_LONGEST)


class Reason(Body):
    """Why."""

    reason: str = Field("", max_length=_LONGEST)


@router.get("/projects/{project_id}/reviews")
def list_reviews(project_id: Id, store: Kept, actor: Asks) -> tuple[Review, ...]:
    """The reviews of a project, newest first."""
    return reviews.list_reviews(store, actor, project_id)


@router.post("/projects/{project_id}/reviews", status_code=201)
def submit(project_id: Id, given: Submission, store: Kept, actor: Asks) -> Review:
    """Submit a masked file for review, as the owner."""
    return reviews.submit(store, actor, project_id, given.masked_file_id, given.statement, given.reason)


@router.get("/projects/{project_id}/reviews/{review_id}")
def get_review(project_id: Id, review_id: Id, store: Kept, actor: Asks) -> Review:
    """One review with its comments."""
    return reviews.get_review(store, actor, project_id, review_id)


@router.post("/projects/{project_id}/reviews/{review_id}/comments", status_code=201)
def comment(project_id: Id, review_id: Id, given: Remark, store: Kept, actor: Asks) -> Review:
    """Comment on a review."""
    return reviews.comment(store, actor, project_id, review_id, given.text)


@router.post("/projects/{project_id}/reviews/{review_id}/approve")
def approve(project_id: Id, review_id: Id, given: Reason, store: Kept, actor: Asks) -> Review:
    """Approve the file, as a reviewer; a reason is required if checks or limits fail."""
    return reviews.approve(store, actor, project_id, review_id, given.reason)


@router.post("/projects/{project_id}/reviews/{review_id}/return")
def return_for_changes(project_id: Id, review_id: Id, given: Reason, store: Kept, actor: Asks) -> Review:
    """Return the file with a reason, as a reviewer."""
    return reviews.return_for_changes(store, actor, project_id, review_id, given.reason)


@router.post("/projects/{project_id}/reviews/{review_id}/take-back")
def take_back(project_id: Id, review_id: Id, store: Kept, actor: Asks) -> Review:
    """Withdraw the review request, as the owner."""
    return reviews.take_back(store, actor, project_id, review_id)
