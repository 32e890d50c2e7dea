"""A table that a project asks for."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import field_validator, model_validator

from ammg.errors import InputError
from ammg.params import Parameters, param
from ammg.tables.rules import listed
from ammg.tables.units import TableProtection, plain_unit, protection_of, rule_of

Route = Literal["tables", "microdata"]


class TableRequest(Parameters):
    """What runs along its sides, what is counted or added up, which cells are sensitive, and how it is made safe."""

    rows: tuple[str, ...] = param(..., "Attributes whose categories are the rows.")
    columns: tuple[str, ...] = param((), "Attributes whose categories are the columns.")
    value: str | None = param(None, "Column to add up; by default records are counted.")
    weight: bool = param(True, "Use the sampling weight if there is one.")
    rules: tuple[Any, ...] = param(("threshold",), "Sensitivity rules, by name or with parameters.")
    p: float = param(
        10.0, "A sensitive figure counts as disclosed if it can be bounded to within this percentage.", gt=0, le=100
    )
    protect: Any = param(None, "How the table is made safe, by name or with parameters.")
    route: Route | None = param(
        None, "Tabulate and then protect (tables), or mask and then tabulate (microdata); by default as it can be."
    )
    target: str | None = param(None, "File to write: .csv, .tsv or .xlsx.")

    @field_validator("rows", "columns", mode="before")
    @classmethod
    def _names(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @field_validator("rules", mode="before")
    @classmethod
    def _rules(cls, given: Any) -> Any:
        return tuple(plain_unit(rule_of(entry)) for entry in listed(given))

    @field_validator("protect", mode="before")
    @classmethod
    def _protection(cls, given: Any) -> Any:
        return None if given is None else plain_unit(protection_of(given))

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        if self.route == "tables" and self.protect is None:
            raise InputError("A table made from the original needs protection: name a method in `protect`.")
        return self

    @property
    def protection(self) -> TableProtection | None:
        """How the table is made safe."""
        return None if self.protect is None else protection_of(self.protect)
