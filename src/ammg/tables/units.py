"""Sensitivity rules and table protections by name, as in project files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from ammg.draws import Draws, Secret
from ammg.errors import InputError, did_you_mean
from ammg.params import Parameters, faults
from ammg.registry import snake
from ammg.tables.table import Table

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Given = Secret | bytes | str | int | None
Unit = TypeVar("Unit", bound=Parameters)


class SensitivityRule(Parameters):
    """Base of the rules that identify sensitive cells."""

    known: ClassVar[dict[str, type[SensitivityRule]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register the rule under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.known[snake(cls.__name__)] = cls

    @property
    def name(self) -> str:
        """The name in project files."""
        return snake(type(self).__name__)

    @abstractmethod
    def fails(self, table: Table) -> Booleans:
        """Which cells fail the rule, in the shape of the table."""

    @abstractmethod
    def why(self, table: Table, cell: tuple[int, ...]) -> str:
        """Why a cell fails, without naming a contributor."""


class TableProtection(Parameters):
    """Base of the methods that protect a table."""

    known: ClassVar[dict[str, type[TableProtection]]] = {}
    keyed: ClassVar[bool] = False
    """Whether all tables of a file must be made with the same secret for it to protect."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register the protection under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.known[snake(cls.__name__)] = cls

    @property
    def name(self) -> str:
        """The name in project files."""
        return snake(type(self).__name__)

    @abstractmethod
    def protect(self, table: Table, secret: Given = None) -> Table:
        """The protected table, with the published bounds of the true figures."""


def rule_of(entry: Any) -> SensitivityRule:
    """A rule from its name, or from its name with parameters: `{threshold: {least: 5}}`."""
    return entry if isinstance(entry, SensitivityRule) else _unit(entry, SensitivityRule.known)


def protection_of(entry: Any) -> TableProtection:
    """A protection from its name, or from its name with parameters: `{cell_keys: {variance: 3}}`."""
    return entry if isinstance(entry, TableProtection) else _unit(entry, TableProtection.known)


def plain_unit(unit: SensitivityRule | TableProtection) -> str | dict[str, Any]:
    """A rule or protection as in project files."""
    given = unit.model_dump(mode="json", exclude_unset=True)
    return {unit.name: given} if given else unit.name


def _unit(entry: Any, known: Mapping[str, type[Unit]]) -> Unit:
    if isinstance(entry, str):
        entry = {entry: {}}
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise InputError(f"{entry!r} is neither a name nor a name with parameters.")
    ((name, parameters),) = entry.items()
    if name not in known:
        raise InputError(f"Unknown '{name}'.{did_you_mean(str(name), known)}")
    try:
        return known[name].model_validate(parameters or {})
    except ValidationError as error:
        where, message = faults(error)[0]
        raise InputError(f"'{where}' of {name}: {message}.") from None


def draws_of(secret: Given) -> Draws:
    """The random numbers of a protection."""
    return Draws(Secret.of(secret)).at("table")


def told_bounds(shown: Floats, reach: Floats | float, table: Table) -> tuple[Floats, Floats]:
    """Bounds around protected figures; readers know which figures cannot be negative."""
    lower = shown - reach
    return (np.maximum(lower, 0.0) if least_figure(table) == 0.0 else lower), shown + reach


def least_figure(table: Table) -> float:
    """The publicly known lower bound of a figure: 0 unless some are negative."""
    return 0.0 if bool(np.all(table.values >= 0)) else -np.inf


def whole_reach(base: float, figure: Floats) -> float:
    """How far the true figure may lie from the multiple shown; for whole numbers it is less than the base."""
    whole = bool(np.all(figure == np.floor(figure))) and float(base).is_integer()
    return base - 1 if whole else base
