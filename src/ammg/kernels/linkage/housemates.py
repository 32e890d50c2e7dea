"""Households in linkage: evidence about a person from the other members.

A release that shows who lives together shows whole households, and an intruder who knows a family searches for all its
members at once: their evidence adds up, and the composition of a household is rare even if each member is common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = 200.0  # nats below the best of a record: beyond this, all people count as equally unlikely
SEED = 1662  # of the numbers that stand for kinds of members: fixed, so that measures are reproducible


class Homes(NamedTuple):
    """The household of each record and of each person, numbered from 0 in each file; people without one live alone."""

    records: Ints
    people: Ints
    complete: bool
    """Whether no household has lost or gained a member, judging by the sizes in the two files."""

    @classmethod
    def of(cls, records: Ints, people: Ints) -> Homes:
        """Number the households, and compare their sizes in the two files."""
        of_records, of_people = (np.sort(np.bincount(homes)) for homes in (records, people))
        return cls(records, people, np.array_equal(of_records, of_people))


def with_housemates(likelihood: Floats, homes: Homes) -> Floats:
    """Log-likelihoods of records × people, plus those of the other members of the two households.

    Each other record is paired with the member that fits best and, in complete households, each other member with its
    best record. A household too small for the records of another cannot match, nor can one too large if complete.
    """
    near = np.maximum(likelihood - likelihood.max(axis=1, keepdims=True), -FAR)
    order, starts = _grouped(homes.people)
    shown, firsts = _grouped(homes.records)
    best = np.maximum.reduceat(near[:, order], starts, axis=1)  # records × households of people
    evidence = np.add.reduceat(best[shown], firsts, axis=0)[homes.records] - best
    sizes = np.bincount(homes.records)[homes.records], np.bincount(homes.people)
    wrong = sizes[0][:, None] > sizes[1]
    if homes.complete:
        wrong |= sizes[0][:, None] < sizes[1]
    evidence -= FAR * wrong
    if not homes.complete:
        return np.asarray(near + evidence[:, homes.people])
    best = np.maximum.reduceat(near[shown], firsts, axis=0)  # households of records × people
    members = np.add.reduceat(best[:, order], starts, axis=1)[:, homes.people] - best
    return np.asarray(near + 0.5 * (evidence[:, homes.people] + members[homes.records]))


def number_compositions(kinds: Ints, homes: Ints) -> Ints:
    """A number for each person's own kind together with the kinds of all household members."""
    names = np.random.default_rng(SEED).integers(0, 2**64, int(kinds.max(initial=0)) + 1, dtype=np.uint64)
    order, starts = _grouped(homes)
    if not len(order):
        return kinds
    together = np.add.reduceat(names[kinds[order]], starts)[homes]  # sums of random numbers identify sets
    same = np.unique(together, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.asarray(np.unique(same * (int(kinds.max()) + 1) + kinds, return_inverse=True)[1].reshape(-1))


def _grouped(homes: Ints) -> tuple[Ints, Ints]:
    """The order that puts members together, and the start of each household."""
    order = np.argsort(homes, kind="stable")
    return order, np.flatnonzero(np.diff(homes[order], prepend=-1))
