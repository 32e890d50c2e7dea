"""Original and masked records side by side: the input of every measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import STRUCTURAL, Kind, Role
from ammg.data.columns.store import Kept, numbered
from ammg.data.dictionary import joined
from ammg.data.microdata import Microdata
from ammg.data.pairs.columns import (
    checked_link,
    days_of,
    in_one_dictionary,
    leads_in_order,
    with_dates_as_in,
    with_kinds_as_in,
)
from ammg.data.published import Published, Recoding, ValueSets
from ammg.errors import NotDefined
from ammg.kernels.columns import Profile, extent, in_columns, profile
from ammg.kernels.scaling import exponents, only_extreme, reach, scaled, within_reach

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Made = TypeVar("Made")
Again = Callable[[Microdata, int], "Pair"]
"""Runs a published recipe on another table with another secret."""


class Pair:
    """Two files and the link between them; the link is the truth by which attacks are scored, never a hint to them."""

    is_at_hand = True
    """Whether both files are in memory, so that published facts can be checked against them."""

    is_random = True
    """Whether random numbers were drawn to make it; they count as drawn where nobody knows."""

    def __init__(
        self,
        original: Microdata,
        masked: Microdata,
        link: NDArray[np.int64] | None,
        published: tuple[Published, ...] = (),
        *,
        again: Again | None = None,
    ) -> None:
        """`link[i]` is the position in `original` of the record behind masked record i, -1 for a simulated one.

        `again(table, secret)` runs the recipe that made the masked file on another table, as any reader of the
        published description can; it is None if no recipe is known.
        """
        self.original = original
        self.masked = with_dates_as_in(original, with_kinds_as_in(original, masked))
        self._link = None if link is None else checked_link(np.asarray(link), len(original), len(masked))
        self.published = published
        self.again = again
        self._made = Kept(math.inf)
        self._coded = Kept()

    def __repr__(self) -> str:
        linked = "linked" if self.is_linked else "no link"
        return f"Pair({self.n:,} original records, {self.t:,} masked; {linked})"

    @classmethod
    def identity(cls, data: Microdata) -> Pair:
        """The file beside itself: as if it were released unmasked."""
        return cls(data, data, np.arange(len(data)))

    @property
    def link(self) -> NDArray[np.int64]:
        """Positions of the originals, -1 for simulated records."""
        if self._link is None:
            raise NotDefined("no link between masked and original records")
        return self._link

    @property
    def is_linked(self) -> bool:
        """Whether the original behind each masked record is known."""
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
        return self.t == self.n and leads_in_order(self.link)

    @cached_property
    def r(self) -> int:
        """Masked records that belong to a real person."""
        return self.t if self.is_in_order else int(np.count_nonzero(self.link >= 0))

    @cached_property
    def has_copies(self) -> bool:
        """Whether several masked records belong to one person."""
        return not self.is_in_order and len(np.unique(self.link[self.link >= 0])) < self.r

    @property
    def sampling_factor(self) -> float:
        """Sampling factor sf = r/n (Truta et al. 2003, 3.9)."""
        return self.r / self.n if self.n else 0.0

    @property
    def simulated_factor(self) -> float:
        """Simulated factor fs = (t-r)/t (Truta et al. 2003, 3.8)."""
        return (self.t - self.r) / self.t if self.t else 0.0

    def unmasked(self) -> Pair:
        """The original beside itself: as if it were released unmasked."""
        return self if self.is_identity else Pair.identity(self.original)

    @cached_property
    def is_identity(self) -> bool:
        """Whether the original stands beside itself, record by record, so that all measurements are of the original."""
        if self.published or self._link is None or not self.is_in_order:
            return False
        if self.masked is self.original:
            return True
        same = self.masked.schema == self.original.schema
        return bool(same and self.is_at_hand and self.masked.table.equals(self.original.table))

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Compute a result that several measures share once; it lives as long as the pair."""
        return self._made.once(what, make)

    def analysed(self) -> list[str]:
        """The original's attributes that an analyst uses: all but identifiers and design columns."""
        return [a.name for a in self.original.schema if a.role not in STRUCTURAL | {Role.IDENTIFIER}]

    def numeric(self, names: Iterable[str] | None = None) -> list[str]:
        """Those of the named (or analysed) attributes that were numbers before masking."""
        return [name for name in (names or self.analysed()) if self.original.schema[name].is_numeric]

    def originals(self, names: Iterable[str]) -> Numbers:
        """n × m numbers of the original file; columns whose squares are not finite are divided by a power of two."""
        return in_columns([self.original_column(name) for name in names], self.n)

    def released(self, names: Iterable[str]) -> Numbers:
        """t × m numbers of the masked file; NaN for columns that were dropped or are no longer numeric."""
        return in_columns([self.released_column(name) for name in names], self.t)

    def original_column(self, name: str) -> Numbers:
        """One column of `originals`: a view, read-only."""
        by = self._exponents([name])
        values = self.original.numbers(name)
        return scaled(values, by) if by.any() else values

    def released_column(self, name: str) -> Numbers:
        """One column of `released`: a view, read-only."""
        by, greatest = self._exponents([name]), self._greatest([name])
        if name not in self.masked.schema:
            return np.full(self.t, np.nan)
        values = self._released_numbers(name)
        if by.any():
            return within_reach(scaled(values, by), greatest - by)
        size = max(np.abs(self._released_extent(name)))
        return within_reach(values, greatest) if size > reach(greatest)[0] and np.isfinite(size) else values

    def original_profile(self, name: str) -> Profile:
        """Moments and extremes of `original_column`."""
        by = self._exponents([name])
        return profile(self.original_column(name)) if by.any() else self.original.profile(name)

    def released_profile(self, name: str) -> Profile:
        """Moments and extremes of `released_column`."""
        return self.once(("released profile", name), lambda: profile(self.released_column(name)))

    def in_unit(self, name: str, size: float) -> float:
        """Convert a size to the unit in which `originals` and `released` return a column; only extreme ones differ."""
        by = self._exponents([name])
        return float(within_reach(scaled(np.array([size]), by), np.zeros(1, dtype=np.int32))[0]) if by.any() else size

    def _exponents(self, names: list[str]) -> NDArray[np.int32]:
        """Exponents of the units of columns: measures get every column in a unit in which its squares are finite."""
        return only_extreme(self._greatest(names))

    def _greatest(self, names: list[str]) -> NDArray[np.int32]:
        """The exponent of the largest original number of each column.

        Raises:
            NotDefined: a value is infinite.
        """
        found = [self.once(("exponent", name), partial(self._exponent, name)) for name in names]
        return np.array(found, dtype=np.int32)

    def _exponent(self, name: str) -> int:
        before = self.original.extent(name)
        for side, ends in (("original", before), ("masked", self._released_extent(name))):
            if ends[0] <= ends[1] and np.isinf(ends).any():
                raise NotDefined(
                    f"'{name}' has an infinite value in the {side} file: set it to missing, or top code it"
                )
        return int(exponents(np.array(before if before[0] <= before[1] else (0.0,))))

    def _released_extent(self, name: str) -> tuple[float, float]:
        """The smallest and the largest number in the release; (inf, -inf) if there is none."""
        attribute = self.masked.schema.get(name)
        if attribute is None:
            return float("inf"), float("-inf")
        if attribute.is_numeric:
            return self.masked.extent(name)
        return self.once(("released extent", name), lambda: extent(self._released_numbers(name)))

    def aligned(self, names: Iterable[str]) -> tuple[Numbers, Numbers]:
        """n × m originals and the released values beside them; NaN where a value or record was removed."""
        names = list(names)
        return self.originals(names), in_columns([self.aligned_column(name) for name in names], self.n)

    def aligned_column(self, name: str) -> Numbers:
        """The released value of each original in one column, read-only."""
        released = self.released_column(name)
        if self.is_in_order:
            return released
        out = np.full(self.n, np.nan)
        real = self.link >= 0
        out[self.link[real]] = released[real]
        return out

    def shows_all(self, name: str) -> bool:
        """Whether the release shows a number for every original, in the same order."""
        shown = self.masked.schema.get(name)
        return self.is_in_order and shown is not None and shown.is_numeric and not self.masked.table[name].null_count()

    def common_codes(self, name: str, held: Numbers | None = None) -> tuple[Codes, Codes, tuple[Any, ...]]:
        """Codes of the original (n) and the masked column (t) in one dictionary; -1 for missing.

        The original is recoded as the release was, because anyone who knows a value can do the same. `held` are the
        numbers that an intruder holds in place of the original ones.
        """
        if held is not None:
            return self._common_codes(name, held)
        return self._coded.once(name, lambda: self._common_codes(name, None))

    def common_numbers(self, name: str) -> tuple[Numbers, Numbers] | None:
        """The original (n) and the masked column (t) as numbers on the recoded scale; None if either is not numeric.

        A locally recoded number is represented by the middle of its interval.
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
        """The published recodings of a column that hold for all records, in order.

        A recoding that the files contradict is left out, namely if more records agree with their own person without it.
        """
        told = tuple(
            fact
            for fact in self.published
            if isinstance(fact, Recoding)
            and name in fact.columns
            and (fact.among is None or isinstance(fact.among, str))
        )
        return self.once(("recodings", name), lambda: self._true(name, told)) if told and self.is_at_hand else told

    def _true(self, name: str, told: tuple[Recoding, ...]) -> tuple[Recoding, ...]:
        """All recodings except one (or all) without which clearly more records agree with their own person.

        Numbers with noise added later agree only by chance, which is no reason to doubt a recoding.
        """
        if not self.is_linked or name not in self.masked.schema:
            return told
        believed, most = told, self._agreeing(name, told)
        clearly = most + max(0.1 * self.r, 4.0 * np.sqrt(self.r))
        choices = [(), *(told[:place] + told[place + 1 :] for place in range(len(told)))] if clearly < self.r else []
        for some in choices:
            agreeing = self._agreeing(name, some)
            if agreeing > max(clearly, most):
                believed, most = some, agreeing
        return believed

    def _agreeing(self, name: str, recodings: tuple[Recoding, ...]) -> int:
        before, after, _ = self._codes_after(name, recodings, None)
        real = self.link >= 0
        shown = after[real]
        return int(np.count_nonzero((before[self.link[real]] == shown) | (shown < 0)))

    def without_simulated(self) -> Pair:
        """The same files for an intruder who recognises all simulated records and all copies."""

        def make() -> Pair:
            origins, first = np.unique(self.link, return_index=True)
            real = np.sort(first[origins >= 0])
            people = Microdata(self.masked.table[real], self.masked.schema)
            return Pair(self.original, people, self.link[real], self.published, again=self.again)

        return self.once("without simulated", make)

    def value_sets(self, name: str) -> ValueSets | None:
        """The sets of values behind the released categories of a locally recoded column; None for other columns."""
        told: ValueSets | None = None
        for fact in self.published:
            if name in fact.columns and isinstance(fact, ValueSets):
                told = fact
            elif name in fact.columns and isinstance(fact, Recoding) and told is not None:
                told = told.recoded(fact)
        return told

    def undescribed(self) -> Pair:
        """The same files for an intruder who ignores the published description."""
        return self.once("undescribed", lambda: Pair(self.original, self.masked, self._link))

    def _common_codes(self, name: str, held: Numbers | None) -> tuple[Codes, Codes, tuple[Any, ...]]:
        return self._codes_after(name, self.recodings(name), held)

    def _codes_after(
        self, name: str, recodings: tuple[Recoding, ...], held: Numbers | None
    ) -> tuple[Codes, Codes, tuple[Any, ...]]:
        before, categories = self._recoded_by(name, recodings, held)
        if name not in self.masked.schema:
            return before, np.full(self.t, -1, dtype=np.int32), categories
        after, others = self.codes(name, masked=True)
        sides = self.original.schema[name], self.masked.schema[name]
        if all(side.is_numeric for side in sides) and not recodings:
            return in_one_dictionary(before, categories, after, others)
        if sides[0].kind is Kind.DATE and not recodings and held is None:
            categories = days_of(self.original, name)
        if sides[1].kind is Kind.DATE and not sides[0].is_numeric:
            others = days_of(self.masked, name)
        both, places = joined(categories, others)
        return before, np.append(places, np.int32(-1))[after], both

    def recoded(self, name: str, held: Numbers | None = None) -> tuple[Codes, tuple[Any, ...]]:
        """Codes and dictionary of the original column after the published recodings, which an intruder can repeat."""
        return self._recoded_by(name, self.recodings(name), held)

    def _recoded_by(
        self, name: str, recodings: tuple[Recoding, ...], held: Numbers | None
    ) -> tuple[Codes, tuple[Any, ...]]:
        codes, categories = self.codes(name, masked=False) if held is None else numbered(held)
        for recoding in recodings:
            table, categories = recoding.table(categories)
            codes = table[codes]
        return codes, categories

    def codes(self, name: str, *, masked: bool) -> tuple[Codes, tuple[Any, ...]]:
        """A column of either file as codes; each distinct number is a category of its own."""
        return (self.masked if masked else self.original).codes(name)

    def held_by(self, names: Sequence[str], people: NDArray[np.int64], measured: Mapping[str, Numbers]) -> Microdata:
        """An intruder's own file: some columns of some people in an order of its own, with numbers as measured."""
        table = self.original.table.select(names)[people]
        schema = self.original.schema.select(names)
        schema = schema.replace(*(a.replace(linked_to=None) for a in schema if a.linked_to not in (None, *names)))
        if measured:
            table = table.with_columns(pl.Series(name, values, nan_to_null=True) for name, values in measured.items())
            schema = schema.replace(*(schema[name].replace(kind=Kind.CONTINUOUS) for name in measured))
        return Microdata(table, schema)

    def is_missing(self, name: str, *, masked: bool) -> NDArray[np.bool_]:
        """Which records of either file have no value in a column."""
        return (self.masked if masked else self.original).table[name].is_null().to_numpy()

    def meeting(self, condition: Any, *, masked: bool) -> NDArray[np.bool_]:
        """Which records of either file meet a condition over their columns."""
        table = (self.masked if masked else self.original).table
        return table.select(condition.fill_null(False)).to_series().to_numpy().astype(bool)

    def weights(self, *, masked: bool) -> Numbers | None:
        """The sampling weights of either file, or None."""
        data = self.masked if masked else self.original
        return data.numbers(name) if (name := data.schema.weight) else None

    def _released_numbers(self, name: str) -> Numbers:
        attribute = self.masked.schema[name]
        if attribute.is_numeric:
            return self.masked.numbers(name)
        if attribute.scores is not None:
            return np.array([*attribute.scores, np.nan])[self.masked.block([name])[name]]
        return np.full(self.t, np.nan)
