"""Everything that is under /api/v1: one module per noun, and each route calls one function."""

from __future__ import annotations

from ammg.web.routes import (
    audit,
    connections,
    data_sets,
    evaluations,
    jobs,
    masked_files,
    operations,
    people,
    projects,
    releases,
    reviews,
    session,
    tokens,
    units,
    versions,
)

ROUTERS = (
    session.router,
    people.router,
    tokens.router,
    projects.router,
    versions.router,
    data_sets.router,
    units.router,
    jobs.router,
    masked_files.router,
    evaluations.router,
    reviews.router,
    releases.router,
    connections.router,
    audit.router,
    operations.router,
)
"""For people who are signed in, but for signing in itself."""

PUBLIC = (audit.public,)
