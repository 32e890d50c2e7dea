"""One control per kind of parameter: what stands in it, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from nicegui import ui

from ammg.errors import InputError
from ammg.io.yaml_text import parse_yaml
from ammg.projects.editing.form_fields import FormField

ABSENT = object()
"""The parameter has its default."""
Changed = Callable[[], None]


class Control:
    """A field on a page; `element` is what people type into."""

    wrong: str | None = None
    """Why what stands in it cannot even be read."""

    def __init__(self, field: FormField, element: Any) -> None:
        self.field, self.element = field, element
        element.without_auto_validation()  # the form says what is wrong; NiceGUI would take it back
        element.props["hint"] = _hint(field)
        element.props("outlined dense hide-bottom-space").classes("w-full ammg-field")

    def read(self) -> Any:
        """The parameter, or ABSENT; what cannot be read comes back as text, for the unit to refuse."""
        raise NotImplementedError

    def tell(self, message: str | None) -> None:
        """Show what is wrong, or that nothing is."""
        self.element.error = message


def control(field: FormField, given: Any, changed: Changed) -> Control:
    """The control for a field with what stands in it; `given` may be ABSENT."""
    kinds: dict[str, type[Control]] = {
        "number": NumberControl,
        "integer": NumberControl,
        "switch": SwitchControl,
        "choice": ChoiceControl,
        "text": TextControl,
        "column": ColumnControl,
        "columns": ColumnsControl,
        "numbers": NumbersControl,
        "texts": TextsControl,
        "document": DocumentControl,
    }
    made: Any = kinds[field.widget]
    found: Control = made(field, field.default if given is ABSENT else given, changed)
    return found


def label_of(field: FormField) -> str:
    """The name as a label: single letters of a formula stay as they are."""
    words = field.label if len(field.label) < 3 else field.label.capitalize()
    return f"{words} *" if field.is_required else words


def number_of(text: str) -> Any:
    """A text as the number that it writes; as it is where it writes none."""
    written = text.strip()
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written


class TextControl(Control):
    """A line of text."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        super().__init__(field, ui.input(label_of(field), value=self.written(value), on_change=changed))

    def written(self, value: Any) -> str:
        """A parameter as the text that stands in the field."""
        return "" if value is None else str(value)

    def read(self) -> Any:
        """The text without blanks around it."""
        text = (self.element.value or "").strip()
        return text or ABSENT


class NumberControl(TextControl):
    """A number, typed as text so that nothing is corrected behind one's back."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        super().__init__(field, value, changed)
        self.element.props(f"inputmode={'numeric' if field.widget == 'integer' else 'decimal'} autocomplete=off")

    def written(self, value: Any) -> str:
        """With all its digits, and no more."""
        return "" if value is None else f"{value:.15g}" if isinstance(value, float) else str(value)

    def read(self) -> Any:
        """The number; what is none stays text."""
        found = super().read()
        return found if found is ABSENT else number_of(found)


class NumbersControl(TextControl):
    """Numbers with commas between them."""

    def written(self, value: Any) -> str:
        """With commas between them."""
        return ", ".join(f"{one:.15g}" if isinstance(one, float) else str(one) for one in value or ())

    def read(self) -> Any:
        """Every part between commas."""
        found = super().read()
        return found if found is ABSENT else [number_of(one) for one in found.split(",") if one.strip()]


class TextsControl(Control):
    """One text per line."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        text = "\n".join(map(str, value or ()))
        super().__init__(field, ui.textarea(f"{label_of(field)}, one per line", value=text, on_change=changed))
        self.element.props("autogrow")

    def read(self) -> Any:
        """Every line that is not empty."""
        return [line.strip() for line in (self.element.value or "").splitlines() if line.strip()] or ABSENT


class DocumentControl(Control):
    """Anything else, written as in a project file."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        super().__init__(field, ui.textarea(label_of(field), value=_document(value), on_change=changed))
        self.element.props('autogrow input-class="ammg-code" spellcheck=false')

    def read(self) -> Any:
        """The value that the text writes."""
        self.wrong = None
        text = (self.element.value or "").strip()
        if not text:
            return ABSENT
        if not text.startswith(("{", "[", "-")) and "\n" not in text:
            found = number_of(text)
            return {"true": True, "false": False}.get(text, found)
        try:
            return parse_yaml(text)
        except InputError as error:
            self.wrong = f"Cannot be read: {error}"
            return ABSENT

    def tell(self, message: str | None) -> None:
        """Show that it cannot be read, or what is wrong with what it says."""
        super().tell(self.wrong or message)


class SwitchControl(Control):
    """Yes or no."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        self.field = field
        with ui.column().classes("w-full gap-0"):
            self.element = ui.switch(label_of(field), value=value is True, on_change=changed)
            ui.label(_hint(field)).classes("ammg-hint")
            self._message = ui.label().classes("ammg-bad ammg-hint").props('role="alert"')

    def read(self) -> Any:
        """Whether it is on."""
        return bool(self.element.value)

    def tell(self, message: str | None) -> None:
        """Below the switch, which has no place of its own for it."""
        self._message.text = message or ""


class ChoiceControl(Control):
    """One of some words."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        options = list(field.choices) if value is None or value in field.choices else [*field.choices, value]
        words = {option: str(option).replace("_", " ") for option in options}
        is_optional = field.default is None and not field.is_required
        super().__init__(
            field, ui.select(words, label=label_of(field), value=value, clearable=is_optional, on_change=changed)
        )

    def read(self) -> Any:
        """The word."""
        return ABSENT if self.element.value is None else self.element.value


class ColumnControl(Control):
    """One column of those that fit."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        options = _columns(field, () if value is None else (value,))
        chosen = ui.select(
            options, label=label_of(field), value=value, clearable=True, with_input=True, on_change=changed
        )
        super().__init__(field, chosen)

    def read(self) -> Any:
        """The name of the column."""
        return self.element.value or ABSENT


class ColumnsControl(Control):
    """Some columns of those that fit."""

    def __init__(self, field: FormField, value: Any, changed: Changed) -> None:
        given = [value] if isinstance(value, str) else [str(name) for name in value or ()]
        chosen = ui.select(
            _columns(field, given),
            label=label_of(field),
            value=given,
            multiple=True,
            with_input=True,
            clearable=True,
            on_change=changed,
        )
        super().__init__(field, chosen)
        self.element.props("use-chips")

    def read(self) -> Any:
        """The names of the columns."""
        return list(self.element.value or ()) or ABSENT


def _columns(field: FormField, given: tuple[str, ...] | list[str]) -> list[str]:
    """Columns to choose from; what was given and does not fit stays, so that the unit can say why."""
    return [*field.columns, *(name for name in given if name not in field.columns)]


def _hint(field: FormField) -> str:
    default = "" if field.default in (None, "", [], {}) or field.widget == "switch" else f"default {_short(field)}"
    told = "; ".join(filter(None, [field.bounds, default]))
    return f"{field.help} ({told})" if told else field.help


def _short(field: FormField) -> str:
    value = field.default
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _document(value: Any) -> str:
    if value in (None, [], {}):
        return ""
    if isinstance(value, str | int | float):
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6).strip()
