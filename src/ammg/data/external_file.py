"""The intruder's own file: a voter list or a register that attacks use in place of the original."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from ammg.data.attribute import Attribute
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.published import Published, RankWindow
from ammg.data.schema import Schema
from ammg.errors import InputError, NotDefined, did_you_mean
from ammg.params import Parameters

Positions = NDArray[np.int64]


class ExternalFile(Parameters):
    """Records that the intruder links to the release, and the identifier by which the owner scores the links.

    Its people are the candidates, whether they are in the data or not. Those in the data are recognised by an
    identifier that both files have; it serves for scoring only, the intruder does not use it.
    """

    match: str = Field(description="Identifier in both the data and the external file; attacks are scored by it.")
    path: str | None = Field(None, description="Path of the file, for projects.")
    data: Microdata | None = Field(None, exclude=True, description="The records, once they have been read.")

    def beside(self, pair: Pair) -> tuple[Pair, Positions]:
        """The pair with this file in place of the original, and the row of each original record here, -1 if none.

        Raises:
            InputError: the identifier is missing or not unique, or the columns of the two files cannot be compared.
            NotDefined: the files have no column in common except the identifier.
        """
        held = self._read()
        return pair.once((ExternalFile, held, self.match), lambda: self._beside(pair, held))

    def _beside(self, pair: Pair, held: Microdata) -> tuple[Pair, Positions]:
        rows = self._rows(pair.original, held)
        common = [name for name in pair.original.columns if name in held.columns and name != self.match]
        if not common:
            raise NotDefined("the external file and the data have no attribute in common")
        table = held.table.select(_as_in(pair.original.table.schema[name], held.table[name]) for name in common)
        schema = Schema(tuple(_described(pair.original, column) for column in table))
        link = np.where(pair.link >= 0, rows[pair.link] if len(rows) else -1, -1)
        scale = len(held) / max(pair.n, 1)
        published = tuple(_in_ranks_of(scale, fact) for fact in pair.published)
        return Pair(Microdata(table, schema), pair.masked, link, published, again=pair.again), rows

    def _read(self) -> Microdata:
        if self.data is None:
            raise InputError(
                f"The external file '{self.path}' has not been read yet: give its records as "
                "ExternalFile(data=ammg.read(path), match=…)."
            )
        return self.data

    def _rows(self, original: Microdata, held: Microdata) -> Positions:
        """The row of each original record in the external file, -1 for people who are not in it."""
        for data, where in ((original, "the data"), (held, "the external file")):
            if self.match not in data.columns:
                raise InputError(
                    f"Identifier '{self.match}' is not in {where}.{did_you_mean(self.match, data.columns)}"
                )
        before, after = original.table[self.match], held.table[self.match]
        common = pl.Float64 if before.dtype.is_numeric() and after.dtype.is_numeric() else pl.String
        before, after = before.cast(common), after.cast(common)
        for names, where in ((before, "the data"), (after, "the external file")):
            twice = names.drop_nulls()
            if (doubled := twice.filter(twice.is_duplicated())).len():
                raise InputError(
                    f"Identifier '{self.match}' has {doubled.unique().len():,} values more than once in {where}: "
                    "give each person a different value."
                )
        places = pl.DataFrame({"name": after, "row": np.arange(len(after))}).drop_nulls()
        found = pl.DataFrame({"name": before}).join(places, on="name", how="left", maintain_order="left")
        return found["row"].fill_null(-1).to_numpy().astype(np.int64)


def _as_in(dtype: pl.DataType, column: pl.Series) -> pl.Series:
    """The column in the type that it has in the data, so that equal values compare as equal."""
    wanted: pl.DataType | type[pl.DataType] = pl.String if isinstance(dtype, pl.Enum | pl.Categorical) else dtype
    cast = column.cast(wanted, strict=False)
    if lost := cast.null_count() - column.null_count():
        raise InputError(
            f"Column '{column.name}' of the external file has {lost:,} values that are not {wanted} as in the data: "
            "convert both columns to the same type."
        )
    return cast


def _described(original: Microdata, column: pl.Series) -> Attribute:
    """The attribute as the data describe it, followed by the categories that only the external file has."""
    attribute = original.schema[column.name].replace(linked_to=None)
    if not attribute.is_categorical:
        return attribute
    own = original.dictionary(column.name)
    further = [value for value in column.drop_nulls().unique().sort() if value not in set(own)]
    return attribute.replace(categories=(*own, *further), scores=None)


def _in_ranks_of(scale: float, fact: Published) -> Published:
    """Convert facts published in ranks of the data to ranks of the external file."""
    if not isinstance(fact, RankWindow):
        return fact
    return replace(fact, reach=tuple(int(np.ceil(reach * scale)) for reach in fact.reach))
