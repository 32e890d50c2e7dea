"""Finds units by name: everything in the unit packages, what plug-ins declare, what was defined by hand."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from pydantic import ValidationError

from ammg.errors import InputError, did_you_mean
from ammg.params import faults

FAMILIES = {"methods": "ammg.methods", "measures": "ammg.measures", "formats": "ammg.io"}

_units: dict[str, dict[str, type[Any]]] = {family: {} for family in FAMILIES}
_also_called: dict[str, dict[str, str]] = {family: {} for family in FAMILIES}
"""Other names that units are known by → their own names."""


def snake(class_name: str) -> str:
    """`RankSwapping` → `rank_swapping`; `KAnonymity` → `k_anonymity`; `IL1s` → `il1s`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", class_name).lower()


def register(family: str, unit: type[Any]) -> None:
    """Make a unit known under the snake-case form of its class name, and of the names in its `also_called`.

    Abstract classes are not units, and neither are bases that a unit's file of another name holds.

    Raises:
        InputError: one of the names belongs to another unit.
    """
    name = snake(unit.__name__)
    package, _, module = unit.__module__.rpartition(".")
    if getattr(unit, "__abstractmethods__", None) or (package == FAMILIES[family] and module != name):
        return
    others = tuple(map(snake, other_names(unit)))
    _refuse_taken(family, name, others)
    _units[family][name] = unit
    _also_called[family].update(dict.fromkeys(others, name))


def other_names(unit: type[Any]) -> tuple[str, ...]:
    """The names that a unit is also called by, as class names; those of its bases are not its own."""
    return tuple(unit.__dict__.get("also_called", ()))


def _refuse_taken(family: str, name: str, others: tuple[str, ...]) -> None:
    if _also_called[family].get(name, name) != name:
        raise InputError(f"'{name}' is what {_also_called[family][name]} is also called: name the unit otherwise.")
    for other in others:
        taken = _also_called[family].get(other, name) != name
        if taken or other in _units[family] or other in _module_names(family):
            raise InputError(f"{name} cannot also be called '{other}', which is another unit's name: leave it out.")


def forget(family: str, name: str) -> None:
    """Remove a unit and its other names, for plug-ins that are unloaded and for tests."""
    _units[family].pop(name, None)
    for other in [other for other, own in _also_called[family].items() if own == name]:
        del _also_called[family][other]


def units(family: str) -> Mapping[str, type[Any]]:
    """All units of a family by name, in alphabetical order."""
    _load(family)
    return dict(sorted(_units[family].items()))


def find(family: str, name: str) -> type[Any]:
    """The unit called `name`, or an error that suggests the nearest name."""
    # One module is much faster to load than the whole family.
    if name not in _units[family] and name in _module_names(family):
        import_module(f"{FAMILIES[family]}.{name}")
    if name in _units[family]:
        return _units[family][name]
    known = units(family)
    own = _also_called[family].get(name, name)
    if own not in known:
        singular = family.removesuffix("s")
        raise InputError(f"Unknown {singular} '{name}'.{did_you_mean(name, [*known, *_also_called[family]])}")
    return known[own]


def own_name(family: str, name: str) -> str:
    """What the unit called `name` is called itself."""
    return snake(find(family, name).__name__)


def find_class(class_name: str) -> type[Any] | None:
    """The method or measure whose class has this name, or is also called by it, for `ammg.RankSwapping`."""
    name = snake(class_name)
    families = ("methods", "measures")
    for family in families:
        if name in _module_names(family):
            import_module(f"{FAMILIES[family]}.{name}")
    if not any(name in _units[family] for family in families):  # it may be a plug-in's
        for family in families:
            _load(family)
    own = {family: _also_called[family].get(name, name) for family in families}
    found = [_units[family][own[family]] for family in families if own[family] in _units[family]]
    return next((unit for unit in found if class_name in (unit.__name__, *other_names(unit))), None)


def format_for(target: str, **options: Any) -> Any:
    """The file format that a name's ending (or a URL's scheme) stands for, with its options."""
    formats = units("formats")
    for unit in formats.values():
        if unit.claims(target):
            return _with_options(unit, options)
    endings = sorted(suffix for unit in formats.values() for suffix in unit.suffixes)
    raise InputError(f"No format for '{target}': its ending must be one of {', '.join(endings)}.")


def _with_options(unit: type[Any], options: Mapping[str, Any]) -> Any:
    for name in options:
        if name not in unit.model_fields:
            raise InputError(f"{unit.__name__} has no option '{name}'.{did_you_mean(name, unit.model_fields)}")
    try:
        return unit.model_validate(options)
    except ValidationError as error:
        where, message = faults(error)[0]
        raise InputError(f"Option '{where}' of {unit.__name__}: {message}.") from None


@cache
def _module_names(family: str) -> frozenset[str]:
    return frozenset(_iter_modules(family))


def _iter_modules(family: str) -> Iterator[str]:
    package = import_module(FAMILIES[family])
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            yield module.name


@cache
def _load(family: str) -> None:
    for name in sorted(_module_names(family)):
        import_module(f"{FAMILIES[family]}.{name}")
    for entry in entry_points(group=f"ammg.{family}"):
        register(family, entry.load())
