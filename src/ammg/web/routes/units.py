"""Methods, measures and formats with JSON Schema for forms, the words of project files, and previews of hierarchies."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from ammg.projects.forms import Unit, Vocabulary, unit_form, unit_forms, vocabulary
from ammg.projects.hierarchy_preview import HierarchyPreview, preview_hierarchy
from ammg.web.access import Asks
from ammg.web.bodies import LARGEST_NUMBER, Body

router = APIRouter(tags=["units"])

Family = Literal["methods", "measures", "formats"]


class Values(Body):
    """A hierarchy (a rule, or levels value by value), and the values that it is for with their records."""

    hierarchy: str | dict[str, list[str]]
    values: list[tuple[str | float, Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]]] = Field(max_length=20_000)


@router.get("/units/{family}")
def list_units(family: Family, actor: Asks) -> tuple[Unit, ...]:
    """All methods, measures or formats, plug-ins included: what they mean, and JSON Schema for a form."""
    return unit_forms(family)


@router.get("/units/{family}/{name}")
def get_unit(family: Family, name: Annotated[str, Path(max_length=200)], actor: Asks) -> Unit:
    """One of them, by any of its names."""
    return unit_form(family, name)


@router.get("/vocabulary")
def get_vocabulary(actor: Asks) -> Vocabulary:
    """Roles, kinds and levels of attributes, and JSON Schema of scenario and search, for forms."""
    return vocabulary()


@router.post("/hierarchies/preview")
def preview(given: Values, actor: Asks) -> HierarchyPreview:
    """Preview of each level of a hierarchy, and its problems; nothing is stored."""
    return preview_hierarchy(given.hierarchy, given.values)
