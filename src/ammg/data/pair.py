"""Original and masked records side by side: what every measure looks at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import STRUCTURAL, Kind, Role
from ammg.data.dictionary import joined
from ammg.data.microdata import Microdata
from ammg.data.published import Published, Recoding, ValueSets
from ammg.errors import InputError, NotDefined
from ammg.kernels.scaling import exponents, only_extreme, scaled, within_reach

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Made = TypeVar("Made")
Again = Callable[[Microdata, int], "Pair"]
"""Runs a published recipe on another table with another secret."""


class Pair:
    """Two files and the link between them; the link is the truth that attacks are judged by, never a hint to them."""

    def __init__(
        self,
        original: Microdata,
        masked: Microdata,
        link: NDArray[np.int64] | None,
        published: tuple[Published, ...] = (),
        *,
        again: Again | None = None,
    ) -> None:
        """`link[i]` is the position in `original` that masked record i stands for, -1 for a simulated one.

        `again(table, secret)` runs the recipe that made the masked file on another table, as anybody can who has read
        the published description; it is None where no recipe is known.
        """
        self.original = original
        self.masked = _with_dates_as_in(original, _with_kinds_as_in(original, masked))
        self._link = None if link is None else _checked(np.asarray(link), len(original), len(masked))
        self.published = published
        self.again = again
        self._made: dict[Hashable, Any] = {}

    def __repr__(self) -> str:
        linked = "linked" if self.is_linked else "no link"
        return f"Pair({self.n:,} original records, {self.t:,} masked; {linked})"

    @classmethod
    def identity(cls, data: Microdata) -> Pair:
        """The file beside itself: what releasing it unmasked would mean."""
        return cls(data, data, np.arange(len(data)))

    @property
    def link(self) -> NDArray[np.int64]:
        """Positions of the originals, -1 for simulated records."""
        if self._link is None:
            raise NotDefined("no link between masked and original records")
        return self._link

    @property
    def is_linked(self) -> bool:
        """Whether it is known which original each masked record stands for."""
        return self._link is not None

    @property
    def n(self) -> int:
        """Records before masking."""
        return len(self.original)

    @property
    def t(self) -> int:
        """Records after masking."""
        return len(self.masked)

    @cached_property
    def is_in_order(self) -> bool:
        """Whether every original is released, in the same order."""
        return self.t == self.n and bool((self.link == np.arange(self.n)).all())

    @cached_property
    def r(self) -> int:
        """Masked records that stand for a real one."""
        return int(np.count_nonzero(self.link >= 0))

    @property
    def sampling_factor(self) -> float:
        """Sampling factor sf = r/n (Truta et al. 2003, 3.9)."""
        return self.r / self.n if self.n else 0.0

    @property
    def simulated_factor(self) -> float:
        """Simulated factor fs = (t-r)/t (Truta et al. 2003, 3.8)."""
        return (self.t - self.r) / self.t if self.t else 0.0

    def unmasked(self) -> Pair:
        """The original beside itself: what releasing it as it is would mean."""
        return self if self.is_identity else Pair.identity(self.original)

    @property
    def is_identity(self) -> bool:
        """Whether the original stands beside itself, record by record: all measurements are those of the original."""
        if self.masked is not self.original or self.published or self._link is None:
            return False
        return bool(np.array_equal(self._link, np.arange(self.n)))

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What several measures need is made once and lives as long as the pair."""
        if what not in self._made:
            self._made[what] = make()
        made: Made = self._made[what]
        return made

    def analysed(self) -> list[str]:
        """The original's attributes that an analyst uses: all but identifiers and design columns."""
        return [a.name for a in self.original.schema if a.role not in STRUCTURAL | {Role.IDENTIFIER}]

    def numeric(self, names: Iterable[str] | None = None) -> list[str]:
        """Those of the named (or analysed) attributes that were numbers before masking."""
        return [name for name in (names or self.analysed()) if self.original.schema[name].is_numeric]

    def originals(self, names: Iterable[str]) -> Numbers:
        """n × m numbers of the original file; columns whose squares are not finite are divided by a power of two."""
        names = list(names)
        values = self.original.block(names).matrix(names)
        return scaled(values, by) if (by := self._exponents(names)).any() else values

    def released(self, names: Iterable[str]) -> Numbers:
        """t × m numbers of the masked file; NaN for columns that were dropped or have no numbers left."""
        names = list(names)
        out = np.full((self.t, len(names)), np.nan, order="F")
        for position, name in enumerate(names):
            if name in self.masked.schema:
                out[:, position] = self._released_numbers(name)
        by = self._exponents(names)
        return within_reach(scaled(out, by) if by.any() else out, self._greatest(names) - by)

    def in_unit(self, name: str, size: float) -> float:
        """A size in the unit in which `originals` and `released` give a column: its own but for extreme columns."""
        by = self._exponents([name])
        return float(within_reach(scaled(np.array([size]), by), np.zeros(1, dtype=np.int32))[0]) if by.any() else size

    def _exponents(self, names: list[str]) -> NDArray[np.int32]:
        """Exponents of the units of columns; measures see all columns in units in which they can compute."""
        return only_extreme(self._greatest(names))

    def _greatest(self, names: list[str]) -> NDArray[np.int32]:
        """The exponent of the greatest original number of each column.

        Raises:
            NotDefined: a value is infinite.
        """
        found = [self.once(("exponent", name), partial(self._exponent, name)) for name in names]
        return np.array(found, dtype=np.int32)

    def _exponent(self, name: str) -> int:
        values = self.original.block([name]).numbers(name)
        shown = self._released_numbers(name) if name in self.masked.schema else values[:0]
        for side, numbers in (("original", values), ("masked", shown)):
            if np.isinf(numbers).any():
                raise NotDefined(
                    f"'{name}' has an infinite value in the {side} file: set it to missing, or top code it"
                )
        return int(exponents(values))

    def aligned(self, names: Iterable[str]) -> tuple[Numbers, Numbers]:
        """n × m originals and what the release shows for them; NaN where a value or a record is gone."""
        names = list(names)
        released = self.released(names)
        if self.is_in_order:
            return self.originals(names), released
        out = np.full((self.n, len(names)), np.nan, order="F")
        real = self.link >= 0
        out[self.link[real]] = released[real]
        return self.originals(names), out

    def common_codes(self, name: str, held: Numbers | None = None) -> tuple[Codes, Codes, tuple[Any, ...]]:
        """Codes of the original (n) and the masked column (t) in one dictionary; -1 for missing.

        The original is recoded as the release was: whoever knows a value can do the same. `held` are the numbers that
        an intruder holds in place of the original ones.
        """
        if held is not None:
            return self._common_codes(name, held)
        return self.once(("common codes", name), lambda: self._common_codes(name, None))

    def common_numbers(self, name: str) -> tuple[Numbers, Numbers] | None:
        """The original (n) and the masked column (t) as numbers on the recoded scale; None where one has none.

        A number that was recoded locally is the middle of what its category stands for.
        """
        is_number = [data.schema[name].is_numeric for data in (self.original, self.masked)]
        in_sets = self.value_sets(name) is not None and not self.recodings(name)
        if not is_number[0] or not (is_number[1] or (in_sets and self.masked.schema[name].scores is not None)):
            return None
        released = self.released([name])[:, 0]
        if not self.recodings(name):
            return self.originals([name])[:, 0], released
        codes, categories = self.recoded(name)
        try:
            return np.array([*categories, np.nan], dtype=np.float64)[codes], released
        except ValueError:
            return None

    def recodings(self, name: str) -> tuple[Recoding, ...]:
        """The published recodings of a column that hold for all records, in order."""
        return tuple(
            fact
            for fact in self.published
            if isinstance(fact, Recoding)
            and name in fact.columns
            and (fact.among is None or isinstance(fact.among, str))
        )

    def without_simulated(self) -> Pair:
        """The same files for an intruder who recognises every record that stands for nobody."""

        def make() -> Pair:
            real = np.flatnonzero(self.link >= 0)
            people = Microdata(self.masked.table[real], self.masked.schema)
            return Pair(self.original, people, self.link[real], self.published, again=self.again)

        return self.once("without simulated", make)

    def value_sets(self, name: str) -> ValueSets | None:
        """What the released categories of a locally recoded column stand for; None for other columns."""
        told: ValueSets | None = None
        for fact in self.published:
            if name in fact.columns and isinstance(fact, ValueSets):
                told = fact
            elif name in fact.columns and isinstance(fact, Recoding) and told is not None:
                told = told.recoded(fact)
        return told

    def undescribed(self) -> Pair:
        """The same files for an intruder who ignores what was published."""
        return self.once("undescribed", lambda: Pair(self.original, self.masked, self._link))

    def _common_codes(self, name: str, held: Numbers | None) -> tuple[Codes, Codes, tuple[Any, ...]]:
        before, categories = self.recoded(name, held)
        if name not in self.masked.schema:
            return before, np.full(self.t, -1, dtype=np.int32), categories
        after, others = self.codes(name, masked=True)
        sides = self.original.schema[name], self.masked.schema[name]
        if all(side.is_numeric for side in sides) and not self.recodings(name):
            return _in_one_dictionary(before, categories, after, others)
        if sides[0].kind is Kind.DATE and not self.recodings(name) and held is None:
            categories = _days(self.original, name)
        if sides[1].kind is Kind.DATE and not sides[0].is_numeric:
            others = _days(self.masked, name)
        both, places = joined(categories, others)
        return before, np.append(places, np.int32(-1))[after], both

    def recoded(self, name: str, held: Numbers | None = None) -> tuple[Codes, tuple[Any, ...]]:
        """Codes and dictionary of the original column after the published recodings, which an intruder can repeat."""
        codes, categories = self.codes(name, masked=False) if held is None else _numbered(held)
        for recoding in self.recodings(name):
            table, categories = recoding.table(categories)
            codes = table[codes]
        return codes, categories

    def codes(self, name: str, *, masked: bool) -> tuple[Codes, tuple[Any, ...]]:
        """A column of either file as codes; each distinct number is a category of its own."""
        data = self.masked if masked else self.original
        block = data.block([name])
        if data.schema[name].is_categorical:
            return block[name], block.schema[name].categories or ()  # type: ignore[return-value]
        return _numbered(block.numbers(name))

    def held_by(self, names: Sequence[str], people: NDArray[np.int64], measured: Mapping[str, Numbers]) -> Microdata:
        """An intruder's own file: some columns of some people in an order of its own, with numbers as measured."""
        table = self.original.table.select(names)[people]
        schema = self.original.schema.select(names)
        schema = schema.replace(*(a.replace(linked_to=None) for a in schema if a.linked_to not in (None, *names)))
        if measured:
            table = table.with_columns(pl.Series(name, values, nan_to_null=True) for name, values in measured.items())
            schema = schema.replace(*(schema[name].replace(kind=Kind.CONTINUOUS) for name in measured))
        return Microdata(table, schema)

    def meeting(self, condition: Any, *, masked: bool) -> NDArray[np.bool_]:
        """Which records of either file meet a condition over their columns."""
        table = (self.masked if masked else self.original).table
        return table.select(condition.fill_null(False)).to_series().to_numpy().astype(bool)

    def weights(self, *, masked: bool) -> Numbers | None:
        """The sampling weights of either file, or None."""
        data = self.masked if masked else self.original
        return data.block([name]).numbers(name) if (name := data.schema.weight) else None

    def _released_numbers(self, name: str) -> Numbers:
        block = self.masked.block([name])
        attribute = block.schema[name]
        if attribute.is_numeric:
            return block.numbers(name)
        if attribute.scores is not None:
            return np.array([*attribute.scores, np.nan])[block[name]]
        return np.full(len(block), np.nan)


