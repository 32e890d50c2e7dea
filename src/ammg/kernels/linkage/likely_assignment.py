"""One-to-one links of maximum likelihood, and the probability of each link if everybody has one record.

The matching of maximum likelihood does not maximise the expected number of correct links. For that, each record is
linked to the person with the highest probability over all matchings, approximated by scaling rows and columns to sum
to one (Sinkhorn 1967).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.linkage.assignment import UNLINKED, Assignment, assign_all, assign_by_prices
from ammg.kernels.linkage.nearest_assignment import DENSE_PAIRS
from ammg.kernels.linkage.pair_scores import Candidates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 200.0  # nats below the best of a record: beyond this, all people count as equally unlikely
KEPT = 20  # candidates per round
SCALINGS = 30
MOST_HELD = 2e8  # most pairs of records for which one number each is held in memory


def assign_likely(likelihood: Floats) -> Assignment:
    """Link records (rows) one to one with people (columns) so that the sum of log-likelihoods is largest."""
    records, people = likelihood.shape
    if not records or not people:
        return Assignment(np.full(records, UNLINKED, dtype=np.int64), 0.0)
    gain = np.maximum(likelihood - likelihood.max(axis=1, keepdims=True), -FAR)
    if gain.size <= DENSE_PAIRS:
        return assign_all(gain)
    kept = min(KEPT, people)

    def best(prices: Floats) -> Candidates:
        rows, values = np.zeros((records, kept), dtype=np.int64), np.full((records, kept), -np.inf)
        over_blocks(lambda a, b: _best(gain[a:b], prices, rows[a:b], values[a:b]), records, block=128)
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
    mass = np.exp(np.maximum(likelihood - likelihood.max(axis=1, keepdims=True), -FAR))
    of_person, least = np.ones(people), 1e-300
    of_record, held = np.ones(records), np.ones(people) if room is None else room
    full = records == held.sum()
    for _ in range(SCALINGS):
        of_record = 1.0 / np.maximum(mass @ of_person, least)
        claimed = of_record @ mass
        of_person = held / np.maximum(claimed, least if full else held)
    mass *= of_record[:, None]
    mass *= of_person
    return np.asarray(np.log(np.maximum(mass, least)))


@jit
def _best(gain: Floats, prices: Floats, rows: Ints, values: Floats) -> None:
    """The people of greatest gain minus price, best first."""
    kept = rows.shape[1]
    for j in range(len(gain)):
        for i in range(gain.shape[1]):
            value = gain[j, i] - prices[i]
            if value <= values[j, kept - 1]:
                continue
            place = kept - 1
            while place > 0 and values[j, place - 1] < value:
                values[j, place], rows[j, place] = values[j, place - 1], rows[j, place - 1]
                place -= 1
            values[j, place], rows[j, place] = value, i
