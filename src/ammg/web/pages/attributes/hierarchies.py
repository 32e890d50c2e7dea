"""Hierarchies by rule, with what each level would show while one types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui
from starlette.concurrency import run_in_threadpool

from ammg.data.hierarchy_rules import RULES
from ammg.errors import AmmgError
from ammg.projects.attributes.lines import with_entry
from ammg.projects.hierarchy_preview import HierarchyPreview, preview_hierarchy
from ammg.store.data_sets import value_counts
from ammg.web.pages.attributes.desk import Desk
from ammg.web.parts.states import empty, section

_SHOWN = 12


async def hierarchies(desk: Desk) -> None:
    """One attribute at a time: the rule, and the classes of each level with their records."""
    keys = desk.names("key") or desk.names("confidential", "other")
    if not keys:
        empty("There is nothing to recode", "Give some attributes the role key first.", "account_tree")
        return
    visit = desk.visit
    counts = await visit.ask(value_counts, visit.project_id, desk.source.id) if visit.is_owner else {}
    await HierarchyBuilder(desk, keys, counts).chosen()


class HierarchyBuilder:
    """Attribute, rule and numbers; what they make is shown while one types."""

    def __init__(self, desk: Desk, keys: list[str], counts: Mapping[str, list[tuple[Any, int]]]) -> None:
        self._desk, self._counts = desk, counts
        self._proposed = {one["name"]: one.get("hierarchy", "") for one in desk.analysis["attributes"]}
        with section(
            "How a key may be recoded",
            "Recoding goes up the levels of a hierarchy: from single values to wider and wider classes.",
        ):
            with ui.row().classes("w-full items-start gap-3"):
                self._which = ui.select(keys, value=keys[0], label="Attribute").props("outlined dense").classes("w-56")
                self._builder = ui.select(dict(RULES), label="Rule").props("outlined dense").classes("w-72")
                self._numbers = ui.input("Numbers").props("outlined dense debounce=250").classes("w-56")
                self._use = ui.button("Use it", icon="save", on_click=self._kept).props("unelevated no-caps")
                self._remove = ui.button("Remove it", on_click=self._removed).props("flat no-caps")
            self._message = ui.label().classes("ammg-bad").props('role="alert"')
            self._state = ui.label().classes("ammg-quiet")
            self._levels = ui.row().classes("w-full items-start gap-4")
        self._which.on_value_change(self.chosen)
        self._builder.on_value_change(self._preview)
        self._numbers.on_value_change(self._preview)

    @property
    def _asked(self) -> tuple[str, str]:
        rule = f"by {self._builder.value} {self._numbers.value or ''}".strip() if self._builder.value else ""
        return str(self._which.value), rule

    async def chosen(self) -> None:
        """Show the rule of the attribute: that of the project, else what the analysis proposes."""
        name = self._asked[0]
        tree = (self._desk.document.get("hierarchies") or {}).get(name)
        text = tree if isinstance(tree, str) else "" if tree is not None else self._proposed.get(name, "")
        rule = next((one for one in RULES if f"{text} ".startswith(f"by {one} ")), None)
        self._numbers.value = text.removeprefix(f"by {rule}").strip() if rule else ""
        self._builder.value = rule
        if tree is None:
            self._state.text = "No hierarchy yet; the rule is a proposal." if text else "No hierarchy yet."
        else:
            self._state.text = f"In the project: {tree if isinstance(tree, str) else 'levels value by value'}"
        self._remove.set_enabled(tree is not None)
        await self._preview()

    async def _preview(self) -> None:
        asked = self._asked
        self._message.text = ""
        self._use.set_enabled(bool(asked[1]))
        known = self._counts.get(asked[0], [])
        if not asked[1] or not known:
            self._levels.clear()
            with self._levels:
                if asked[1] and not self._desk.needs_rights():
                    ui.label("It has too many distinct values to show the classes here.").classes("ammg-quiet")
            return
        try:
            found = await run_in_threadpool(preview_hierarchy, asked[1], known)
        except AmmgError as error:
            self._levels.clear()
            self._message.text = str(error)
            self._use.set_enabled(False)
            return
        if asked == self._asked:  # somebody may have typed on meanwhile
            self._levels.clear()
            with self._levels:
                _show(found)

    async def _kept(self) -> None:
        await self._put(self._asked[1], "hierarchy of")

    async def _removed(self) -> None:
        await self._put(None, "no hierarchy of")

    async def _put(self, rule: str | None, words: str) -> None:
        name = self._asked[0]
        await self._desk.save(with_entry(self._desk.document, "hierarchies", name, rule), f"{words} {name}"[:400])
        await self.chosen()


def _show(found: HierarchyPreview) -> None:
    for problem in found.problems[:3]:
        ui.label(problem).classes("ammg-bad w-full")
    for number, classes in enumerate(found.levels):
        with ui.column().classes("ammg-level gap-0"):
            title = "Values" if number == 0 else f"Level {number}"
            ui.label(f"{title}: {len(classes):,}").classes("font-medium")
            least = min(classes.values(), default=0)
            ui.label(f"fewest records {least:,}").classes("ammg-quiet")
            for words, count in list(classes.items())[:_SHOWN]:
                with ui.row().classes("w-full no-wrap justify-between gap-3"):
                    ui.label(words).classes("ammg-wrap")
                    ui.label(f"{count:,}").classes("ammg-number")
            if len(classes) > _SHOWN:
                ui.label(f"and {len(classes) - _SHOWN:,} more").classes("ammg-quiet")
