"""Undo pairwise swaps by passing beliefs between partners.

Pairwise swapping is an involution in every column. If released record z belongs to person i, whose own value is w while
z shows v, then an owner of v is behind a record that shows w. So evidence for (z, i) is evidence for such pairs, and
vice versa, with other partners in each column: beliefs are passed until they settle. Values that occur once are most
informative, frequent ones hardly at all. It takes n² time per column and round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.ranks.blurred_partners import Blurred, add_evidence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 30
DOUBT = 1e-6  # the least belief that is passed on


def value_classes(original: Floats, masked: Floats) -> tuple[Ints, Ints]:
    """Number the values of each column that both files have; -1 for values of only one file, and for missing ones."""
    before = np.full(original.shape, -1, dtype=np.int64)
    after = np.full(masked.shape, -1, dtype=np.int64)
    for c in range(original.shape[1]):
        common = np.intersect1d(original[:, c], masked[:, c])
        common = common[~np.isnan(common)]
        for values, numbers in ((original[:, c], before), (masked[:, c], after)):
            if len(common):
                place = np.minimum(np.searchsorted(common, values), len(common) - 1)
                numbers[:, c] = np.where(common[place] == values, place, -1)
    return before, after


def pass_beliefs(
    likelihood: Floats, before: Ints, after: Ints, blurred: Sequence[Blurred] = (), rounds: int = ROUNDS
) -> Floats:
    """The log-likelihoods of records × people after passing beliefs between partners.

    It uses the `value_classes` of columns with unchanged swapped values, and `blurred` columns. It ends when no
    record's most likely person changes.
    """
    settled, named = likelihood, likelihood.argmax(axis=1)
    columns = [c for c in range(before.shape[1]) if (before[:, c] >= 0).any()]
    for _ in range(rounds):
        beliefs = np.exp(_beliefs(settled))
        logs = np.log(beliefs + DOUBT)
        settled = likelihood.copy()
        for c in columns:
            mine, shown = np.ascontiguousarray(before[:, c]), np.ascontiguousarray(after[:, c])
            evidence = _evidence(beliefs, logs, mine, shown)

            def work(
                start: int, stop: int, mine: Ints = mine, shown: Ints = shown, evidence: Floats = evidence
            ) -> None:
                _gather(evidence, mine, shown[start:stop], settled[start:stop])  # noqa: B023

            over_blocks(work, len(likelihood), block=256)
        for column in blurred:
            add_evidence(beliefs, column, settled)
        last, named = named, settled.argmax(axis=1)
        if np.array_equal(last, named):
            break
    return settled


def _evidence(beliefs: Floats, logs: Floats, mine: Ints, shown: Ints) -> Floats:
    """For values v (rows) and w: the evidence for owners of v behind records that show w, relative to no belief."""
    size = int(mine.max()) + 1
    owners, holders = (np.bincount(part[part >= 0], minlength=size).astype(np.float64) for part in (mine, shown))
    evidence = np.zeros((size, size))
    _collect(beliefs, logs, mine, shown, owners, holders, evidence)
    return evidence


def _beliefs(likelihood: Floats) -> Floats:
    """Log probabilities over people, shared between the records that claim the same person."""
    of_person = likelihood - _log_sums(likelihood, 1)
    return np.asarray(np.minimum(of_person - 0.5 * _log_sums(of_person, 0), 0.0))


def _log_sums(values: Floats, axis: int) -> Floats:
    peak = values.max(axis=axis, keepdims=True)
    return np.asarray(peak + np.log(np.exp(values - peak).sum(axis=axis, keepdims=True)))


@jit
def _collect(
    beliefs: Floats, logs: Floats, mine: Ints, shown: Ints, owners: Floats, holders: Floats, evidence: Floats
) -> None:
    """Sum beliefs by the value that the person owned (rows) and the value that the record shows, then take logs.

    Most values occur once, and their log belief is known.
    """
    people = len(mine)
    for h in range(len(shown)):
        w = shown[h]
        if w < 0:
            continue
        for o in range(people):
            v = mine[o]
            if v >= 0:
                alone = owners[v] == 1.0 and holders[w] == 1.0
                evidence[v, w] += logs[h, o] if alone else beliefs[h, o]
    for v in range(len(owners)):
        for w in range(len(holders)):
            chance = owners[v] * holders[w] / people + DOUBT
            if owners[v] > 1.0 or holders[w] > 1.0:
                evidence[v, w] = np.log((evidence[v, w] + DOUBT) / chance)
            else:
                evidence[v, w] -= np.log(1.0 / people + DOUBT)


@jit
def _gather(evidence: Floats, mine: Ints, shown: Ints, settled: Floats) -> None:
    """Add to each pair the beliefs of its partners in each other; a value that stays has no partner."""
    for j in range(len(shown)):
        v = shown[j]
        if v < 0:
            continue
        for i in range(len(mine)):
            w = mine[i]
            if w >= 0 and w != v:
                settled[j, i] += evidence[v, w]
