"""Data shuffling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, MultivariateMethod, Plan, StratifiedMethod
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.cells import CellCounts
from ammg.summaries.summary import Source


class DataShuffling(StratifiedMethod, MultivariateMethod):
    """Shuffle the values of each column so that rank correlations stay and no record keeps its own values.

    Keeps every column's values exactly, and all rank correlations among the shuffled columns and with `given` to within
    the tolerance (less closely in small files with many ties). Relations that are not monotone are lost. A record's new
    values depend on its old ones only through `given`. An intruder learns about a person what `given` predicts, and
    about the file all values of every column. Source: Muralidhar and Sarathy (2006), with corrections for ties and
    short files.
    """

    also_called: ClassVar[tuple[str, ...]] = ("Shuffle",)

    accepts: ClassVar[Kind] = Kind.ORDERED
    links: ClassVar[Links] = Links.MOVED

    given: tuple[str, ...] = param(
        (), "Columns that stay unchanged and whose rank correlations with the shuffled columns are kept."
    )
    tolerance: float = param(
        0.005, "Largest change of a rank correlation that is accepted without correction.", gt=0, le=1
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Alone, and given columns that stay."""
        return [cls(), cls(columns=("income", "visits"), given=("age", "region"))]

    @property
    def fewest(self) -> int:
        """A value alone in its stratum has nothing to change places with."""
        return 2

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The shuffled columns and those that stay."""
        names = self.chosen(schema)
        for name in self.given:
            if schema[name].name in names:
                raise InputError(f"'{name}' cannot be both shuffled and given: name it once.")
            if schema[name].kind & Kind.TEXT:
                raise InputError(f"'{name}' is free text, which has no rank correlation: leave it out of `given`.")
        return (*names, *self.given)

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Marginal distributions and rank correlations hold."""
        return Usage(
            "The distribution of each masked column, and rank correlations among them"
            + (f" and with {', '.join(self.given)}." if self.given else "."),
            "Spearman's rank correlations, and models of monotone relations.",
            "Do not look for relations that are not monotone or that hold only in a small subgroup: they are lost.",
            f"print(file.select(pl.col({listed(columns)}).rank()).drop_nulls().corr())  # Spearman",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are enough records; shuffling decides nothing else beforehand."""
        names = self.chosen(source.schema)
        width = len(names) + sum(_width(source, name) for name in self.given)
        if 1 < source.count() <= width and not self.within:
            raise InputError(
                f"Shuffling with {width} columns needs more than the {source.count()} records of this file."
            )
        return Plan(source.schema.select(names), published=(Published(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Shuffle within the stratum; missing values stay where they are."""
        from ammg.kernels.ranks.shuffle import shuffle_columns
        from ammg.kernels.threads import in_threads

        names = plan.schema.names
        given = _given(block, self.given, block.schema)
        records = block.matrix(names)
        if 0 < len(block) <= records.shape[1] + given.shape[1]:
            raise InputError(
                f"A stratum of {len(block)} records is too small to shuffle: name fewer columns in `within`."
            )
        sources = np.empty((0, len(names)), dtype=np.int64)
        if len(block):
            known = given if given.shape[1] else None
            sources = shuffle_columns(records, draws.generator("shuffle"), known, tolerance=self.tolerance).sources
        shuffled = in_threads(lambda j: block[names[j]][sources[:, j]], range(len(names)), sources.size)
        masked = dict(zip(names, shuffled, strict=True))
        moves = {name: np.ascontiguousarray(sources[:, j]) for j, name in enumerate(names)}
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)


def _width(source: Source, name: str) -> int:
    """How many columns `_given` makes of one."""
    if not source.schema[name].kind & Kind.NOMINAL:
        return 1
    return max(int(np.count_nonzero(source.fold(CellCounts((name,))).codes >= 0)) - 1, 0)


def _given(block: Block, names: tuple[str, ...], schema: Schema) -> NDArray[np.float64]:
    """Ordered columns as numbers, nominal ones as one indicator for each category but the last."""
    columns: list[NDArray[np.float64]] = []
    for name in names:
        if schema[name].kind & Kind.NOMINAL:
            codes = block[name]
            columns.extend((codes == code).astype(np.float64) for code in np.unique(codes[codes >= 0])[:-1])
        else:
            columns.append(block.numbers(name))
    return np.column_stack(columns) if columns else np.empty((len(block), 0))
