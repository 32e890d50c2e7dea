"""One-to-one links of maximum likelihood, and the probability of each link if everybody has one record.

The matching of maximum likelihood does not maximise the expected number of correct links. For that, each record is
linked to the person with the highest probability over all matchings, approximated by scaling rows and columns to sum
to one (Sinkhorn 1967).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.linkage.pair_scores import Candidates
from ammg.kernels.matching.assignment import UNLINKED, Assignment, assign_all, assign_by_prices
from ammg.kernels.matching.nearest_assignment import DENSE_PAIRS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 200.0  # nats below the best of a record: beyond this, all people count as equally unlikely
KEPT = 20  # candidates per round
MOST_HELD = 2e8  # most pairs of records for which one number each is held in memory
SCALINGS = 30
LEAST = 1e-300
SUMS = 64  # parts in which columns are added up
LANES = 256  # products of a row that are added up side by side
CELLS = 1 << 18  # numbers at a time
SPARSE = 0.1  # share of the pairs that stand out, up to which only those are looked at


def assign_likely(likelihood: Floats) -> Assignment:
    """Link records (rows) one to one with people (columns) so that the sum of log-likelihoods is largest."""
    records, people = likelihood.shape
    if not records or not people:
        return Assignment(np.full(records, UNLINKED, dtype=np.int64), 0.0)
    top = likelihood.max(axis=1)
    if likelihood.size <= DENSE_PAIRS:
        return assign_all(np.maximum(likelihood - top[:, None], -FAR))
    kept = min(KEPT, people)

    def best(prices: Floats) -> Candidates:
        rows, values = np.zeros((records, kept), dtype=np.int64), np.full((records, kept), -np.inf)
        over_blocks(lambda a, b: _best(likelihood[a:b], top[a:b], prices, rows[a:b], values[a:b]), records, block=128)
        return Candidates(rows, values + prices[rows])

    return assign_by_prices(best, (records, people), -FAR - 1.0)


def finds_room(records: int, people: int) -> bool:
    """Whether one number for each pair fits into memory."""
    return float(records) * people <= MOST_HELD


def share_out(likelihood: Floats, room: Floats | None = None) -> Floats:
    """Approximate log probabilities of records × people, if each person has at most one record and vice versa.

    With `room`, columns are groups that have at most this many records each.
    """
    records, people = likelihood.shape
    if not records or not people:
        return likelihood
    mass, floor, likely = _masses(likelihood)
    held = np.ones(people) if room is None else room
    least = LEAST if records == held.sum() else held
    if likelihood.size <= DENSE_PAIRS:
        return _share_out_few(likelihood, held, least)
    of_person, of_record = np.ones(people), np.ones(records)
    step = max(1, CELLS // people)
    part = max(4 * step, -(-records // SUMS))
    claims = np.empty((-(-records // part), people))
    some = _likely_pairs(mass, floor, likely, step) if likely.sum() <= SPARSE * mass.size else None

    def scale(start: int, stop: int) -> None:
        span, mine = slice(start, stop), claims[start // part]
        if some is None:
            _scale(mass[span], of_person, of_record[span], mine, np.empty(LANES))
        else:
            starts = some.starts[start : stop + 1]
            _scale_some(floor[span], starts, some.people, some.excess, of_person, of_record[span], mine)

    for _ in range(SCALINGS):
        over_blocks(scale, records, block=part, brief=True)
        before, of_person = of_person, held / np.maximum(claims.sum(axis=0), least)
        if np.array_equal(of_person, before):
            break

    def finish(start: int, stop: int) -> None:
        rows = mass[start:stop]
        rows *= of_record[start:stop, None]
        rows *= of_person
        np.maximum(rows, LEAST, out=rows)
        np.log(rows, out=rows)

    over_blocks(finish, records, block=step)
    return mass


def _share_out_few(likelihood: Floats, held: Floats, least: float | Floats) -> Floats:
    """By products of whole matrices: where several people are equally likely, attacks choose by the last digits."""
    mass = np.exp(np.maximum(likelihood - likelihood.max(axis=1, keepdims=True), -FAR))
    of_person = np.ones(len(held))
    for _ in range(SCALINGS):
        of_record = 1.0 / np.maximum(mass @ of_person, LEAST)
        of_person = held / np.maximum(of_record @ mass, least)
    mass *= of_record[:, None]
    mass *= of_person
    return np.asarray(np.log(np.maximum(mass, LEAST)))


class _Pairs(NamedTuple):
    """The pairs that stand out: the people of each record, and how much more likely they are than all others."""

    starts: Ints
    people: NDArray[np.int32]
    excess: Floats


def _masses(likelihood: Floats) -> tuple[Floats, Floats, Ints]:
    """Likelihoods relative to the best of each record; the least of each record, and how many are above it."""
    records, people = likelihood.shape
    mass, floor, likely = np.empty(likelihood.shape), np.empty(records), np.empty(records, dtype=np.int64)

    def weigh(start: int, stop: int) -> None:
        rows, given = mass[start:stop], likelihood[start:stop]
        np.subtract(given, given.max(axis=1, keepdims=True), out=rows)
        np.maximum(rows, -FAR, out=rows)
        np.exp(rows, out=rows)
        rows.min(axis=1, out=floor[start:stop])
        likely[start:stop] = np.count_nonzero(rows > floor[start:stop, None], axis=1)

    over_blocks(weigh, records, block=max(1, CELLS // people), brief=True)
    return mass, floor, likely


def _likely_pairs(mass: Floats, floor: Floats, likely: Ints, step: int) -> _Pairs:
    starts = np.concatenate([[0], np.cumsum(likely)])
    people, excess = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])

    def find(start: int, stop: int) -> None:
        rows, least = mass[start:stop], floor[start:stop, None]
        span = slice(starts[start], starts[stop])
        record, person = np.nonzero(rows > least)
        people[span], excess[span] = person, rows[record, person] - least[record, 0]

    over_blocks(find, len(mass), block=step, brief=True)
    return _Pairs(starts, people, excess)


@jit
def _scale(mass: Floats, of_person: Floats, of_record: Floats, claims: Floats, lanes: Floats) -> None:
    """Scale each record to one, and add up what all of them claim of each person."""
    people = mass.shape[1]
    whole = people - people % LANES
    for i in range(people):
        claims[i] = 0.0
    for j in range(len(mass)):
        row, total = mass[j], 0.0
        for k in range(LANES):
            lanes[k] = 0.0
        for first in range(0, whole, LANES):
            for k in range(LANES):
                lanes[k] += row[first + k] * of_person[first + k]
        for i in range(whole, people):
            total += row[i] * of_person[i]
        for k in range(LANES):
            total += lanes[k]
        share = 1.0 / max(total, LEAST)
        of_record[j] = share
        for i in range(people):
            claims[i] += share * row[i]


@jit
def _scale_some(
    floor: Floats,
    starts: Ints,
    likely: NDArray[np.int32],
    excess: Floats,
    of_person: Floats,
    of_record: Floats,
    claims: Floats,
) -> None:
    """The same where most people share the lowest likelihood of a record: only the others are visited."""
    everybody, of_all = 0.0, 0.0
    for i in range(len(claims)):
        claims[i] = 0.0
        everybody += of_person[i]
    for j in range(len(floor)):
        total = floor[j] * everybody
        for k in range(starts[j], starts[j + 1]):
            total += excess[k] * of_person[likely[k]]
        share = 1.0 / max(total, LEAST)
        of_record[j] = share
        of_all += share * floor[j]
        for k in range(starts[j], starts[j + 1]):
            claims[likely[k]] += share * excess[k]
    for i in range(len(claims)):
        claims[i] += of_all


@jit
def _best(likelihood: Floats, top: Floats, prices: Floats, rows: Ints, values: Floats) -> None:
    """The people of greatest likelihood, as far as it is not `FAR` below the top, minus price, best first."""
    kept = rows.shape[1]
    for j in range(len(likelihood)):
        for i in range(likelihood.shape[1]):
            value = max(likelihood[j, i] - top[j], -FAR) - prices[i]
            if value <= values[j, kept - 1]:
                continue
            place = kept - 1
            while place > 0 and values[j, place - 1] < value:
                values[j, place], rows[j, place] = values[j, place - 1], rows[j, place - 1]
                place -= 1
            values[j, place], rows[j, place] = value, i
