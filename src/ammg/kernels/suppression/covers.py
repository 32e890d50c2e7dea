"""An initial set of suppressions: a greedy cover of the unsafe combinations of values.

A record that loses the keys of a pattern is compatible with every record that agrees with it on the other keys. It
*covers* their cells: each of them gains one look-alike. A cell of u records that lacks d look-alikes is safe once it is
covered d times, or once all its records have lost enough keys themselves. This is a multi-cover problem, for which the
greedy rule (most need met per unit of cost) is the standard heuristic (Chvátal 1979; Dobson 1982).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import combine_codes, group_keys
from ammg.kernels.jit import ZERO, jit, jit_part
from ammg.kernels.plain import Budget, plain

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_budget = Budget(0.8)  # about what compiling takes


def cover_unsafe_cells(
    codes: Codes, counts: Ints, frequencies: Floats, k: int, costs: Floats, prices: Floats
) -> tuple[Ints, Ints]:
    """Cells and patterns of single records to suppress, so that every record has k look-alikes.

    A record loses a value only if it would also lose it if it alone were suppressed: no record is blanked merely to
    serve as a look-alike of others.

    Args:
        codes: Cells × keys, -1 missing.
        counts: Records per cell; at least k in total that can become look-alikes.
        frequencies: Look-alikes per cell, a missing value matching everything.
        k: Least number of look-alikes.
        costs: Cost of suppressing each key; infinite for one that may not be suppressed.
        prices: Factor by which the cost is multiplied for a record of each cell.

    Returns:
        One cell and one bit mask of keys per record.
    """
    unsafe = np.flatnonzero(frequencies < k)
    needs = (k - frequencies[unsafe]).astype(np.int64)
    members, starts, patterns = _groups(codes, counts, unsafe, k, costs)
    group_costs = np.zeros(patterns.size)
    for key, cost in enumerate(costs.tolist()):
        group_costs[patterns >> key & 1 == 1] += cost
    lacking, used = needs.copy(), np.zeros(unsafe.size, np.int64)
    chosen, groups = np.empty((2, int(counts[unsafe].sum())), np.int64)
    heap, values = np.empty(patterns.size, np.int64), np.empty(patterns.size)
    seconds = 5e-6 * (members.size + float(np.square(np.diff(starts)).sum()))
    cover = plain(_cover) if _budget.allows(_cover, seconds) else _cover
    kept = cover(
        codes[unsafe], counts[unsafe], needs, prices[unsafe], members, starts, group_costs, lacking, used, chosen,
        groups, heap, values, np.empty(2),
    )  # fmt: skip
    chosen, groups = chosen[:kept], groups[:kept]
    cells, masks = unsafe[chosen], patterns[groups]
    left = np.flatnonzero((lacking > 0) & (used < counts[unsafe]))
    if left.size:
        room = np.empty(counts.size, np.int64)
        seconds = 2e-8 * left.size * (5_000 + codes.size)
        grow = plain(_grow, **_FEW) if _budget.allows(_grow, seconds) else _grow
        grown = np.array([grow(codes, counts, unsafe[one], k, costs, room) for one in left.tolist()], dtype=np.int64)
        more = np.repeat(np.arange(left.size), (counts[unsafe] - used)[left])
        cells, masks = np.concatenate([cells, unsafe[left[more]]]), np.concatenate([masks, grown[more]])
    missing = (codes[cells] < 0) @ (np.int64(1) << np.arange(codes.shape[1], dtype=np.int64))
    return cells, masks & ~missing


def _groups(codes: Codes, counts: Ints, unsafe: Ints, k: int, costs: Floats) -> tuple[NDArray[np.int32], Ints, Ints]:
    """Unsafe cells that agree outside a pattern of one or two keys and have k look-alikes there.

    A pattern of two keys is used only for cells that neither key alone makes safe. Returns the members of all groups,
    concatenated (positions among the unsafe cells), the start of each group, and its pattern.
    """
    n_keys = codes.shape[1]
    free = [key for key in range(n_keys) if np.isfinite(costs[key])]
    sizes = [int(column.max(initial=-1)) + 1 for column in codes.T]
    columns = [np.ascontiguousarray(column) for column in codes.T]
    enough = np.zeros((n_keys, unsafe.size), np.bool_)
    found: list[tuple[Ints, Ints, int]] = []
    for pattern in [*combinations(free, 1), *combinations(free, 2)]:
        rest = [key for key in range(n_keys) if key not in pattern]
        groups, helped = _group(columns, sizes, rest, counts, unsafe, k)
        if len(pattern) == 1:
            enough[pattern[0]] = helped
        else:
            helped &= ~(enough[pattern[0]] | enough[pattern[1]])
        order = np.flatnonzero(helped)
        order = order[np.argsort(groups[order], kind="stable")]
        lengths = np.bincount(groups[order])
        found.append((order, lengths[lengths > 0], sum(1 << key for key in pattern)))
    members = np.concatenate([np.zeros(0, np.int64), *(order for order, _, _ in found)]).astype(np.int32)
    lengths = np.concatenate([np.zeros(1, np.int64), *(lengths for _, lengths, _ in found)])
    patterns = [np.full(lengths.size, pattern, np.int64) for _, lengths, pattern in found]
    return members, np.cumsum(lengths), np.concatenate([np.zeros(0, np.int64), *patterns])


def _group(
    columns: Sequence[Codes], sizes: Sequence[int], rest: Sequence[int], counts: Ints, unsafe: Ints, k: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The group of each unsafe cell on the remaining keys, and whether it has k records there."""
    groups = np.zeros(counts.size, np.int32)
    whole = np.ones(counts.size, np.bool_)
    if rest:
        groups = group_keys(*combine_codes([columns[key] for key in rest], [sizes[key] for key in rest])).index
        for key in rest:
            whole &= columns[key] >= 0
    records = np.bincount(groups, counts * whole)
    return groups[unsafe], whole[unsafe] & (records[groups[unsafe]] >= k)


