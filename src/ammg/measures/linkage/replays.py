"""Replays: what the published recipe makes of the intruder's own file under secrets of the intruder's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Again, Pair
from ammg.errors import NotDefined
from ammg.kernels.threads import AT_ONCE, in_threads
from ammg.measures.linkage.intruder import Knowledge, Search

Floats = NDArray[np.float64]

FEW, MANY = 6, 40  # draws of a recipe that changes little, and of one that changes much
CELLS = 8_000_000  # of all draws together, beyond the first few
EQUAL = 200_000  # cells of all draws together, beyond the first few, while all draws are equal
NO_RECIPE = "no published method could be replayed"
MUCH = 0.02  # of the variance of a column, within a person: beyond it laws differ from person to person
SECRET = 1618033  # the intruder's first own secret
SAME = 1e-7  # of the spread of a column: what the order of sums may change
FARTHER = 1.5  # times the distance between draws of one order
BY_TIES = 0.1  # share of the people whom ties, decided by the order of the file, may move elsewhere


class Replays(NamedTuple):
    """Draws × people × columns of masked values: numbers, and codes as in `Knowledge`; NaN where nothing came out."""

    known: Knowledge
    draws: Floats
    ordered: bool = False
    """Whether nothing is random, but what becomes of a person depends on the order of the file, which nobody knows."""

    @property
    def varies(self) -> bool:
        """Whether draws differ: by own secrets, or by orders of the own file."""
        return _differ(self.draws)

    @property
    def seems_exact(self) -> bool:
        """Whether the first two draws are equal: chance, if there is any, changes little in this file."""
        return not _differ(self.draws[:2])


def replayed(pair: Pair, search: Search) -> Replays:
    """Run the recipe on the known columns, in orders that tell nothing, until its law can be seen.

    Two equal draws are enough where no step asked for random numbers: such a recipe gives the same whatever the secret.
    Where one did, they may be equal by luck, as those of local recoding often are in a small file, and the release may
    be another draw. So as many as of any random recipe are made of a small file (`EQUAL`), and a few of a large one:
    there chance has many places to show itself, and a coin tossed once for the whole file stays hidden from six draws
    once in 32 times.

    Raises:
        NotDefined: no recipe is known, or none of the known columns can be replayed.
    """
    if pair.again is None:
        raise NotDefined(NO_RECIPE)
    if search.cut_from is not None:
        return _cut(replayed(pair, search.cut_from), search)
    wrong = search.known.categorical & (search.known.error > 0)
    names = [name for name, blurred in zip(search.known.names, wrong, strict=True) if not blurred]
    if not names or not pair.n:
        raise NotDefined("no known attribute can be replayed")
    return pair.once((Replays, tuple(names), search.people.tobytes()), lambda: _replay(pair, pair.again, search, names))


def _cut(replays: Replays, search: Search) -> Replays:
    """The replays of all that is known, on the attributes that a search uses and in the order of its people."""
    assert search.cut_from is not None
    names = [name for name in search.known.names if name in replays.known.names]
    if not names:
        raise NotDefined("no known attribute can be replayed")
    place = np.empty(len(search.people), dtype=np.int64)
    place[search.cut_from.people] = np.arange(len(search.people))
    columns = [replays.known.names.index(name) for name in names]
    draws = replays.draws[:, place[search.people]][:, :, columns]
    return Replays(search.known.only(names), draws, replays.ordered)


def _replay(pair: Pair, again: Again | None, search: Search, names: list[str]) -> Replays:
    assert again is not None
    known = search.known.only(names)
    kinds = zip(names, known.categorical, known.error, strict=True)
    measured = {name: known.original[:, j] for j, (name, codes, error) in enumerate(kinds) if error and not codes}
    own = pair.held_by(names, search.people, measured)
    dictionaries = {
        name: pair.common_codes(name)[2]
        for name, categorical in zip(names, known.categorical, strict=True)
        if categorical
    }

    random = False

    def draw(number: int, order: NDArray[np.int64] | None = None) -> Floats:
        nonlocal random
        if order is None:
            made = again(own, SECRET + number)
            random = random or made.is_random
            return _aligned(made, known, dictionaries)
        turned = pair.held_by(names, search.people[order], {name: values[order] for name, values in measured.items()})
        out = np.empty(known.original.shape)
        out[order] = _aligned(again(turned, SECRET + number), known, dictionaries)
        return out

    def next_draw(number: int) -> Floats:
        return draw(number, _order(pair.n, number) if turned else None)

    draws = in_threads(draw, range(2), 2 * pair.n * len(names), most=AT_ONCE)
    ordered = False
    if np.array_equal(draws[0], draws[1], equal_nan=True):
        ordered = turned = _apart(draws[0], draw(1, _order(pair.n, 1))) > BY_TIES
    else:
        draws += [draw(number) for number in range(2, FEW)]
        turned = _moves(
            np.stack(draws)[:, :, ~known.categorical], draw(FEW, _order(pair.n, FEW))[:, ~known.categorical]
        )
    draws = draws[:1] if turned else draws
    while len(draws) < (wanted := _wanted(draws, pair.n * len(names), random)):
        # What is wanted changes with the first draw that differs; once some do, draws do not depend on one another.
        last = wanted if _differ(draws[:2]) else len(draws) + 1
        draws += in_threads(next_draw, range(len(draws), last), wanted * pair.n * len(names), most=AT_ONCE)
    return Replays(known, np.stack(draws), ordered)


def _order(people: int, number: int) -> NDArray[np.int64]:
    """An order of the own file."""
    return np.random.default_rng(SECRET + number).permutation(people)


def _apart(draw: Floats, other: Floats) -> float:
    """The share of the people of whom two draws differ by more than rounding."""
    spread = spread_of(draw[:, None, :])
    with np.errstate(invalid="ignore"):
        moved = np.abs(draw - other) > SAME * np.where(spread > 0, spread, 1.0)
    return float((moved | (np.isnan(draw) != np.isnan(other))).any(axis=1).mean())


def _moves(draws: Floats, turned: Floats) -> bool:
    """Whether a draw in another order lies farther from the draws of one order than these do from each other."""
    if not draws.size:
        return False
    spread = spread_of(draws.reshape(-1, 1, draws.shape[2]))
    seen = (~np.isnan(draws).any(axis=(0, 1)) & ~np.isnan(turned).any(axis=0)) & (spread > 0)
    if not seen.any():
        return False
    values, others = draws[:, :, seen], turned[:, seen]
    without = (values.sum(axis=0) - values) / (len(values) - 1)
    inside = np.median(np.abs(values - without).reshape(-1, values.shape[2]), axis=0)
    outside = np.median(np.abs(others - without[-1]), axis=0)
    return bool((outside > FARTHER * inside + SAME * spread[seen]).any())


def _differ(draws: Sequence[Floats] | Floats) -> bool:
    return any(not np.array_equal(draws[0], other, equal_nan=True) for other in draws[1:])


def _wanted(draws: list[Floats], cells: int, random: bool) -> int:
    """How many draws it takes: two if nothing is random, and few to tell whether people have laws of their own."""
    if len(draws) < 2:
        return 2
    if not _differ(draws[:2]):
        least = int(np.clip(EQUAL // max(cells, 1), FEW, MANY)) if random else 2
        if len(draws) < least or not _differ(draws):
            return least
    if len(draws) < FEW:
        return FEW
    if len(draws) > FEW:
        return int(np.clip(CELLS // max(cells, 1), FEW, MANY))
    values = np.stack(draws)
    within = spread_of(values)
    total = spread_of(values.reshape(-1, 1, values.shape[2]))
    share = np.divide(within, total, out=np.zeros_like(within), where=total > 0) ** 2
    return FEW if share.max(initial=0.0) < MUCH else int(np.clip(CELLS // max(cells, 1), FEW, MANY))


def spread_of(draws: Floats) -> Floats:
    """The standard deviation of each column within a person, over draws × people × columns; 0 where nothing is seen."""
    seen = ~np.isnan(draws)
    count = seen.sum(axis=0)
    filled = np.where(seen, draws, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    squares = np.where(seen, (draws - mean) ** 2, 0.0).sum(axis=(0, 1))
    return np.asarray(np.sqrt(squares / np.maximum(count.sum(axis=0), 1)))


def _aligned(replay: Pair, known: Knowledge, dictionaries: Mapping[str, tuple[Any, ...]]) -> Floats:
    """What became of each person, as `Knowledge` has it."""
    out = np.full((replay.n, len(known.names)), np.nan)
    real = replay.link >= 0
    for j, name in enumerate(known.names):
        if name not in replay.masked.schema:
            continue
        if name in dictionaries:
            shown, categories = replay.codes(name, masked=True)
            codes = np.append(match_categories(categories, dictionaries[name]), -1)[shown]
            values = np.where(codes < 0, np.nan, codes)
        else:
            values = replay.released([name])[:, 0]
        out[replay.link[real], j] = values[real]
    return out
