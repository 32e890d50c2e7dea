"""Original and masked records side by side: what every measure looks at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import STRUCTURAL, Role
from ammg.data.disclosure import Disclosure, Recoding
from ammg.data.microdata import Microdata
from ammg.errors import InputError, NotDefined

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]
Made = TypeVar("Made")


class Pair:
    """Two files and the link between them; the link is the truth that attacks are judged by, never a hint to them."""

    def __init__(
        self,
        original: Microdata,
        masked: Microdata,
        link: NDArray[np.int64] | None,
        disclosed: tuple[Disclosure, ...] = (),
    ) -> None:
        """`link[i]` is the position in `original` that masked record i stands for, -1 for a simulated one."""
        self.original = original
        self.masked = masked
        self._link = None if link is None else _checked(np.asarray(link), len(original), len(masked))
        self.disclosed = disclosed
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
        """n × m numbers of the original file."""
        names = list(names)
        return self.original.block(names).matrix(names)

    def released(self, names: Iterable[str]) -> Numbers:
        """t × m numbers of the masked file; NaN for columns that were dropped or have no numbers left."""
        names = list(names)
        out = np.full((self.t, len(names)), np.nan, order="F")
        for position, name in enumerate(names):
            if name in self.masked.schema:
                out[:, position] = self._released_numbers(name)
        return out

    def aligned(self, names: Iterable[str]) -> tuple[Numbers, Numbers]:
        """n × m originals and what the release shows for them; NaN where a value or a record is gone."""
        names = list(names)
        released = self.released(names)
        out = np.full((self.n, len(names)), np.nan, order="F")
        real = self.link >= 0
        out[self.link[real]] = released[real]
        return self.originals(names), out

    def common_codes(self, name: str) -> tuple[Codes, Codes, tuple[Any, ...]]:
        """Codes of the original (n) and the masked column (t) in one dictionary; -1 for missing.

        The original is recoded as the release was: whoever knows a value can do the same.
        """
        before, categories = self._recoded(name)
        if name not in self.masked.schema:
            return before, np.full(self.t, -1, dtype=np.int32), categories
        after, others = self.codes(name, masked=True)
        if self.original.schema[name].is_numeric and self.masked.schema[name].is_numeric:
            return _in_one_dictionary(before, categories, after, others)
        position = {value: code for code, value in enumerate(categories)}
        for value in others:
            position.setdefault(value, len(position))
        table = np.array([*(position[value] for value in others), -1], dtype=np.int32)
        return before, table[after], tuple(position)

    def _recoded(self, name: str) -> tuple[Codes, tuple[Any, ...]]:
        """The original column with the published recodings applied, as an intruder would apply them."""
        codes, categories = self.codes(name, masked=False)
        values: list[Any] = list(categories)
        for disclosed in self.disclosed:
            if isinstance(disclosed, Recoding) and name in disclosed.columns:
                values = disclosed.of(values)
        if values == list(categories):
            return codes, categories
        position = {value: code for code, value in enumerate(dict.fromkeys(v for v in values if v is not None))}
        table = np.array([*(position.get(value, -1) for value in values), -1], dtype=np.int32)
        return table[codes], tuple(position)

    def codes(self, name: str, *, masked: bool) -> tuple[Codes, tuple[Any, ...]]:
        """A column of either file as codes; each distinct number is a category of its own."""
        data = self.masked if masked else self.original
        block = data.block([name])
        if data.schema[name].is_categorical:
            return block[name], block.schema[name].categories or ()  # type: ignore[return-value]
        from ammg.kernels.factorize import factorize

        codes, distinct = factorize(block.numbers(name))
        return codes, tuple(distinct.tolist())

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
