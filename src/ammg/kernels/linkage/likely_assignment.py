"""One-to-one links of greatest likelihood, and the chance of each link when everybody has one record.

The matching of greatest likelihood is not the one with most links right to be expected: for that, each record is given
the person with the greatest chance over all matchings, which scaling rows and columns to sum to one comes near
(Sinkhorn 1967).
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

FAR = 200.0  # nats below the best of a record: one person as unlikely as another
KEPT = 20  # candidates in a round
SCALINGS = 30
MOST_HELD = 2e8  # pairs of records for which a number each finds room in memory


def assign_likely(likelihood: Floats) -> Assignment:
    """Link records (rows) one to one with people (columns) so that the log-likelihoods add up to the most."""
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
    """Whether a number for each pair may be held in memory."""
    return float(records) * people <= MOST_HELD


def share_out(likelihood: Floats, room: Floats | None = None) -> Floats:
    """Log chances of records × people, nearly, where each person has one record at most and each record one person.

    With `room`, columns are groups that have as many records at most.
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
    """The people of greatest gain less price, best first."""
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
