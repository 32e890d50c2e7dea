"""A form for the parameters of a unit, made from its JSON Schema and checked by the unit itself while one types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from ammg.data.schema import Schema
from ammg.projects.editing.form_fields import FormField, fields_of, problems_of
from ammg.projects.forms import Unit
from ammg.web.parts.forms.controls import ABSENT, Control, control
from ammg.web.parts.forms.mapping_rows import MappingControl


class UnitForm:
    """The fields of a method or a measure; built where it is called.

    Checking asks the unit, never the data, so that typing waits for nothing.
    """

    def __init__(
        self,
        family: str,
        unit: Unit,
        schema: Schema,
        given: Mapping[str, Any] | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        self._family, self._unit, self._schema = family, unit, schema
        self._given = dict(given or {})
        self._on_change = on_change
        self._controls: dict[str, Control] = {}
        self.problems: dict[str, str] = {}
        """What is wrong, in one sentence per parameter."""
        fields = fields_of(family, unit, schema)
        with ui.column().classes("w-full gap-3 ammg-form"):
            self._message = ui.label().classes("ammg-bad").props('role="alert"')
            self._place([field for field in fields if self._is_first(field)])
            rest = [field for field in fields if not self._is_first(field)]
            if rest:
                with (
                    ui.expansion("More settings").props("dense").classes("w-full ammg-more"),
                    ui.column().classes("w-full gap-3 q-pt-sm"),
                ):
                    self._place(rest)
            if not fields:
                ui.label("There is nothing to set.").classes("ammg-quiet")
        self._check()

    @property
    def parameters(self) -> dict[str, Any]:
        """What a project file has to say: parameters at their defaults are left out unless they were given before."""
        found = {name: one.read() for name, one in self._controls.items()}
        return {
            name: value
            for name, value in found.items()
            if value is not ABSENT and (name in self._given or value != self._controls[name].field.default)
        }

    def _is_first(self, field: FormField) -> bool:
        return field.is_main or field.name in self._given

    def _place(self, fields: list[FormField]) -> None:
        for field in fields:
            given = self._given.get(field.name, ABSENT)
            if field.widget == "mapping":
                self._controls[field.name] = MappingControl(field, given, self._changed)
            else:
                self._controls[field.name] = control(field, given, self._changed)

    def _changed(self) -> None:
        self._check()
        if self._on_change is not None:
            self._on_change()

    def _check(self) -> None:
        self.problems = problems_of(self._family, self._unit.name, self.parameters, self._schema)
        for name, one in self._controls.items():
            one.tell(self.problems.get(name))
            if one.wrong is not None:
                self.problems[name] = one.wrong
        elsewhere = [said for name, said in self.problems.items() if name not in self._controls]
        self._message.text = " ".join(elsewhere)
