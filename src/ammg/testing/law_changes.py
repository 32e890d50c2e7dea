"""Changes of a pair that no measure may notice: another order, other types, other names, other units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.dictionary import written
from ammg.data.microdata import Microdata
from ammg.data.pair import Again, Pair
from ammg.data.published import Censoring, NoiseLaw, Published, Recoding, Rounding, Transition, ValueSets
from ammg.testing.law_files import Chooser, pick

Change = Callable[[Pair, Chooser], Pair]


def records_in_another_order(pair: Pair, chooser: Chooser) -> Pair:
    """Both files shuffled, with the link."""
    rng = np.random.default_rng(chooser.whole(0, 2**20))
    people, records = rng.permutation(pair.n), rng.permutation(pair.t)
    place = np.empty(pair.n, dtype=np.int64)
    place[people] = np.arange(pair.n)
    link = np.where(pair.link >= 0, place[pair.link], -1)[records]
    files = _taken(pair.original, people), _taken(pair.masked, records)
    return Pair(*files, link, pair.published, again=pair.again)


def columns_in_another_order(pair: Pair, chooser: Chooser) -> Pair:
    """The columns of both files turned round or rotated."""
    turn = chooser.whole(0, len(pair.original.columns) - 1)

    def moved(data: Microdata) -> Microdata:
        names = data.columns[::-1] if turn == 0 else [*data.columns[turn:], *data.columns[:turn]]
        return Microdata(data.table.select(names), data.schema.select(names))

    return Pair(moved(pair.original), moved(pair.masked), pair.link, pair.published, again=pair.again)


def categories_in_another_order(pair: Pair, chooser: Chooser) -> Pair:
    """The dictionaries of nominal attributes turned round."""

    def turned(data: Microdata) -> Microdata:
        changed = [a.replace(categories=data.dictionary(a.name)[::-1]) for a in data.schema if a.kind is Kind.NOMINAL]
        return Microdata(data.table, data.schema.replace(*changed))

    return _changed(pair, turned, pair.published)


def codes_of_another_type(pair: Pair, chooser: Chooser) -> Pair:
    """Nominal codes as whole numbers, floats, truths, text or an Enum, where those of both files can be written so."""
    kind = pick(chooser, ("whole", "float", "truth", "text", "enum"))
    unfit = {
        attribute.name
        for data in (pair.original, pair.masked)
        for attribute in data.schema
        if attribute.kind is Kind.NOMINAL and _as_type(data.dictionary(attribute.name), kind) is None
    }

    def written_as(data: Microdata) -> Microdata:
        columns, changed = [], []
        for attribute in (a for a in data.schema if a.kind is Kind.NOMINAL and a.name not in unfit):
            values = data.dictionary(attribute.name)
            new = _as_type(values, kind)
            if new is None:
                continue
            columns.append(_renamed(data.table[attribute.name], values, new, enum=kind == "enum"))
            changed.append(attribute.replace(categories=None if attribute.categories is None else tuple(new)))
        return Microdata(data.table.with_columns(columns), data.schema.replace(*changed))

    return _changed(pair, written_as, pair.published)


def other_names(pair: Pair, chooser: Chooser) -> Pair:
    """Every nominal category of both files, and of what was published, under another name."""

    def named(data: Microdata) -> Microdata:
        columns, changed = [], []
        for attribute in (a for a in data.schema if a.kind is Kind.NOMINAL):
            values = data.dictionary(attribute.name)
            new = [_other_name(value) for value in values]
            columns.append(_renamed(data.table[attribute.name], values, new))
            changed.append(attribute.replace(categories=tuple(new), hierarchy=None))
        return Microdata(data.table.with_columns(columns), data.schema.replace(*changed))

    facts, recoded = [], set[str]()
    for fact in pair.published:
        renamed = [name for name in fact.columns if _nominal_after(pair, name)]
        coded = any(name in recoded or pair.original.schema[name].kind is Kind.NOMINAL for name in renamed)
        facts.append(_fact_named(fact, coded) if renamed else fact)
        recoded.update(fact.columns if isinstance(fact, Recoding | ValueSets) else ())
    return _changed(pair, named, tuple(facts))


def other_units(pair: Pair, chooser: Chooser) -> Pair:
    """Every number of both files, and of what was published, times a power of two."""
    numbers = [a.name for a in pair.original.schema if a.kind & Kind.NUMERIC]
    scale = {name: 2.0 ** chooser.whole(1, 12) for name in numbers}

    def scaled(data: Microdata) -> Microdata:
        columns, changed = [], []
        for attribute in (data.schema[name] for name in numbers if name in data.schema):
            factor = scale[attribute.name]
            if attribute.is_numeric:
                whole = data.table.schema[attribute.name].is_integer()
                columns.append(pl.col(attribute.name) * (int(factor) if whole else factor))
            elif attribute.scores is not None:
                changed.append(attribute.replace(scores=tuple(factor * score for score in attribute.scores)))
        return Microdata(data.table.with_columns(columns), data.schema.replace(*changed))

    facts, seen = [], set[str]()
    for fact in pair.published:
        facts.append(_fact_scaled(fact, {name: scale.get(name, 1.0) for name in fact.columns if name not in seen}))
        seen.update(fact.columns if isinstance(fact, Recoding | ValueSets) else ())
    return _changed(pair, scaled, tuple(facts))


def _changed(pair: Pair, change: Callable[[Microdata], Microdata], published: tuple[Published, ...]) -> Pair:
    """Both files changed alike, and the recipe with them: what it makes of a file is changed in the same way."""
    original = change(pair.original)
    return Pair(original, change(pair.masked), pair.link, published, again=_again(pair, original, change))


def _again(pair: Pair, original: Microdata, change: Callable[[Microdata], Microdata]) -> Again | None:
    if pair.again is None:
        return None
    again, place = pair.again, {name: _values(original.table[name]) for name in original.columns}

    def run(table: Microdata, secret: int) -> Pair:
        """Run the recipe on the file as it was before the change."""
        before = {
            name: pl.Series(name, [place[name][value] for value in table.table[name].to_list()], dtype=pl.Int64)
            for name in table.columns
        }
        old = pair.original.table
        columns = [old[name].gather(positions).alias(name) for name, positions in before.items()]
        replay = again(Microdata(pl.DataFrame(columns), pair.original.schema.select(table.columns)), secret)
        return Pair(table, change(replay.masked), replay.link)

    return run


def _values(column: pl.Series) -> dict[Any, int]:
    """A position at which each value of a column stands."""
    return {value: position for position, value in enumerate(column.to_list())}


def _taken(data: Microdata, order: NDArray[np.int64]) -> Microdata:
    return Microdata(data.table[order] if len(order) else data.table.clear(), data.schema)


def _renamed(column: pl.Series, old: Sequence[Any], new: Sequence[Any], *, enum: bool = False) -> pl.Series:
    """The column with each of the old values replaced."""
    code = {value: position for position, value in enumerate(old)}
    values = [None if value is None or value != value else new[code[value]] for value in column.to_list()]
    dtype = pl.Enum(list(new)) if enum else (None if len(new) else pl.String)
    return pl.Series(column.name, values, dtype=dtype)


def _as_type(values: Sequence[Any], kind: str) -> list[Any] | None:
    texts = [written(value) for value in values]
    if kind in ("text", "enum"):
        return texts
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return None
    if kind == "truth":
        return [bool(number) for number in numbers] if set(numbers) == {0.0, 1.0} else None
    return numbers if kind == "float" else [int(number) for number in numbers]


def _nominal_after(pair: Pair, name: str) -> bool:
    attribute = pair.masked.schema.get(name)
    return attribute is not None and attribute.kind is Kind.NOMINAL


def _other_name(value: Any) -> str:
    return f"{written(value)[::-1]}~"


def _fact_named(fact: Published, coded: bool) -> Published:
    if isinstance(fact, Recoding | ValueSets):
        before = tuple(map(_other_name, fact.before)) if coded else fact.before
        return replace(fact, before=before, after=tuple(map(_other_name, fact.after)))
    if isinstance(fact, Transition):
        together = len(fact.columns) > 1 and all(isinstance(value, tuple) for value in fact.categories)
        named = [tuple(map(_other_name, value)) if together else _other_name(value) for value in fact.categories]
        return replace(fact, categories=tuple(named))
    return fact


def _fact_scaled(fact: Published, scale: dict[str, float]) -> Published:
    factors = np.array([scale.get(name, 1.0) for name in fact.columns])
    first = float(factors[0]) if len(factors) else 1.0
    if isinstance(fact, NoiseLaw) and not fact.logarithmic:
        return replace(
            fact,
            covariance=fact.covariance * np.outer(factors, factors),
            centre=None if fact.centre is None else fact.centre * factors,
            factor=None if fact.factor is None else fact.factor * factors[:, None],
        )
    if isinstance(fact, Rounding):
        return replace(fact, base=fact.base * first)
    if isinstance(fact, Censoring):
        low, high = (None if bound is None else bound * first for bound in (fact.lower, fact.upper))
        return replace(fact, lower=low, upper=high)
    if isinstance(fact, Recoding) and first != 1:
        bounds = None if fact.bounds is None else tuple(bound * first for bound in fact.bounds)
        return replace(fact, bounds=bounds, before=tuple(value * first for value in fact.before))
    if isinstance(fact, ValueSets) and first != 1:
        lower, upper, before = (tuple(x * first for x in part) for part in (fact.lower, fact.upper, fact.before))
        return replace(fact, lower=lower, upper=upper, before=before)
    return fact
