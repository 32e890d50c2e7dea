"""What an intruder holds: the known attributes of the targets, and the same columns of the release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import Recoding, Sampled, Suppression
from ammg.data.scenario import Scenario
from ammg.draws import CHUNK, Draws, Secret
from ammg.errors import InputError, NotDefined, did_you_mean
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import in_columns, taken
from ammg.kernels.orders import lexical_order
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

JUDGED = 100_000  # records by which attributes and links are judged
ERRORS = 1947  # seed of the intruder's errors of measurement: one fixed draw, so that a measure repeats itself


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The files that the intruder compares: numbers, and codes of categories as numbers; NaN for missing.

    Columns are contiguous: attacks look at one after the other.
    """

    names: tuple[str, ...]
    original: Floats  # n × m, with the intruder's errors
    masked: Floats  # t × m
    categorical: NDArray[np.bool_]
    error: Floats  # of each attribute: chance of a wrong category, or standard deviation of a number

    def only(self, names: Sequence[str]) -> Knowledge:
        """The same of some attributes."""
        if tuple(names) == self.names:
            return self
        kept = [self.names.index(name) for name in names]
        original, masked = (in_columns([side[:, j] for j in kept], len(side)) for side in (self.original, self.masked))
        return Knowledge(tuple(names), original, masked, self.categorical[kept], self.error[kept])


@dataclass(frozen=True, eq=False)
class Search:
    """People about whom the same is known, and the released records that stand for them.

    Columns are in the order of their names and, for attacks that choose one of several equally good links, the records
    of both files in the order of their values. File order may tell the truth, and no attack can use what is not there;
    nor can the order of records, columns or categories, or what categories are called, decide between equally good
    links. Attacks that let equally good links share the credit take the records as they come.
    """

    known: Knowledge
    origin: Ints  # the row in `known.original` of each row of `known.masked`, -1 where it stands for nobody sought
    people: Ints  # position in the original file of each row of `known.original`
    records: Ints  # position in the released file of each row of `known.masked`
    is_ordered: bool  # by their values
    cut_from: Search | None = None  # the same search with all that is known, where some of it is left out

    @cached_property
    def judged(self) -> Ints:
        """Rows of at most `JUDGED` records that stand for a person sought, drawn by the people's ids alone.

        A choice by place or by value could be one that a recipe treats unlike the others.
        """
        rows = np.flatnonzero(self.origin >= 0)
        if len(rows) <= JUDGED:
            return rows
        ids = np.arange(self.people.max() + 1)  # in their order, numbers are drawn faster
        draws, of_person, chance = Draws(Secret.known("records judged")), np.empty(len(ids)), np.empty(len(rows))

        def draw(start: int, stop: int) -> None:
            of_person[start:stop] = draws.uniform(ids[start:stop], "sample")

        def look_up(start: int, stop: int) -> None:
            chance[start:stop] = of_person[self.people[self.origin[rows[start:stop]]]]

        over_blocks(draw, len(ids), block=CHUNK, brief=True)
        over_blocks(look_up, len(rows), block=CHUNK, brief=True)
        return np.sort(rows[np.argpartition(chance, JUDGED)[:JUDGED]])

    @classmethod
    def of(cls, known: Knowledge, origin: Ints, *, ordered: bool = True) -> Search:
        """The search with files and origin in the order of their values, or as they come."""
        from ammg.kernels.linkage.value_order import order_values

        known = known.only(sorted(known.names))
        if not ordered:
            people, records = np.arange(len(known.original)), np.arange(len(known.masked))
            return cls(known, origin, people, records, is_ordered=False)
        before, after = order_values(known.original, known.masked, known.categorical)
        people = lexical_order(before, len(known.original))[0]
        rank = np.empty(len(people), dtype=np.int64)
        rank[people] = np.arange(len(people))
        standing = np.where(origin >= 0, rank[origin] if len(rank) else -1, -1)
        records = lexical_order([*after, standing], len(known.masked))[0]
        original, masked = taken(known.original, people), taken(known.masked, records)
        return cls(
            replace(known, original=original, masked=masked), standing[records], people, records, is_ordered=True
        )


