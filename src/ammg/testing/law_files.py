"""Small files and pipelines on which the laws of risk are tried; a generator or Hypothesis makes the choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl

from ammg import registry
from ammg.data.microdata import Microdata
from ammg.methods.method import Method
from ammg.testing.methods import fitted

Chosen = TypeVar("Chosen")
LETTERS = "abcdefgh"


class Chooser(Protocol):
    """Whatever makes the choices of a case."""

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        ...


class RandomChooser:
    """Choices of a random generator, for plug-ins that have no Hypothesis at hand."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def whole(self, low: int, high: int) -> int:
        """Uniform."""
        return int(self._rng.integers(low, high, endpoint=True))


class DrawnChooser:
    """Choices that Hypothesis makes, so that it can shrink a case that breaks a law."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw = draw

    def whole(self, low: int, high: int) -> int:
        """Hypothesis prefers small numbers."""
        from hypothesis import strategies

        return int(self._draw(strategies.integers(low, high)))


def pick(chooser: Chooser, choices: Sequence[Chosen]) -> Chosen:
    """One of several."""
    return choices[chooser.whole(0, len(choices) - 1)]


COLUMNS: dict[str, Callable[[np.random.Generator, int], pl.Series]] = {
    "whole_codes": lambda rng, n: pl.Series(rng.integers(1, 5, n)),
    "float_codes": lambda rng, n: pl.Series(rng.integers(1, 4, n).astype(float)),
    "truths": lambda rng, n: pl.Series(rng.random(n) < 0.5),
    "texts": lambda rng, n: pl.Series(rng.choice(list(LETTERS[:4]), n)),
    "levels": lambda rng, n: pl.Series(rng.choice(list("xyz"), n), dtype=pl.Enum(list("xyz"))),
    "ages": lambda rng, n: pl.Series(rng.integers(18, 60, n)),
    "amounts": lambda rng, n: pl.Series(np.round(np.exp(rng.normal(3, 1, n)), 2)),
    "days": lambda rng, n: pl.Series([date(1990, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 900, n)]),
}
"""How to make a column of each kind."""

CODES = ("whole_codes", "float_codes", "truths", "texts")
CATEGORIES = (*CODES, "levels")


def small_file(
    chooser: Chooser,
    *,
    columns: Sequence[str] = tuple(COLUMNS),
    missing: bool = True,
    records: tuple[int, int] = (6, 24),
) -> Microdata:
    """Two to four keys of chosen kinds, a confidential amount and sometimes a category; perhaps with missing values."""
    n, rng = chooser.whole(*records), np.random.default_rng(chooser.whole(0, 2**20))
    kinds = [pick(chooser, columns) for _ in range(chooser.whole(2, 4))]
    names = [f"{kind}_{position}" for position, kind in enumerate(kinds)]
    table = pl.DataFrame({name: COLUMNS[kind](rng, n) for name, kind in zip(names, kinds, strict=True)})
    table = table.with_columns(pay=COLUMNS["amounts"](rng, n), job=COLUMNS["texts"](rng, n))
    if missing and chooser.whole(0, 3) == 0:
        hidden = pick(chooser, names)
        table = table.with_columns(pl.when(pl.Series(rng.random(n) > 0.2)).then(pl.col(hidden)).alias(hidden))
    return described(table, names)


def described(table: pl.DataFrame, keys: Sequence[str]) -> Microdata:
    """The file with the kinds that the names of its keys tell, and roles."""
    nominal = [name for name in table.columns if name.rpartition("_")[0] in CODES]
    ordinal = [name for name in table.columns if name.rpartition("_")[0] == "levels"]
    data = Microdata(table).with_kinds(nominal=nominal, ordinal=ordinal)
    others = [name for name in table.columns if name not in keys]
    return data.with_roles(key=list(keys), confidential=others)


def small_step(chooser: Chooser, data: Microdata) -> Method | None:
    """A registered method on the columns that suit it; None where it has none."""
    from ammg.errors import AmmgError

    unit = pick(chooser, list(registry.units("methods").values()))
    method = pick(chooser, unit.examples())
    try:
        return _of_keys(method, data.schema.keys) or fitted(method, data.schema)
    except AmmgError:
        return None


def _of_keys(method: Method, keys: Sequence[str]) -> Method | None:
    """The methods that exchange or draw records within others, on the keys; None for all other methods."""
    from ammg.methods.sampling.stratified_sampling import StratifiedSampling
    from ammg.methods.swapping.data_swapping import DataSwapping
    from ammg.methods.swapping.targeted_record_swapping import TargetedRecordSwapping

    if isinstance(method, DataSwapping):
        return DataSwapping(columns=tuple(keys[:1]), within=tuple(keys[1:2]), rate=0.5)
    if isinstance(method, TargetedRecordSwapping):
        return TargetedRecordSwapping(columns=tuple(keys[:1]), keys=tuple(keys[1:]), k=2, rate=0.3, similar=((),))
    return StratifiedSampling(within=tuple(keys[:1])) if isinstance(method, StratifiedSampling) else None


def idle_step(chooser: Chooser, data: Microdata) -> Method:
    """A step that changes nothing, under any secret."""
    from ammg.methods.recoding.global_recoding import GlobalRecoding
    from ammg.methods.recoding.rare_category_recoding import RareCategoryRecoding
    from ammg.methods.recoding.top_coding import TopCoding
    from ammg.methods.rounding.rounding import Rounding
    from ammg.methods.sampling.sampling import Sampling

    schema = data.schema
    keys = [schema[name] for name in schema.keys]
    steps: list[Method] = [Sampling(fraction=1.0), TopCoding(columns=("pay",), threshold=1e9, replacement="threshold")]
    for key in keys:
        if key.is_categorical:
            names = [str(category) for category in data.dictionary(key.name)]
            steps.append(RareCategoryRecoding(columns=(key.name,), keep=20))
            steps.append(GlobalRecoding(columns=(key.name,), map={name: name for name in names}))
        elif key.name.startswith("ages"):
            steps.append(Rounding(columns=(key.name,), base=1))
            steps.append(TopCoding(columns=(key.name,), threshold=200, replacement="threshold"))
    return pick(chooser, steps)
