"""The file that leaves: no identifiers, no link, no original order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg import registry
from ammg.data.attribute import Role
from ammg.data.native import Native, to_pandas
from ammg.data.occurring import occurring
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError


@dataclass(frozen=True)
class Release:
    """Masked records in random order; households carry new numbers, so that the old ones link to nothing."""

    table: pl.DataFrame
    schema: Schema
    native: Native

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        schema: Schema,
        native: Native,
        draws: Draws,
        order: Literal["records", "households"] = "records",
    ) -> Release:
        """Drop identifiers, renumber households, permute records, forget what no record holds."""
        identifiers = [name for name in schema.with_role(Role.IDENTIFIER) if name in table.columns]
        linked = [a.name for a in schema if a.linked_to in identifiers and a.name in table.columns]
        table, schema = table.drop(identifiers, *linked), schema.drop([*identifiers, *linked])
        rng = draws.generator("order")
        permutation = rng.permutation(len(table))
        if (household := schema.household) is not None:
            numbers = _new_numbers(table[household], draws)
            table = table.with_columns(pl.Series(household, numbers))
            schema = schema.replace(schema[household].replace(value_labels={}, missing_codes=(), categories=None))
            if order == "households":
                permutation = permutation[np.argsort(numbers[permutation], kind="stable")]
        elif order == "households":
            raise InputError("Households cannot be kept together: no attribute has the role household.")
        return cls(*occurring(table[permutation], schema), native)

    def write(self, target: str | Path, **options: Any) -> None:
        """Write to a file whose ending names the format, or to a database; the target is whole or as it was before."""
        registry.format_for(str(target), **options).write(self.table, self.schema, str(target))

    def to_polars(self) -> pl.DataFrame:
        """The release as a polars frame."""
        return self.table

    def to_pandas(self) -> Any:
        """The release as a pandas frame."""
        return to_pandas(self.table)

    def to_native(self) -> Any:
        """The release as what the data came from: pandas, polars or pyarrow."""
        return self.native.from_polars(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"Release({self.table.height:,} records × {self.table.width} attributes)"


def _new_numbers(households: pl.Series, draws: Draws) -> NDArray[np.int64]:
    """Random numbers 1 … H in place of the household identifiers; a missing identifier is a household of its own."""
    dense = households.rank("dense").cast(pl.Int64).to_numpy(allow_copy=True)
    codes = np.nan_to_num(dense.astype(np.float64), nan=0.0).astype(np.int64)
    new = draws.generator("households").permutation(int(codes.max(initial=0)) + 1) + 1
    return np.asarray(new[codes], dtype=np.int64)
