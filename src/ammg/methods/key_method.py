"""Shared base of methods that protect combinations of key variables."""

from __future__ import annotations

from typing import ClassVar

from ammg.data.attribute import Kind, Level, Role
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.params import param


class KeyMethod(Method):
    """Base of methods that treat the key variables together and plan from counts of their combinations."""

    accepts: ClassVar[Kind] = Kind.CODED
    joint: ClassVar[bool] = True
    perturbs: ClassVar[bool] = False

    columns: tuple[str, ...] | None = param(
        None,
        "Key variables to protect; by default all person-level keys, and records then have to agree on "
        "household-level keys as well.",
    )

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns named, else all person-level keys, else the household-level keys."""
        if self.columns is not None:
            return super().chosen(schema)
        keys = [a for a in schema if a.role is Role.KEY and a.kind & self.accepts]
        if not keys:
            raise InputError(f"{self.name} needs a key variable, and no attribute has the role key: name its columns.")
        persons = [a.name for a in keys if a.level is Level.PERSON]
        return tuple(persons or [a.name for a in keys])

    def beside(self, schema: Schema) -> tuple[str, ...]:
        """Household-level keys that the step leaves unchanged and that equivalence classes share."""
        return () if self.columns is not None else self._others(schema)

    def _others(self, schema: Schema) -> tuple[str, ...]:
        own = self.chosen(schema)
        if all(schema[name].level is Level.HOUSEHOLD for name in own):
            return ()
        keys = [a for a in schema if a.role is Role.KEY and a.level is Level.HOUSEHOLD and a.name not in own]
        return tuple(a.name for a in keys if a.kind & self.accepts)

    def not_counted(self, schema: Schema) -> tuple[str, ...]:
        """Note on household-level keys that equivalence classes need not share; empty if there are none."""
        others = [name for name in self._others(schema) if name not in self.needs(schema)]
        if not others:
            return ()
        said = (
            f"household-level keys ({', '.join(others)}) are not part of the equivalence classes: omit "
            "`columns` to include them"
        )
        return (said,)
