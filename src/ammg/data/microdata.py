"""Microdata: records of people, with the owner's description of each attribute."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data import hierarchy_rules
from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block
from ammg.data.columns.store import ColumnStore
from ammg.data.encoding import ID, in_one_piece, kind_of, nan_as_null, to_block
from ammg.data.hierarchy import Hierarchy, value_text
from ammg.data.missing_codes import declared_codes, set_aside
from ammg.data.native import Native
from ammg.data.rules.declare import declared, exceptions
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.parse import parse_rule
from ammg.data.rules.rule import Rule
from ammg.data.schema import Schema
from ammg.data.streamed_table import StreamedTable
from ammg.errors import DataWarning, InputError, did_you_mean
from ammg.forks import refuse_forked
from ammg.kernels.columns import Profile

Names = str | Iterable[str]
Made = TypeVar("Made")

GREATEST_WEIGHT = 1e100
"""Largest weight for which sums of squared weights, and of columns times weights, stay finite."""


class Microdata:
    """A table and its schema. Nothing changes in place: every `with_…` returns new microdata on the same table."""

    def __init__(self, frame: Any, schema: Schema | None = None) -> None:
        """Take a polars, pandas or pyarrow table (or anything narwhals reads), or a `StreamedTable`."""
        refuse_forked()
        if isinstance(frame, StreamedTable):
            self._table: pl.DataFrame | StreamedTable = frame
            self.native = Native("polars")
        else:
            self.native = Native.of(frame)
            self._table = in_one_piece(nan_as_null(self.native.to_polars(frame)))
        self._attributes: dict[str, Attribute] = {}
        self.missing_reasons = pl.DataFrame()
        """The declared codes of missing values, stored separately; `release()` puts them back."""
        if ID in self._table.schema:
            raise InputError(f"Column '{ID}' is reserved for record ids: rename it.")
        for name, dtype in self._table.schema.items():
            if isinstance(dtype, pl.BaseExtension):  # periods and intervals of pandas
                raise InputError(f"Column '{name}' is {dtype}: convert it to text, numbers or dates first.")
        self.schema = schema or Schema(
            tuple(Attribute(name=name, kind=kind_of(dtype)) for name, dtype in self._table.schema.items())
        )
        self._set_codes_aside(self.schema)

    def _set_codes_aside(self, schema: Schema) -> None:
        """Set declared codes to missing; those of a frame are stored separately, those of a file stay in the file."""
        if isinstance(self._table, pl.DataFrame):
            self._table, more = set_aside(self._table, schema)
            self.missing_reasons = _merged(self.missing_reasons, more)
        elif codes := {a.name: a.missing_codes for a in schema if a.missing_codes}:
            self._table = self._table.without_codes(codes)
        self._store, self._attributes = ColumnStore(self._table), {}

    @property
    def table(self) -> pl.DataFrame:
        """The records as a polars frame."""
        return self._table if isinstance(self._table, pl.DataFrame) else self._table.read()

    @property
    def streamed(self) -> StreamedTable | None:
        """The table in which the records stay, or None when they are in memory."""
        return self._table if isinstance(self._table, StreamedTable) else None

    @property
    def columns(self) -> list[str]:
        """Column names, in file order."""
        return self.schema.names

    def __len__(self) -> int:
        return self._table.height

    def __repr__(self) -> str:
        roles = ", ".join(
            f"{len(names)} {role}" for role in Role if (names := self.schema.with_role(role)) and role is not Role.OTHER
        )
        return f"Microdata({len(self):,} records × {len(self.schema)} attributes; {roles or 'no roles given yet'})"

    def with_roles(self, by_column: Mapping[str, str] | None = None, /, **roles: Names) -> Microdata:
        """Assign roles to attributes: identifier, key, confidential, weight, household, stratum or other.

        By role or by column: `data.with_roles(key=["age", "sex"])` or `data.with_roles({"age": "key", "sex": "key"})`.
        """
        roles = _by_word(by_column, roles)
        given: dict[str, str] = {}
        changed = []
        for word, names in roles.items():
            if word not in set(Role):
                raise InputError(f"Unknown role '{word}'.{did_you_mean(word, [role.value for role in Role])}")
            for name in _names(names):
                if name in given:
                    raise InputError(
                        f"Column '{name}' is given two roles, {given[name]} and {word}: an attribute has one role."
                    )
                given[name] = word
                changed.append(self.schema[name].replace(role=Role(word)))
        schema = self.schema.replace(*changed)
        for role in (Role.WEIGHT, Role.HOUSEHOLD):
            if len(holders := schema.with_role(role)) > 1:
                raise InputError(f"Columns {holders} all have the role {role}: only one attribute can have it.")
        data = self._with_schema(schema)
        if "weight" in roles:
            data._check_weights()
        return data

    def with_kinds(self, by_column: Mapping[str, str] | None = None, /, **kinds: Names) -> Microdata:
        """Declare attributes as continuous, integer, date, ordinal, nominal or text, by kind or by column."""
        kinds = _by_word(by_column, kinds)
        changed = [
            self.schema[name].replace(kind=Kind.of(word), categories=None)
            for word, names in kinds.items()
            for name in _names(names)
        ]
        return self._with_schema(self.schema.replace(*changed))

    def with_levels(self, by_column: Mapping[str, str] | None = None, /, **levels: Names) -> Microdata:
        """Declare which attributes describe the household rather than the person, by level or by column."""
        levels = _by_word(by_column, levels)
        for word in levels:
            if word not in set(Level):
                raise InputError(f"Unknown level '{word}'.{did_you_mean(word, [level.value for level in Level])}")
        changed = [
            self.schema[name].replace(level=Level(word)) for word, names in levels.items() for name in _names(names)
        ]
        return self._with_schema(self.schema.replace(*changed))

    def with_links(self, by_column: Mapping[str, str] | None = None, /, **links: str) -> Microdata:
        """Link attributes to the one whose changes they follow: `{"income_band": "income"}`."""
        links = {**(by_column or {}), **links}
        schema = self.schema.replace(*(self.schema[name].replace(linked_to=leader) for name, leader in links.items()))
        for attribute in schema:
            if attribute.linked_to == attribute.name:
                raise InputError(f"Column '{attribute.name}' is linked to itself: name the column that it follows.")
            if attribute.linked_to and schema[attribute.linked_to].linked_to:
                raise InputError(
                    f"Column '{attribute.name}' is linked to '{attribute.linked_to}', which is linked itself: "
                    "link both to the attribute that leads."
                )
        return self._with_schema(schema)

    def with_labels(self, by_column: Mapping[str, str] | None = None, /, **labels: str) -> Microdata:
        """Describe attributes in words: `{"inc_tot": "Total income of the year"}`."""
        given = {**(by_column or {}), **labels}
        return self._with_schema(
            self.schema.replace(*(self.schema[name].replace(label=text) for name, text in given.items()))
        )

    def with_hierarchies(self, by_column: Mapping[str, Any] | None = None, /, **hierarchies: Any) -> Microdata:
        """Give attributes the hierarchies along which they may be recoded.

        A hierarchy is a `Hierarchy`, a rule such as "by widths 5, 10, 20" (see `ammg.data.hierarchy_rules`), the path
        of a CSV file, a frame with the values in its first column and increasingly coarse ones after it, or a mapping:
        `data.with_hierarchies(state={"MI": ["Midwest", "*"], …})`.
        """
        trees = {**(by_column or {}), **hierarchies}
        changed = [self.schema[name].replace(hierarchy=self._hierarchy(name, tree)) for name, tree in trees.items()]
        return self._with_schema(self.schema.replace(*changed))

    def preview(self, name: str, level: int) -> dict[str, int]:
        """The categories of an attribute at a level of its hierarchy, with their numbers of records."""
        hierarchy = self.schema[name].hierarchy
        if hierarchy is None:
            raise InputError(f"'{name}' has no hierarchy: give it one with with_hierarchies.")
        counts = self.value_counts(name)
        return hierarchy.preview(level, {value_text(value): count for value, count in counts.items()})

    def value_counts(self, name: str) -> dict[Any, int]:
        """The number of records with each value of a column, in the order of the values; missing ones are left out."""
        name = self.schema[name].name
        parts = (
            [_counted(self._table, name)]
            if isinstance(self._table, pl.DataFrame)
            else list(self._table.each([name], partial(_counted, name=name)))
        )
        whole = pl.concat(parts).group_by("value").agg(pl.col("count").sum()).sort("value") if parts else None
        return {} if whole is None else dict(zip(whole["value"].to_list(), whole["count"].to_list(), strict=True))

    def _hierarchy(self, name: str, tree: Any) -> Hierarchy:
        if hierarchy_rules.is_rule(tree):
            counts, known = self.value_counts(name), self._categories(name)
            if set(counts) < set(known):  # categories without records need a place as well
                counts = {value: counts.get(value, 0) for value in known}
            return hierarchy_rules.built(tree, list(counts), list(counts.values()))
        return _hierarchy(name, tree)

    def _categories(self, name: str) -> Sequence[Any]:
        """The dictionary of a column, if it is known without reading records."""
        dtype = self._table.schema[name]
        return self.schema[name].categories or (dtype.categories.to_list() if isinstance(dtype, pl.Enum) else ())

    def with_missing_codes(self, by_column: Mapping[str, Any] | None = None, /, **codes: Any) -> Microdata:
        """Declare which values stand for missing: `data.with_missing_codes(income=[-9, -8], age={99: "unknown"})`.

        Every method and measure treats them as missing; the release contains them again, with their labels. A pair is a
        range: `age=[(90, 99)]`.
        """
        changed = []
        for name, given in {**(by_column or {}), **codes}.items():
            attribute = self.schema[name]
            new, labels = declared_codes(name, given)
            changed.append(
                attribute.replace(
                    missing_codes=tuple(dict.fromkeys((*attribute.missing_codes, *new))),
                    value_labels={**attribute.value_labels, **labels},
                    categories=_without(attribute.categories, new),
                )
            )
        data = self._with_schema(self.schema.replace(*changed))
        data._set_codes_aside(Schema(tuple(changed)))
        return data

    def with_rules(self, *rules: str | Mapping[str, Any] | Rule) -> Microdata:
        """Declare what holds in every record: sums, ranges, implications, allowed and forbidden combinations.

        `data.with_rules("income = wages + pensions", "0 <= age <= 120", "age < 15 implies status = 'single'")`.
        A rule that fails in some records is used as declared, with a warning; one that fails in most is refused, and so
        are rules that contradict each other.
        """
        return self._declared(rules, partial(parse_rule, household=self.schema.household))

    def with_identities(self, *identities: str) -> Microdata:
        """Declare sums that hold: `data.with_identities("income = wages + pensions", "net = gross - 0.2 tax")`."""
        return self._declared(identities, LinearRule.parse)

    def _declared(self, given: Sequence[Any], read: Callable[[Any], Rule]) -> Microdata:
        schema = declared(self.schema, self._table.schema, given, self._each, read)
        for rule in schema.rules[len(self.schema.rules) :]:
            if rule.broken:
                warnings.warn(exceptions(rule, len(self)), DataWarning, stacklevel=3)
        return self._with_schema(schema)

    def _each(self, columns: Sequence[str], work: Callable[[pl.DataFrame], Any]) -> Iterable[Any]:
        if isinstance(self._table, StreamedTable):
            return self._table.each(columns, work)
        return [work(self._table.select(columns))]

    def dictionary(self, name: str) -> tuple[Any, ...]:
        """The categories of an attribute, in the order of their codes."""
        if (known := self.schema[name].categories) is not None:
            return known
        return self._store.dictionary(name)

    def block(self, names: Iterable[str]) -> Block:
        """Some columns of all records as numpy arrays, kept in memory for the next call."""
        names = list(names)
        schema = Schema(tuple(self._filled(name) for name in names))
        if not isinstance(self._table, pl.DataFrame):
            ids = pl.int_range(len(self), dtype=pl.Int64, eager=True).alias(ID)
            return to_block(self._table.read(names).with_columns(ids), schema, names)
        return self.encoded(schema)

    def encoded(self, schema: Schema) -> Block:
        """Columns of all records of a table in memory, encoded as these attributes declare; kept for the next call."""
        return Block(self._store.ids(), {a.name: self._store.array(a) for a in schema}, schema)

    def can_keep(self, columns: int) -> bool:
        """Whether this many columns can be kept encoded at the same time."""
        return isinstance(self._table, pl.DataFrame) and 16 * columns * len(self) <= self._store.most

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of all records as numbers, NaN for missing; the codes of a category count as numbers."""
        return self.block([name]).numbers(name)

    def profile(self, name: str) -> Profile:
        """Moments and extremes of the numbers of a column."""
        return self._store.profile(self.schema[name], partial(self.numbers, name))

    def extent(self, name: str) -> tuple[float, float]:
        """The smallest and the largest number of a column."""
        return self._store.extent(self.schema[name], partial(self.numbers, name))

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return a result computed from all records, kept like the codes; `what` identifies it and its columns."""
        return self._store.once(what, make)

    def codes(self, name: str) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
        """A column as codes and their dictionary; each distinct number is a category of its own."""
        attribute = self._filled(name)
        if attribute.is_categorical:
            return self.block([name])[name], attribute.categories or ()  # type: ignore[return-value]
        return self._store.numbered(attribute, partial(self.numbers, name))

    def _filled(self, name: str) -> Attribute:
        """The attribute with its dictionary."""
        if name not in self._attributes:
            attribute = self.schema[name]
            if attribute.is_categorical and attribute.categories is None:
                attribute = attribute.replace(categories=self.dictionary(name))
            self._attributes[name] = attribute
        return self._attributes[name]

    def _with_schema(self, schema: Schema) -> Microdata:
        data = Microdata.__new__(Microdata)
        data._table, data.native, data.schema = self._table, self.native, schema
        data._store, data._attributes = self._store, {}
        data.missing_reasons = self.missing_reasons
        return data

    def _check_weights(self) -> None:
        name = self.schema.weight
        if name is None:
            return
        if not self.schema[name].is_numeric:
            raise InputError(f"Weight '{name}' is {self.schema[name].kind.label}: weights are numbers.")
        if isinstance(self._table, StreamedTable) and self._table.remote:
            return  # the engine checks them where the records are
        weights = self.block([name]).numbers(name)
        for problem, wrong in (
            ("missing", np.isnan(weights)),
            ("negative", weights < 0),
            ("infinite", np.isinf(weights)),
            (f"above {GREATEST_WEIGHT:g}", weights > GREATEST_WEIGHT),
        ):
            if wrong.any():
                record = int(np.flatnonzero(wrong)[0])
                raise InputError(
                    f"Weight '{name}' is {problem} in {int(wrong.sum()):,} records, first in record {record}: "
                    "correct the weights or remove the role."
                )
        if len(weights) and not weights.any():
            raise InputError(f"Weight '{name}' is zero in all records: correct the weights or remove the role.")
        if len(weights) and weights.max() < 1 / GREATEST_WEIGHT:
            raise InputError(
                f"Weight '{name}' is at most {weights.max():g}, too small to compute with: multiply it by a constant."
            )


def _by_word(by_column: Mapping[str, str] | None, words: Mapping[str, Names]) -> dict[str, Names]:
    """Columns grouped by word, whether they were given by word or by column."""
    if by_column is not None and not isinstance(by_column, Mapping):
        raise InputError(f"{by_column!r} does not describe columns: write {{column: word}}, or word=columns.")
    together: dict[str, Names] = dict(words)
    for name, word in (by_column or {}).items():
        together[word] = [*_names(together.get(word, [])), name]
    return together


def _without(categories: tuple[Any, ...] | None, codes: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return None if categories is None else tuple(category for category in categories if category not in codes)


def _merged(reasons: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    """Combine codes set aside earlier with new ones; a record has a code in at most one of the two."""
    both = [name for name in more.columns if name in reasons.columns]
    more = more.with_columns(reasons[name].fill_null(more[name]) for name in both)
    return more.with_columns(reasons.drop(both))


def _names(names: Names) -> list[str]:
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        raise InputError(f"{names!r} does not name columns: give a name or a list of names.")
    return list(names)


def _hierarchy(name: str, tree: Any) -> Hierarchy:
    if isinstance(tree, Hierarchy):
        return tree
    if isinstance(tree, str | PathLike):
        return Hierarchy.from_csv(fspath(tree))
    if isinstance(tree, Mapping):
        return Hierarchy.from_mapping(tree)
    try:
        frame = Native.of(tree).to_polars(tree)
    except InputError:
        raise InputError(
            f"The hierarchy of '{name}' is a {type(tree).__name__}: give the path of a CSV file, a frame, a mapping "
            "{value: [level 1, level 2]} or a Hierarchy."
        ) from None
    return Hierarchy.from_rows(frame.rows())


def _counted(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The values of a column with their numbers of records."""
    return frame.select(value=pl.col(name)).drop_nulls().group_by("value").agg(count=pl.len())
