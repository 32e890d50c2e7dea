"""Finds units by name: everything in the unit packages, what plug-ins declare, what was defined by hand."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from ammg.errors import InputError, did_you_mean
from ammg.params import faults, with_parameters

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
    is_own = f"{package}.".startswith(f"{FAMILIES[family]}.")
    if getattr(unit, "__abstractmethods__", None) or (is_own and module != name):
        return
    others = tuple(map(snake, other_names(unit)))
    _refuse_taken(family, name, others)
    if unit.__dict__.get("__doc__"):
        unit.__doc__ = with_parameters(unit)
    _units[family][name] = unit
    _also_called[family].update(dict.fromkeys(others, name))


def other_names(unit: type[Any]) -> tuple[str, ...]:
    """The names that a unit is also called by, as class names; those of its bases are not its own."""
    return tuple(unit.__dict__.get("also_called", ()))


def _refuse_taken(family: str, name: str, others: tuple[str, ...]) -> None:
    if _also_called[family].get(name, name) != name:
        raise InputError(f"'{name}' is already an alias of {_also_called[family][name]}; choose another name.")
    for other in others:
        taken = _also_called[family].get(other, name) != name
        if taken or other in _units[family] or other in _modules(family):
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
    """The unit called `name`, as in project files or as a class (`MDAV`), or an error with the nearest name."""
    # One module is much faster to load than the whole family.
    if name not in _units[family] and name in _modules(family):
        import_module(_modules(family)[name])
    if name in _units[family]:
        return _units[family][name]
    known = units(family)
    own = next((o for n in (name, snake(name)) if (o := _also_called[family].get(n, n)) in known), None)
    if own is None:
        singular = family.removesuffix("s")
        raise InputError(f"Unknown {singular} '{name}'.{did_you_mean(name, [*known, *_also_called[family]])}")
    return known[own]


def known_as(family: str, name: str) -> str | None:
    """What the unit called `name` is called itself; None if there is no such unit."""
    try:
        return own_name(family, name)
    except InputError:
        return None


def own_name(family: str, name: str) -> str:
    """What the unit called `name` is called itself."""
    return snake(find(family, name).__name__)


def meaning(unit: type[Any]) -> str:
    """The first line of a unit's docstring, which is what users see."""
    return (unit.__doc__ or "").strip().splitlines()[0]


def find_class(class_name: str) -> type[Any] | None:
    """The method or measure whose class has this name, or is also called by it, for `ammg.RankSwapping`.

    Capitals are free: `MDAV` and `addNoise` are found like `Mdav` and `AddNoise`.
    """
    name = snake(class_name)
    families = ("methods", "measures")
    for family in families:
        if name in _modules(family):
            import_module(_modules(family)[name])
    if not any(name in _units[family] for family in families):  # it may be a plug-in's
        for family in families:
            _load(family)
    own = {family: _also_called[family].get(name, name) for family in families}
    found = [_units[family][own[family]] for family in families if own[family] in _units[family]]
    return next(iter(found), None)


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
def _modules(family: str) -> Mapping[str, str]:
    """The modules of a family by their last name: those of its package and of the rooms inside it."""
    package = import_module(FAMILIES[family])
    return {
        module.name.rpartition(".")[2]: module.name
        for module in _walk(package)
        if not module.ispkg and not module.name.rpartition(".")[2].startswith("_")
    }


def _walk(package: ModuleType) -> Iterator[pkgutil.ModuleInfo]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        yield module
        if module.ispkg and package.__name__ != FAMILIES["formats"]:  # its folders hold what formats need
            yield from _walk(import_module(module.name))


@cache
def _load(family: str) -> None:
    for _, module in sorted(_modules(family).items()):
        import_module(module)
    for entry in entry_points(group=f"ammg.{family}"):
        register(family, entry.load())