@jit
def _cover(
    codes: Codes,
    counts: Ints,
    needs: Ints,
    prices: Floats,
    members: NDArray[np.int32],
    starts: Ints,
    group_costs: Floats,
    lacking: Ints,
    used: Ints,
    chosen: Ints,
    groups: Ints,
    heap: Ints,
    values: Floats,
    best: Floats,
) -> int:
    """The greedy choice, followed by the removal of choices that later ones made superfluous; returns their number.

    Writes cell and group of each choice, counts the chosen records of each cell (`used`), and leaves in `lacking` the
    number of look-alikes still missing. `heap`, `values` and `best` are working memory.
    """
    n_groups = group_costs.size
    size = ZERO
    for group in range(n_groups):
        _best(group, counts, needs, lacking, used, prices, members, starts, group_costs, best)
        if best[1] >= 0:
            values[group] = best[0]
            heap[size] = group
            size += 1
            _rise(heap, values, size - 1)
    n_chosen = 0
    while size > 0:
        group = heap[0]
        _best(group, counts, needs, lacking, used, prices, members, starts, group_costs, best)
        if best[1] < 0:
            size -= 1
            heap[0] = heap[size]
            _sink(heap, values, size)
            continue
        if best[0] < values[group]:
            values[group] = best[0]
            _sink(heap, values, size)
            continue
        donor = int(best[1])
        used[donor] += 1
        _add_covers(codes, members, starts, group, donor, lacking, np.int64(-1))
        chosen[n_chosen], groups[n_chosen] = donor, group
        n_chosen += 1
    return _drop_superfluous(codes, counts, lacking, used, members, starts, chosen, groups, n_chosen)


@jit_part
def _drop_superfluous(
    codes: Codes,
    counts: Ints,
    lacking: Ints,
    used: Ints,
    members: NDArray[np.int32],
    starts: Ints,
    chosen: Ints,
    groups: Ints,
    n_chosen: int,
) -> int:
    """Undo choices that are no longer needed, last first; returns how many are left."""
    for number in range(n_chosen - 1, -1, -1):
        donor, group = chosen[number], groups[number]
        needed = lacking[donor] > 0
        for place in range(starts[group], starts[group + 1]):
            cell = members[place]
            if cell != donor and lacking[cell] == 0 and used[cell] < counts[cell]:
                needed |= _difference(codes, cell, donor) != 0
        if not needed:
            chosen[number] = -1
            used[donor] -= 1
            _add_covers(codes, members, starts, group, donor, lacking, np.int64(1))
    n_kept = 0
    for number in range(n_chosen):
        if chosen[number] >= 0:
            chosen[n_kept], groups[n_kept] = chosen[number], groups[number]
            n_kept += 1
    return n_kept


@jit_part
def _best(
    group: int,
    counts: Ints,
    needs: Ints,
    lacking: Ints,
    used: Ints,
    prices: Floats,
    members: NDArray[np.int32],
    starts: Ints,
    group_costs: Floats,
    best: Floats,
) -> None:
    """The most need met per unit of cost by suppressing one record of a group, and its cell; -1 if none is met.

    The need of a cell is the number of records to suppress if it were alone, min(d, u); a cover meets 1/d of it.
    """
    total = 0.0
    for place in range(starts[group], starts[group + 1]):
        cell = members[place]
        if lacking[cell] > 0 and used[cell] < counts[cell]:
            total += min(needs[cell], counts[cell]) / needs[cell]
    best[0], best[1] = 0.0, -1.0
    if total == 0.0:
        return
    for place in range(starts[group], starts[group + 1]):
        cell = members[place]
        if used[cell] >= counts[cell]:
            continue
        gain = total
        if lacking[cell] > 0:
            need = min(needs[cell], counts[cell])
            gain += need / counts[cell] - need / needs[cell]
        value = gain / (group_costs[group] * prices[cell])
        if value > best[0]:
            best[0], best[1] = value, float(cell)


