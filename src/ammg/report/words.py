"""Numbers and names in words, as the report writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ammg import registry
from ammg.charts.axes import share
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement
from ammg.params import prose


def named(label: str) -> str:
    """A label without underscores, except inside the brackets of its parameters."""
    name, bracket, parameters = label.partition("(")
    return name.replace("_", " ") + (f" {bracket}{parameters}" if bracket else "")


def told(measure: Measure, value: float | None) -> str:
    """A value as a percentage, or a number of three digits."""
    if value is None:
        return "not defined"
    return share(value) if measure.percent else f"{value:.3g}"


def told_of(measure: Measure, measurement: Measurement | None) -> str:
    """The value of a measurement; nothing where it was not asked for."""
    return "" if measurement is None else told(measure, measurement.value)


def mid_sentence(text: str) -> str:
    """A sentence as a part of another one."""
    text = text.removesuffix(".")
    keeps = len(text) > 1 and (text[1].isupper() or not text[1].isalpha())
    return text if keeps else text[:1].lower() + text[1:]


def enumerated(words: Sequence[str], most: int = 6) -> str:
    """a, b and c; of a long list the first ones."""
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} more"
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int | float, one: str, many: str = "") -> str:
    """1 record, 2,000 records."""
    return f"{number:,.0f} {one if number == 1 else many or f'{one}s'}"


def plain(value: Any) -> str:
    """The value of a parameter or a fact as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {plain(part)}" for key, part in value.items())
    return "not known" if value is None else str(value)


def definition(unit: type[Any]) -> tuple[str, str, str]:
    """What menus say of a unit, the rest of its description, and its source."""
    text, _, source = prose(unit).partition("Source:")
    meaning = registry.meaning(unit)
    return meaning, " ".join(text.removeprefix(meaning).split()), " ".join(source.split())
