"""Administration: people, jobs, databases, the audit log, storage and limits."""

from __future__ import annotations

from ammg.store.rights import need_administrator
from ammg.web.pages.shell import page
from ammg.web.parts.lazy_tabs import Fill, lazy_tabs
from ammg.web.parts.people_panel import PeoplePanel
from ammg.web.parts.system_panels import AuditPanel, DatabasesPanel, JobsPanel, system_panel
from ammg.web.visit import Visit

_TABS = {"people": "People", "jobs": "Jobs", "databases": "Databases", "audit": "Audit log", "system": "System"}


@page("/administration", title="Administration")
async def administration(visit: Visit) -> None:
    """One tab for each task, filled when it is opened."""
    need_administrator(visit.actor)
    fill: dict[str, Fill] = {
        "people": PeoplePanel(visit).show,
        "jobs": JobsPanel(visit).show,
        "databases": DatabasesPanel(visit).show,
        "audit": AuditPanel(visit).show,
        "system": lambda: system_panel(visit),
    }
    await lazy_tabs(_TABS, fill, visit.query.get("tab", ""), lambda name: f"/administration?tab={name}")
