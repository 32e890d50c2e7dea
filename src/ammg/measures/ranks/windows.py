"""The attack by windows of ranks, for all methods that keep a value's rank within published bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import (
    Censoring,
    Groups,
    NoiseLaw,
    Published,
    RankWindow,
    Recoding,
    Rounding,
    Sampled,
    Suppression,
)
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.attack import Attempt, best_of, credit_links
from ammg.measures.linkage.intruder import Knowledge, Search, common_numbers, untouched

if TYPE_CHECKING:
    from ammg.kernels.ranks.rank_windows import RankSpans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_INTERSECTED = 4_000_000_000  # pairs of records whose windows are compared for links one to one
MOST_LISTED = 20_000_000  # pairs that windows may leave for links one to one
IMPOSSIBLE = 25.0  # times what a broken window costs where few are: no pair outside a window is believed
DEVIATIONS = 3.0  # of noise and of measurements that a window allows for


@dataclass(frozen=True)
class Window:
    """How far ranks may have moved, within which strata, and among which records: all unless a condition says so."""

    reach: int
    within: tuple[str, ...] = ()
    among: Any = None


def windows_of(pair: Pair, known: Knowledge, steps: Iterable[tuple[str, Window]]) -> dict[str, Window]:
    """The window of each known column over all steps, where there is one.

    Reaches add up. Ranks within strata, or among records that meet a condition, tell nothing to whoever does not know
    these, or if the release shows others; nor do steps within different parts bound anything together. Ranks among
    households are not those of their members, and after a step that says nothing of ranks there is no window.
    """
    found: dict[str, list[Window]] = {}
    for name, window in steps:
        found.setdefault(name, []).append(window)
    usable = {}
    for name, windows in found.items():
        first = windows[0]
        one_part = len({(window.within, str(window.among)) for window in windows}) == 1
        if name in known.names and one_part and _shows(pair, known, first) and blurs_of(pair, known, name):
            usable[name] = Window(sum(window.reach for window in windows), first.within, first.among)
    return usable


def _shows(pair: Pair, known: Knowledge, window: Window) -> bool:
    """Whether the intruder and the release agree on who is in which part of the records."""
    same = set(untouched(pair, known))
    if window.among is None:
        return same.issuperset(window.within)
    if isinstance(window.among, str):
        return False
    recoded = {name for fact in pair.published if isinstance(fact, Recoding) for name in fact.columns}
    return same.issuperset(window.within) and (same - recoded).issuperset(window.among.meta.root_names())


class Blur(NamedTuple):
    """How far a value may lie from the one whose rank counts: by so much, and by such a share of itself."""

    amount: float = 0.0
    share: float = 0.0


def blurs_of(pair: Pair, known: Knowledge, name: str) -> tuple[Blur, Blur] | None:
    """Those of a known and of a released value; None if nothing bounds them."""
    place = known.names.index(name)
    if known.categorical[place] and known.error[place]:
        return None
    variance, rounded, factor = 0.0, 0.0, 1.0
    for fact in pair.published:
        if name not in fact.columns:
            continue
        if isinstance(fact, NoiseLaw) and fact.scale == 1:
            noise = float(fact.covariance.diagonal()[fact.columns.index(name)])
            if fact.logarithmic:
                factor *= float(np.exp(DEVIATIONS * np.sqrt(noise) + abs(fact.mean)))
            else:
                variance += noise
        elif isinstance(fact, Rounding):
            rounded += fact.base
        elif not _keeps_ranks(fact):
            return None
    released = Blur(DEVIATIONS * float(np.sqrt(variance)) + rounded, factor - 1)
    return Blur(DEVIATIONS * float(known.error[place])), released


def _keeps_ranks(fact: Published) -> bool:
    """Whether a step moves ranks no further than windows say; values that are merged keep all their ranks."""
    one_by_one = isinstance(fact, Groups) and not fact.joint
    return one_by_one or isinstance(fact, RankWindow | Censoring | Recoding | Sampled | Suppression)


def intersect(pair: Pair, search: Search, windows: Mapping[str, Window], *, everybody: bool = True) -> Attempt:
    """Keep, for each released record, the people whose ranks are within reach and who agree on what was not changed.

    Tries a random candidate, the one nearest in ranks, the one most probable over all matchings, and links one to one,
    and answers with the best. Without
    `everybody`, records of people who are not sought are not looked at where there are many, and links one to one,
    which need them, left out.
    """
    from ammg.kernels.linkage.pair_likelihood import hit_chance
    from ammg.kernels.matching.assignment import assign_within
    from ammg.kernels.matching.likely_assignment import share_out
    from ammg.kernels.ranks.rank_windows import (
        RankSpans,
        intersect_windows,
        scattered,
        window_pairs,
        window_scores,
    )

    original, masked, bounds = _bounded(pair, search, windows)
    whole = everybody or pair.n * pair.t <= MOST_INTERSECTED
    rows = np.arange(pair.t) if whole else np.flatnonzero(search.origin >= 0)
    part = RankSpans(masked.first[rows], masked.last[rows])
    found = scattered(intersect_windows(original, part, bounds, search.origin[rows]), rows, pair.t)
    ways = {"random_candidate": found.chance, "nearest_candidate": found.nearest}
    if whole and int(found.size.sum()) <= MOST_LISTED:
        links = assign_within(*window_pairs(original, masked, bounds, found.size), (pair.t, pair.n)).links
        ways["one_to_one"] = credit_links(links, search.origin, search.known.original, search.known.masked)
    if everybody:
        allowed = IMPOSSIBLE * window_scores(original, masked, bounds)
        ways["most_probable_of_matchings"] = hit_chance(share_out(allowed), search.origin)
    sought = search.origin >= 0
    facts = {
        "candidates": float(found.size[sought].mean()),
        "single_candidate": float((found.size[sought] == 1).mean()),
        "holds_truth": float(found.holds_truth[sought].mean()),
    }
    return best_of(ways, sought, facts, np.where(found.size > 0, -found.size, np.nan).astype(np.float64))


def log_windows(pair: Pair, search: Search, windows: Mapping[str, Window]) -> Floats:
    """Records × people: how far a pair breaks the windows and what was not changed."""
    from ammg.kernels.ranks.rank_windows import window_scores

    if not windows:
        return np.zeros((pair.t, pair.n))
    return window_scores(*_bounded(pair, search, windows))


def _bounded(pair: Pair, search: Search, windows: Mapping[str, Window]) -> tuple[RankSpans, RankSpans, Ints]:
    """The ranks that people and records could hold, codes of what was not changed, and how far each may be apart."""
    from ammg.kernels.ranks.rank_windows import ANYWHERE, RankSpans

    spans = in_threads(lambda item: _spans(pair, search, *item), windows.items(), len(windows) * (pair.n + pair.t))
    same, shown = common_numbers(search.known.only(untouched(pair, search.known)))
    exact = [_unchanged(pair, search, name, window) for name, window in windows.items() if window.among is not None]
    before = np.hstack([same, *(part[0] for part in exact)])
    after = np.hstack([shown, *(part[1] for part in exact)])
    original, masked = (
        RankSpans(
            np.hstack([*(span.first for span in sides), np.maximum(codes, 0)]),
            np.hstack([*(span.last for span in sides), np.where(codes < 0, ANYWHERE, codes)]),
        )
        for sides, codes in (([span[0] for span in spans], before), ([span[1] for span in spans], after))
    )
    bounds = np.array([span[2] for span in spans] + [0] * before.shape[1], dtype=np.int64)
    return original, masked, bounds


def _spans(pair: Pair, search: Search, name: str, window: Window) -> tuple[RankSpans, RankSpans, int]:
    """The ranks that the values of a column could hold in both files, on one scale, and how far they may be apart."""
    from ammg.kernels.ranks.rank_windows import part_spans, rank_spans, stretched

    known = search.known.only([name])
    sides = known.original, known.masked
    blurs = blurs_of(pair, search.known, name) or (Blur(), Blur())
    if not window.within and window.among is None:
        before, after = (rank_spans(values, *blur) for values, blur in zip(sides, blurs, strict=True))
        return before, stretched(after, pair.n / max(pair.t, 1)), window.reach + _slack(pair)
    parts = _parts(search.known, window.within)
    members = _members(pair, search, window)
    spans, sizes = [], []
    for values, blur, part, mine in zip(sides, blurs, parts, members, strict=True):
        span, size = part_spans(values[:, 0], np.where(mine, part, -1), int(max(map(np.max, parts))) + 1, pair.n, *blur)
        spans.append(span)
        sizes.append(size)
    swapped = int(sizes[0].sum())
    return spans[0], spans[1], int(np.ceil((window.reach + 1) * pair.n / max(swapped, 1))) + _blurred(sizes, pair.n)


def _parts(known: Knowledge, within: tuple[str, ...]) -> tuple[Ints, Ints]:
    """The stratum of each record of both files, numbered from 0."""
    from ammg.kernels.linkage.nearest import number_in_both

    some = known.only(within)
    return number_in_both(some.original, some.masked)


def _members(pair: Pair, search: Search, window: Window) -> tuple[Bools, Bools]:
    """The records of both files that the step was limited to."""
    if window.among is None:
        return np.ones(pair.n, dtype=bool), np.ones(pair.t, dtype=bool)
    before, after = (pair.meeting(window.among, masked=masked) for masked in (False, True))
    return before[search.people], after[search.records]


def _unchanged(pair: Pair, search: Search, name: str, window: Window) -> tuple[Ints, Ints]:
    """Two columns that must agree: who was swapped, and the values of those who were not (-1: not to be compared)."""
    members = _members(pair, search, window)
    values = common_numbers(search.known.only([name]))
    sure = blurs_of(pair, search.known, name) == (Blur(), Blur())
    before, after = (
        np.column_stack([mine, np.where(mine | (not sure), -1, codes[:, 0])])
        for mine, codes in zip(members, values, strict=True)
    )
    return before.astype(np.int64), after.astype(np.int64)


def _blurred(sizes: list[Ints], people: int) -> int:
    """Three standard deviations of a rank, where the release has a share of a stratum's records only."""
    both = (sizes[0] > 0) & (sizes[1] > 0)
    share = np.minimum(*sizes)[both] / np.maximum(*sizes)[both]
    blur = 1.5 * np.sqrt((1 - share) / (share * np.maximum(*sizes)[both]))
    return int(np.ceil(people * blur.max(initial=0.0)))


def _slack(pair: Pair) -> int:
    """The same for the whole file."""
    return _blurred([np.array([pair.n]), np.array([pair.t])], pair.n)