@jit_part
def _add_covers(
    codes: Codes, members: NDArray[np.int32], starts: Ints, group: int, donor: int, lacking: Ints, change: np.int64
) -> None:
    for place in range(starts[group], starts[group + 1]):
        cell = members[place]
        if cell != donor and _difference(codes, cell, donor) != 0:
            lacking[cell] += change


@jit_part
def _before(heap: Ints, values: Floats, one: int, other: int) -> bool:
    left, right = heap[one], heap[other]
    return bool(values[left] > values[right]) or bool(values[left] == values[right] and left < right)


@jit_part
def _rise(heap: Ints, values: Floats, place: int) -> None:
    while place > 0 and _before(heap, values, place, (place - 1) // 2):
        parent = (place - 1) // 2
        heap[place], heap[parent] = heap[parent], heap[place]
        place = parent


@jit_part
def _sink(heap: Ints, values: Floats, size: int) -> None:
    place = ZERO
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _before(heap, values, child + 1, child):
            child += 1
        if _before(heap, values, place, child):
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@jit
def _grow(codes: Codes, counts: Ints, cell: int, k: int, costs: Floats, differences: Ints) -> int:
    """A cheap pattern under which a cell has k look-alikes: the nearest cells are added until there are enough.

    Keys that turn out to be unnecessary leave the pattern again, the most expensive first. `differences` is working
    memory with one number per cell.
    """
    pattern = ZERO
    _compare(codes, cell, differences)
    for _ in range(costs.size + 1):
        least, step = _cheapest(differences, costs, pattern)
        if _count(differences, counts, pattern) >= k or not least < np.inf:
            break
        pattern |= step
    tried = ZERO
    while tried != pattern:
        costliest = -1
        for key in range(costs.size):
            if (pattern & ~tried) >> key & 1 and (costliest < 0 or costs[key] > costs[costliest]):
                costliest = key
        fewer = pattern & ~(1 << costliest)
        if _count(differences, counts, fewer) >= k:
            pattern = fewer
        else:
            tried |= 1 << costliest
    return pattern


@jit_part
def _compare(codes: Codes, cell: int, differences: Ints) -> None:
    """The differences between a cell and all others."""
    for other in range(len(differences)):
        differences[other] = _difference(codes, cell, other)


def _compare_few(codes: Codes, cell: int, differences: Ints) -> None:
    differences[:] = 0
    for key, column in enumerate(codes.T):
        differences |= ((column != column[cell]) & (column >= 0) & (column[cell] >= 0)).astype(np.int64) << key


@jit_part
def _cheapest(differences: Ints, costs: Floats, pattern: int) -> tuple[float, int]:
    """The price and the keys of the cheapest step that makes more cells agree outside a pattern."""
    least, step = np.inf, ZERO
    for other in range(differences.size):
        lacking = differences[other] & ~pattern
        if lacking == 0:
            continue
        price = 0.0
        for key in range(costs.size):
            if (lacking >> key) & 1:
                price += costs[key]
        if price < least:
            least, step = price, lacking
    return least, step


def _cheapest_few(differences: Ints, costs: Floats, pattern: int) -> tuple[float, int]:
    lacking = differences & ~pattern
    prices = np.where(lacking == 0, np.inf, 0.0)
    for key, cost in enumerate(costs.tolist()):
        prices[lacking >> key & 1 == 1] += cost
    best = int(prices.argmin())
    return float(prices[best]), int(lacking[best])


@jit_part
def _count(differences: Ints, counts: Ints, pattern: int) -> int:
    """The records that agree outside a pattern."""
    records = ZERO
    for other in range(counts.size):
        if differences[other] & ~pattern == 0:
            records += counts[other]
    return records


def _count_few(differences: Ints, counts: Ints, pattern: int) -> int:
    return int(counts[differences & ~pattern == 0].sum())


_FEW = {"_compare": _compare_few, "_cheapest": _cheapest_few, "_count": _count_few}


@jit_part
def _difference(codes: Codes, one: int, other: int) -> np.int64:
    """The keys, as bits, in which both cells have a value and differ."""
    bits = np.int64(0)
    for key in range(codes.shape[1]):
        if codes[one, key] >= 0 and codes[other, key] >= 0 and codes[one, key] != codes[other, key]:
            bits |= np.int64(1) << key
    return bits
