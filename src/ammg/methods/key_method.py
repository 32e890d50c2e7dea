"""What methods share that protect combinations of keys."""

from __future__ import annotations

from typing import ClassVar

from ammg.data.attribute import Kind, Level, Role
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.method import Method
from ammg.params import param


class KeyMethod(Method):
    """Base of methods that treat the keys together and plan from counts of their combinations."""

    accepts: ClassVar[Kind] = Kind.CODED
    joint: ClassVar[bool] = True

    columns: tuple[str, ...] | None = param(None, "Keys to protect; by default all keys of persons.")

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns named, else all keys of persons, else those of households."""
        if self.columns is not None:
            return super().chosen(schema)
        keys = [a for a in schema if a.role is Role.KEY and a.kind & self.accepts]
        if not keys:
            raise InputError(f"No attribute is a key, which {self.name} needs: name its columns.")
        persons = [a.name for a in keys if a.level is Level.PERSON]
        return tuple(persons or [a.name for a in keys])
