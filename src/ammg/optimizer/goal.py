"""The goal of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import field_validator

from ammg import registry
from ammg.measures.measure import Measure
from ammg.optimizer.modes import ModeName, mode_of
from ammg.params import Parameters, param
from ammg.pipeline.limits import Limit
from ammg.pipeline.survive import Survive, survivors


class Goal(Parameters):
    """Who gets the file, which loss to minimise, what must survive, and what stays unchanged."""

    mode: ModeName | None = param(
        None, "Access mode whose limits apply in addition to those of the project: public, contract or laboratory."
    )
    minimise: str | Mapping[str, Any] | None = param(
        None, "The loss or score to minimise, a name or a name with parameters; by default the overall loss."
    )
    survive: tuple[Survive, ...] = param(
        (), "Statistics with tolerances, such as 'mean income by region within 2 %', checked like limits."
    )
    untouched: tuple[str, ...] = param((), "Columns that no step may mask.")

    @field_validator("survive", mode="before")
    @classmethod
    def _survive(cls, given: Any) -> tuple[Survive, ...]:
        return survivors(given)

    @field_validator("untouched", mode="before")
    @classmethod
    def _untouched(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @field_validator("minimise")
    @classmethod
    def _minimise(cls, given: str | Mapping[str, Any] | None) -> str | Mapping[str, Any] | None:
        if given is not None:
            _measure(given)
        return given

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits of the mode."""
        return tuple(entry.limit for entry in mode_of(self.mode).limits) if self.mode else ()

    @property
    def minimised(self) -> Measure | None:
        """What to minimise; None for the default."""
        return None if self.minimise is None else _measure(self.minimise)

    def to_plain(self) -> dict[str, Any]:
        """As a project file has it."""
        plain = self.model_dump(mode="json", exclude_unset=True, exclude={"survive"})
        return {**plain, **({"survive": [str(entry) for entry in self.survive]} if self.survive else {})}


def _measure(given: str | Mapping[str, Any]) -> Measure:
    if isinstance(given, str):
        measure: Measure = registry.find("measures", given)()
        return measure
    if len(given) != 1:
        raise ValueError(f"name one measure, with its parameters, not {given!r}")
    ((name, parameters),) = given.items()
    found: Measure = registry.find("measures", name).model_validate(parameters or {})
    return found