def _with_kinds_as_in(original: Microdata, masked: Microdata) -> Microdata:
    """The masked file with columns of which nothing is left as the original's kind: nulls alone do not tell it."""
    if original.streamed is not None or masked.streamed is not None:
        return masked
    empty = [name for name, dtype in masked.table.schema.items() if dtype == pl.Null and name in original.schema]
    if not empty:
        return masked
    table = masked.table.cast({name: original.table.schema[name] for name in empty})
    kinds = (masked.schema[name].replace(kind=original.schema[name].kind) for name in empty)
    return Microdata(table, masked.schema.replace(*kinds))


def _with_dates_as_in(original: Microdata, masked: Microdata) -> Microdata:
    """The masked file with days and times in the original's unit, which their numbers are counted in."""
    if original.streamed is not None or masked.streamed is not None:
        return masked
    before, after = original.table.schema, masked.table.schema
    times = (pl.Date, pl.Datetime)
    other = [name for name in after if name in before and before[name] != after[name]]
    cast = {name: before[name] for name in other if before[name] in times and after[name] in times}
    return Microdata(masked.table.cast(cast), masked.schema) if cast else masked  # type: ignore[arg-type]


def _numbered(values: Numbers) -> tuple[Codes, tuple[Any, ...]]:
    from ammg.kernels.factorize import factorize

    codes, distinct = factorize(values)
    return codes, tuple(distinct.tolist())


def _days(data: Microdata, name: str) -> tuple[Any, ...]:
    """The distinct dates of a column in the order of their numbers, as dates."""
    return tuple(data.table[name].drop_nulls().unique().sort().to_list())


def _in_one_dictionary(
    before: Codes, categories: tuple[Any, ...], after: Codes, others: tuple[Any, ...]
) -> tuple[Codes, Codes, tuple[Any, ...]]:
    """Codes of two columns of numbers, which may have as many distinct values as records."""
    both, position = np.unique(np.array([*categories, *others], dtype=np.float64), return_inverse=True)
    first, second = (np.append(part, -1).astype(np.int32) for part in np.split(position, [len(categories)]))
    return first[before], second[after], tuple(both.tolist())


def _checked(link: NDArray[np.int64], originals: int, masked: int) -> NDArray[np.int64]:
    if link.shape != (masked,) or (masked and link.dtype.kind not in "iu"):
        raise InputError(
            f"A link has a whole number for each of the {masked:,} masked records: make it so, or give None."
        )
    if masked and (link.min() < -1 or link.max() >= originals):
        raise InputError(f"A link leads to positions from 0 to {originals - 1:,}, or is -1 for a simulated record.")
    return link
