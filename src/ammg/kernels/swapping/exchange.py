"""Random choice of partners who exchange values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.orders import lexical_order, stable_order

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def exchange(size: int, pairs: int, rng: np.random.Generator, first: Floats | None = None) -> Ints:
    """Positions from which each record takes its values: this many pairs exchange values, all others keep their own.

    With `first`, the records with the smallest numbers are exchanged before others, with partners drawn at random from
    the rest.
    """
    sources = np.arange(size)
    order = rng.permutation(size)
    if first is not None:
        leading = lexical_order([first, rng.random(size)], size)[0][:pairs]
        taken = np.zeros(size, dtype=bool)
        taken[leading] = True
        order = np.concatenate([np.column_stack([leading, order[~taken[order]][:pairs]]).ravel()])
    one, other = order[: 2 * pairs : 2], order[1 : 2 * pairs : 2]
    sources[one], sources[other] = other, one
    return sources


def pair_households(
    wanted: Ints, group: Ints, area: Ints, free: NDArray[np.bool_], rng: np.random.Generator, most: int | None = None
) -> Ints:
    """Partner of each wanted household, -1 if there is none: free, of the same group and of another area.

    Wanted households are served in order, at most `most` of them with success; partners are drawn at random, and
    both are marked as not free, in place.
    """
    members = np.flatnonzero(free & np.isin(group, np.unique(group[wanted])))
    members = members[rng.permutation(len(members))]
    members = members[stable_order(group[members])]
    labels, starts = np.unique(group[members], return_index=True)
    stops = np.append(starts[1:], len(members)).astype(np.int64)
    place = np.searchsorted(labels, group[wanted])
    partner = np.full(len(wanted), -1, dtype=np.int64)
    if len(members):
        limit = len(wanted) if most is None else most
        _serve(wanted, place, starts, stops, members, area, free, rng.random(len(wanted)), limit, partner)
    return partner


@jit
def _serve(
    wanted: Ints,
    place: Ints,
    starts: Ints,
    stops: Ints,
    members: Ints,
    area: Ints,
    free: NDArray[np.bool_],
    uniforms: Floats,
    most: int,
    partner: Ints,
) -> None:
    """The free members of each group lie between its start and stop; a member that is taken is replaced by the last."""
    done = 0
    for w in range(len(wanted)):
        home = wanted[w]
        if not free[home] or done >= most:
            continue
        g = place[w]
        size = stops[g] - starts[g]
        first = int(uniforms[w] * size)
        step = 0
        while step < size:
            at = starts[g] + (first + step) % size
            other = members[at]
            if not free[other]:  # already taken as a wanted one: close the gap and draw again
                stops[g] -= 1
                size -= 1
                members[at] = members[stops[g]]
                continue
            if area[other] != area[home]:
                partner[w] = other
                free[home] = False
                free[other] = False
                done += 1
                break
            step += 1