def held(pair: Pair, scenario: Scenario) -> tuple[Pair, Scenario]:
    """The pair and the scenario with the intruder's external file, if there is one, in the place of the original."""
    if scenario.external is None:
        return pair, scenario
    files, rows = scenario.external.beside(pair)
    present = files.original.schema
    named = [*(scenario.known or ()), *(name for names in scenario.known_by_record.values() for name in names)]
    if missing := [name for name in named if name not in present]:
        raise InputError(
            f"Known attribute '{missing[0]}' is not in the external file.{did_you_mean(missing[0], present.names)}"
        )
    known = [name for name in scenario.known_in(pair.original.schema) if name in present]
    if not known:
        raise NotDefined("the external file has no attribute that the scenario calls known")
    sought = rows[targets(pair, scenario)]
    by_record = scenario.known_by_record.items()
    own = {int(rows[record]): names for record, names in by_record if rows[_record(pair, record)] >= 0}
    changes = {
        "known": tuple(known),
        "targets": tuple(sought[sought >= 0].tolist()),
        "known_by_record": own,
        "external": None,
    }
    return files, scenario.model_copy(update=changes)


def known_sets(pair: Pair, scenario: Scenario) -> list[tuple[tuple[str, ...], NDArray[np.bool_]]]:
    """The people sought, grouped by what is known of them: attributes, and who they are among the original records."""
    wanted = np.zeros(pair.n, dtype=bool)
    wanted[targets(pair, scenario)] = True
    usual = tuple(scenario.known_in(pair.original.schema))
    sets: dict[tuple[str, ...], NDArray[np.bool_]] = {usual: wanted.copy()}
    for record, names in scenario.known_by_record.items():
        _record(pair, record)
        known = tuple(pair.original.schema[name].name for name in names)
        sets[usual][record] = False
        sets.setdefault(known, np.zeros(pair.n, dtype=bool))[record] = wanted[record]
    return [(names, members) for names, members in sets.items() if members.any()]


def searches(pair: Pair, scenario: Scenario, *, ordered: bool = True) -> list[Search]:
    """Everybody sought, grouped by what is known of them, in files that are ordered by their values or as they are.

    Raises:
        NotDefined: nothing is known that the release shows, or no released record stands for a person sought.
    """
    return [
        Search.of(knowledge(pair, names, scenario), np.where(is_sought, pair.link, -1), ordered=ordered)
        for names, is_sought in _sought(pair, scenario)
    ]


def check_known(pair: Pair, scenario: Scenario) -> None:
    """Raise the `NotDefined` that `searches` would raise, without a look at the values of the files."""
    for names, _ in _sought(pair, scenario):
        both = _in_both(pair, names)
        if pair.n and all(pair.is_missing(name, masked=False).all() for name in both):
            raise _nothing_known(both)


def _sought(pair: Pair, scenario: Scenario) -> list[tuple[tuple[str, ...], NDArray[np.bool_]]]:
    """The known attributes of each group of people, and which released records stand for them, if any do."""
    real = pair.link >= 0
    found = [(names, real & members[pair.link]) for names, members in known_sets(pair, scenario)]
    found = [(names, is_sought) for names, is_sought in found if is_sought.any()]
    if not found:
        raise NotDefined("no masked record stands for a target")
    return found


def _nothing_known(names: Sequence[str]) -> NotDefined:
    return NotDefined(f"nothing is known about anybody: every value of {', '.join(names)} is missing")


def _record(pair: Pair, record: int) -> int:
    if not 0 <= record < pair.n:
        raise InputError(f"Record {record} of known_by_record does not exist: ids run from 0 to {pair.n - 1}.")
    return record


def targets(pair: Pair, scenario: Scenario) -> Ints:
    """Positions of the people sought."""
    if scenario.targets is None:
        return np.arange(pair.n)
    wanted = np.unique(np.array(scenario.targets, dtype=np.int64))
    outside = wanted[(wanted < 0) | (wanted >= pair.n)]
    if len(outside):
        raise InputError(f"Target {outside[0]} is not a record: ids run from 0 to {pair.n - 1}.")
    return wanted


