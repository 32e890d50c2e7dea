"""Making the masked file: its name, the job, and the reason where limits are broken."""

from __future__ import annotations

from pathlib import PurePath

from nicegui import ui

from ammg.store.masked_files import list_masked_files
from ammg.store.values import Job
from ammg.store.work import list_jobs, start_evaluate, start_mask
from ammg.web.parts.job_progress import JobProgress
from ammg.web.parts.notices import tell, warn
from ammg.web.visit import Visit

_TITLES = {"mask": "Making the masked file", "evaluate": "Measuring risk and loss"}


class MaskingPanel:
    """A form for those who may start jobs; everybody sees the jobs that run."""

    def __init__(self, visit: Visit, *, expanded: bool) -> None:
        self._visit, self._expanded = visit, expanded

    async def show(self) -> None:
        """The form, and the jobs that are not over: a page that is loaded again finds them."""
        visit = self._visit
        jobs = await visit.ask(list_jobs, visit.project_id)
        running = [job for job in jobs if job.kind in _TITLES and not job.is_over]
        if visit.may_work and visit.version is not None:
            taken = {one.name for one in await visit.ask(list_masked_files, visit.project_id)}
            self._form(free_name(self._proposed(), taken))
        self._jobs = ui.column().classes("w-full")
        for job in running:
            self._follow(job)

    def _proposed(self) -> str:
        assert self._visit.version is not None
        source = self._visit.version.document.get("source", "")
        name = PurePath(str(source.get("path", "") if isinstance(source, dict) else source)).name or "data.csv"
        return f"{PurePath(name).stem}-masked{PurePath(name).suffix or '.csv'}"

    def _form(self, name: str) -> None:
        version = self._visit.project.version
        title = f"Make the masked file of version {version}"
        with ui.expansion(title, icon="play_circle", value=self._expanded).classes("w-full ammg-card-like"):
            with ui.row().classes("w-full items-start"):
                self._name = ui.input(
                    "Name of the masked file",
                    value=name,
                    validation={
                        "Give it a name; the ending determines the format.": lambda text: bool((text or "").strip())
                    },
                ).props("outlined dense hint='The ending determines the format: .csv, .sav, .dta, .parquet …'")
                self._name.classes("grow")
                ui.button("Make the masked file", on_click=self._mask).props("unelevated no-caps")
                ui.button("Only measure", on_click=self._measure).props("outline no-caps").tooltip(
                    "Measure risk and loss of this version without keeping a file"
                )
            self._force = (
                ui.textarea("Reason, if the file may be made although limits or release checks fail")
                .props("outlined dense autogrow rows=1")
                .classes("w-full q-mt-sm")
            )

    async def _mask(self) -> None:
        if not self._name.validate():
            return
        reason = (self._force.value or "").strip() or None
        version = self._visit.project.version
        project = self._visit.project_id
        self._follow(await self._visit.ask(start_mask, project, self._name.value.strip(), version, reason))

    async def _measure(self) -> None:
        project = self._visit.project_id
        self._follow(await self._visit.ask(start_evaluate, project, self._visit.project.version))

    def _follow(self, job: Job) -> None:
        with self._jobs, ui.card().classes("ammg-card"):
            JobProgress(self._visit, job, _TITLES[job.kind], self._ended)

    def _ended(self, job: Job) -> None:
        if job.state != "finished":
            return
        if job.kind == "mask" and job.result.get("masked_file_id") is None:
            broken = " ".join(job.result.get("broken", ()))
            warn(f"No file was kept, because limits are not met: {broken} Change the methods, or give a reason.")
            evaluation = f"/projects/{self._visit.project_id}/result?evaluation={job.result['evaluation_id']}"
            with self._jobs:
                ui.link("Show what was measured", evaluation)
            return
        tell("The result is ready.")
        ui.navigate.to(f"/projects/{self._visit.project_id}/result?evaluation={job.result['evaluation_id']}")


def free_name(name: str, taken: set[str]) -> str:
    """A name that no masked file has yet."""
    plain, number = PurePath(name), 2
    while name in taken:
        name, number = f"{plain.stem}-{number}{plain.suffix}", number + 1
    return name
