"""Sample projects: data and a first version that come with AMMG."""

from __future__ import annotations

import io

from ammg.datasets import demo_project, paper_project, patients, survey
from ammg.errors import Conflict, InputError
from ammg.store.actor import Actor
from ammg.store.data_sets import begin_upload
from ammg.store.projects import create_project, list_projects
from ammg.store.store import Store
from ammg.store.values import Project
from ammg.store.versions import create_version

SAMPLES = {
    "patients": ("Ten patients (sample)", "The example of the AMMG paper, with its two masking steps."),
    "survey": ("Household survey (sample)", "3,000 simulated people in households, with a limit and no method yet."),
}
"""Name and description of each sample."""


def create_sample(store: Store, actor: Actor, which: str) -> Project:
    """Create a project with sample data, which a job reads, and a version that describes them."""
    if which not in SAMPLES:
        raise InputError(f"'{which[:40]}' is not a sample: choose {' or '.join(SAMPLES)}.")
    name, description = SAMPLES[which]
    project = _begun(store, actor, name, description)
    content = io.BytesIO()
    if which == "patients":
        patients().write_csv(content)
        file, document = "patients.csv", paper_project()
    else:
        survey(3_000, seed=1).write_parquet(content)
        file, document = "survey.parquet", demo_project()
    with begin_upload(store, actor, project.id, file) as upload:
        upload.write(content.getvalue())
        upload.finish()
    create_version(store, actor, project.id, document, "the sample as it comes")
    return project


def _begun(store: Store, actor: Actor, name: str, description: str) -> Project:
    taken = {project.name for project in list_projects(store, actor)}
    names = (name, *(f"{name} {number}" for number in range(2, 100)))
    free = next((one for one in names if one not in taken), None)
    if free is None:
        raise Conflict("You have very many samples: remove some first.")
    return create_project(store, actor, free, description)