def knowledge(pair: Pair, names: Sequence[str], scenario: Scenario) -> Knowledge:
    """The known attributes that both files have, as numbers where both have numbers, else as codes."""
    both = _in_both(pair, names)
    errors = tuple((name, scenario.error[name]) for name in both if scenario.error.get(name, 0.0) > 0)
    known = pair.once((Knowledge, tuple(both), errors), lambda: _compare(pair, both, dict(errors)))
    if pair.n and np.isnan(known.original).all():
        raise _nothing_known(both)
    return known


def _in_both(pair: Pair, names: Iterable[str]) -> list[str]:
    """Those of the attributes that both files have.

    Raises:
        NotDefined: there are none.
    """
    both = [name for name in names if name in pair.masked.schema and _comparable(pair, name)]
    if not both:
        raise NotDefined("no known attribute is in the masked file")
    return both


def _comparable(pair: Pair, name: str) -> bool:
    attributes = pair.original.schema[name], pair.masked.schema[name]
    return all(attribute.is_numeric or attribute.is_categorical for attribute in attributes)


def _compare(pair: Pair, names: Sequence[str], errors: dict[str, float]) -> Knowledge:
    original, masked = (np.empty((size, len(names)), order="F") for size in (pair.n, pair.t))
    categorical = np.zeros(len(names), dtype=bool)
    measured = np.array([errors.get(name, 0.0) for name in names])
    rng = np.random.default_rng(ERRORS)

    def work(j: int) -> None:
        name = names[j]
        error, number = errors.get(name, 0.0), pair.original.schema[name].is_numeric
        if (numbers := pair.common_numbers(name)) is not None:
            error = measured[j] = pair.in_unit(name, error)
            original[:, j], masked[:, j] = numbers
            if error:
                original[:, j] += error * rng.normal(size=pair.n)
            return
        categorical[j] = True
        held = pair.originals([name])[:, 0] + error * rng.normal(size=pair.n) if number and error else None
        before, after, categories = pair.common_codes(name, held)
        if error and not number:
            wrong = (rng.random(pair.n) < error) & (before >= 0)
            before = np.where(wrong, rng.integers(0, len(categories), pair.n), before)
        for side, codes in ((original, before), (masked, after)):
            side[:, j] = codes
            if (missing := codes < 0).any():
                side[missing, j] = np.nan

    in_order = bool(errors)  # columns with errors share a generator
    in_threads(work, range(len(names)), 0 if in_order else original.size + masked.size)
    return Knowledge(tuple(names), original, masked, categorical, measured)


def untouched(pair: Pair, known: Knowledge, *, complete: bool = False) -> list[str]:
    """Attributes known without error that no published step has changed, other than by recoding, which anybody repeats.

    With `complete`, those without missing values only.
    """
    touched = {
        name
        for published in pair.published
        if not isinstance(published, Sampled | Suppression | Recoding)
        for name in published.columns
    }
    sure = zip(known.names, known.error, strict=True)
    names = [name for name, error in sure if name not in touched and not error]
    if complete:

        def has_gaps(name: str) -> bool:
            place = known.names.index(name)
            return any(bool(np.isnan(side[:, place]).any()) for side in (known.original, known.masked))

        gaps = in_threads(has_gaps, names, known.original.size + known.masked.size)
        names = [name for name, gap in zip(names, gaps, strict=True) if not gap]
    return names


def common_numbers(known: Knowledge) -> tuple[Ints, Ints]:
    """A number for each value of each column, the same in both files where the value is; -1 for missing."""
    before = np.full(known.original.shape, -1, dtype=np.int64)
    after = np.full(known.masked.shape, -1, dtype=np.int64)
    for j in range(len(known.names)):
        both = np.concatenate([known.original[:, j], known.masked[:, j]])
        seen = ~np.isnan(both)
        numbers = np.full(len(both), -1, dtype=np.int64)
        numbers[seen] = np.unique(both[seen], return_inverse=True)[1]
        before[:, j], after[:, j] = numbers[: len(before)], numbers[len(before) :]
    return before, after
