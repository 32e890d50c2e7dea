"""Prepares masked records for release: no identifiers, new household numbers, a random sort key per record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.encoding import ID
from ammg.data.records import ORDER_KEY, Order
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.kernels.orders import lexical_order


@dataclass(frozen=True)
class Leaving:
    """Prepares frames of one release; the order depends on secret and ids alone, not on how many come at a time."""

    schema: Schema
    """The released attributes."""
    dropped: tuple[str, ...]
    draws: Draws
    order: Order

    @classmethod
    def of(cls, schema: Schema, draws: Draws, order: Order) -> Leaving:
        """Leave out identifiers and what is linked to them."""
        identifiers = schema.with_role(Role.IDENTIFIER)
        dropped = (*identifiers, *(attribute.name for attribute in schema if attribute.linked_to in identifiers))
        schema = schema.drop(dropped)
        if (household := schema.household) is not None:
            schema = schema.replace(schema[household].replace(value_labels={}, missing_codes=(), categories=None))
            if order == "households" and schema[household].pseudonymous:
                raise InputError(
                    f"Households cannot be kept together: '{household}' has pseudonyms, which would determine the "
                    "order. Release records in random order; pseudonyms still show who lives together."
                )
        elif order == "households":
            raise InputError("Households cannot be kept together: no attribute has the role household.")
        return cls(schema, dropped, draws, order)

    @property
    def renumbered(self) -> str | None:
        """The household identifier that gets new numbers.

        Pseudonyms are new already, and other tables may have them too: they stay.
        """
        household = self.schema.household
        return None if household is None or self.schema[household].pseudonymous else household

    def numbering(self, frames: Iterable[pl.DataFrame]) -> pl.DataFrame | None:
        """Random numbers 1 … H in place of the household identifiers; those without one are a household together.

        Households are numbered in the order of one keyed random number of their first record.
        """
        name = self.renumbered
        if name is None:
            return None
        parts = [frame.group_by(name).agg(pl.col(ID).min()) for frame in frames]
        homes = pl.concat(parts).group_by(name).agg(pl.col(ID).min()).sort(ID)
        numbers = np.empty(len(homes), dtype=np.int64)
        numbers[np.argsort(self.home_keys(homes[ID].to_numpy()), kind="stable")] = np.arange(1, len(homes) + 1)
        return pl.DataFrame({"household": homes[name], "number": numbers})

    def home_keys(self, first: NDArray[np.int64]) -> NDArray[np.float64]:
        """The number that decides a household's place, from the id of its first record."""
        return self.draws.uniform(first, "households")

    def prepare(self, frame: pl.DataFrame, numbering: pl.DataFrame | None) -> pl.DataFrame:
        """Records with ids, prepared for release, with their sort key."""
        uniform = self.draws.uniform(frame[ID].to_numpy(), "order")
        frame = frame.drop(self.dropped, strict=False).with_columns(pl.Series(ORDER_KEY, uniform, dtype=pl.Float64))
        household = self.schema.household
        if household is None or numbering is None:
            return frame
        renumbered = frame[household].replace_strict(numbering["household"], numbering["number"])
        return frame.with_columns(renumbered.alias(household))

    def sort(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Prepared records in the order of the release, without sort key, and separately their ids."""
        keys = [frame[ORDER_KEY].to_numpy(), frame[ID].to_numpy()]
        if self.order == "households" and self.schema.household is not None:
            keys.insert(0, frame[self.schema.household].to_numpy())
        order = lexical_order(keys, len(frame))[0]
        return frame.drop(ID, ORDER_KEY)[order], np.asarray(frame[ID].to_numpy()[order], dtype=np.int64)
