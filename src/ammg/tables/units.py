"""Rules and protections by name, as a project file writes them."""

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
    """Base of the rules that say which cells tell too much about somebody."""

    known: ClassVar[dict[str, type[SensitivityRule]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make a rule known by its name."""
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
        """Why a cell fails, in words that name nobody."""


class TableProtection(Parameters):
    """Base of what makes a table safe to show."""

    known: ClassVar[dict[str, type[TableProtection]]] = {}
    keyed: ClassVar[bool] = False
    """Whether it protects only if all tables of a file are made with the same secret."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Make a protection known by its name."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.known[snake(cls.__name__)] = cls

    @property
    def name(self) -> str:
        """The name in project files."""
        return snake(type(self).__name__)

    @abstractmethod
    def protect(self, table: Table, secret: Given = None) -> Table:
        """The table as it may be shown, with the bounds that its description tells of the true figures."""


def rule_of(entry: Any) -> SensitivityRule:
    """A rule from its name, or from its name with parameters: `{threshold: {least: 5}}`."""
    return entry if isinstance(entry, SensitivityRule) else _unit(entry, SensitivityRule.known)


def protection_of(entry: Any) -> TableProtection:
    """A protection from its name, or from its name with parameters: `{cell_keys: {variance: 3}}`."""
    return entry if isinstance(entry, TableProtection) else _unit(entry, TableProtection.known)


def plain_unit(unit: SensitivityRule | TableProtection) -> str | dict[str, Any]:
    """A rule or protection as a project file writes it."""
    given = unit.model_dump(mode="json", exclude_unset=True)
    return {unit.name: given} if given else unit.name


def _unit(entry: Any, known: Mapping[str, type[Unit]]) -> Unit:
    if isinstance(entry, str):
        entry = {entry: {}}
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise InputError(f"{entry!r} is neither a name nor a name with its parameters.")
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
    """Bounds around shown figures; figures that cannot be negative are not, and readers know it."""
    lower = shown - reach
    return (np.maximum(lower, 0.0) if least_figure(table) == 0.0 else lower), shown + reach


def least_figure(table: Table) -> float:
    """What everybody knows a figure to be at least: 0 unless some are negative."""
    return 0.0 if bool(np.all(table.values >= 0)) else -np.inf


def whole_reach(base: float, figure: Floats) -> float:
    """How far from a multiple of the base that is shown the truth may lie: whole numbers lie nearer than the base."""
    whole = bool(np.all(figure == np.floor(figure))) and float(base).is_integer()
    return base - 1 if whole else base
