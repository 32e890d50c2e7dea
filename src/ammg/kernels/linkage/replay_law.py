"""The distribution of a masked value given the person, learned from replays of a recipe.

Anyone who has the published recipe can run it on their own file with their own secrets and see, for every person, what
it does to each value. A law is a centre and a spread for each person on some scale, the density of the standardised
residuals, which all people share, and the probabilities of frequent single values (atoms). The scale, and how far
centre and spread are pooled over people, are chosen on a held-out replay, where the truth is known, so the intruder
needs no other information.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EDGE = 10.0  # standard deviations that the density of residuals spans
BINS = 1000
TAIL = 1e-3  # share of the density that falls off slowly, so that no residual is impossible
LEAST_SPREAD = 1e-9  # of the spread of the column
ATOM = 0.01  # share of all values that makes a single value an atom
MOST_ATOMS = 400
DOUBT = 0.5  # pseudo-draws behind the probability of an atom
NEIGHBOURS = (4, 20)  # people on each side, in the order of their own value, over whom a law is smoothed


class ColumnLaw(NamedTuple):
    """How one released column depends on the person."""

    values: Floats  # of each released record, on the scale of the law; NaN if it reveals nothing
    centre: Floats  # of each person
    spread: Floats
    log_density: Floats  # of standardised residuals, in bins from -EDGE to EDGE
    atom: Ints  # the atom that each released record shows, -1 if none
    log_atoms: Floats  # people × atoms
    log_rest: Floats  # of each person: the log probability of showing no atom
    draws: Floats  # draws × people, on the scale of the law

    def among(self, records: Ints, people: Ints) -> ColumnLaw:
        """The same for some records and some people."""
        return ColumnLaw(
            self.values[records],
            self.centre[people],
            self.spread[people],
            self.log_density,
            self.atom[records],
            self.log_atoms[people],
            self.log_rest[people],
            self.draws[:, people],
        )


class Scale(NamedTuple):
    """A scale on which a column may be compared."""

    name: str
    of: Callable[[Floats], Floats]


def column_laws(own: Floats, draws: Floats, released: Floats, only: str | None = None) -> dict[str, ColumnLaw]:
    """Candidate laws of one numeric column, from draws × people, the people's own values and the released ones.

    With `only`, just the candidate of that name.
    """
    laws: dict[str, ColumnLaw] = {}
    atoms, shares, log_rest = _atoms(draws, released)
    if len(atoms) and np.isin(draws[~np.isnan(draws)], atoms).mean() > 0.98:
        nothing = np.full(len(released), np.nan)
        still = np.zeros(draws.shape[1]), np.ones(draws.shape[1]), np.zeros(BINS)
        return {"atoms": ColumnLaw(nothing, *still, _places(released, atoms), shares, log_rest, draws)}
    place = _places(released, atoms)
    scales = _scales(own)
    if only is not None:  # atoms of the release may differ from those of a replay
        scales = [scale for scale in scales if only.startswith(scale.name)] or scales[:1]
    for scale in scales:
        before, after, shown = (scale.of(part) for part in (own, draws, released))
        if len(atoms):
            after = np.where(np.isin(draws, atoms), np.nan, after)
        for name, (centre, spread) in _moments(before, after).items():
            if only is not None and only.startswith(scale.name) and only != f"{scale.name} {name}":
                continue
            residuals = (after - centre) / spread
            if name == "own":
                count = np.maximum((~np.isnan(after)).sum(axis=0), 2)
                residuals = residuals * count / (count - 1)  # as if its own draw were not part of the centre
            density = log_density(residuals)
            laws[f"{scale.name} {name}"] = ColumnLaw(shown, centre, spread, density, place, shares, log_rest, after)
    return laws


def category_law(draws: Floats, released: Floats) -> ColumnLaw:
    """The law of one column of codes: how often each person shows each code."""
    codes = np.unique(np.concatenate([draws.ravel(), released]))
    codes = codes[~np.isnan(codes)]
    shares = _shares(draws, codes)
    people = draws.shape[1]
    nothing = np.full(len(released), np.nan)
    still = np.zeros(people), np.ones(people), np.zeros(BINS)
    return ColumnLaw(nothing, *still, _places(released, codes), np.log(shares), np.zeros(people), draws)


def known_law(values: Floats, centre: Floats, spread: float | Floats, quantiles: Floats) -> ColumnLaw:
    """The law of a column whose residuals have these known quantiles, in units of each person's spread."""
    return density_law(values, centre, spread, log_density(quantiles))


def density_law(values: Floats, centre: Floats, spread: float | Floats, density: Floats) -> ColumnLaw:
    """The law of a column whose residuals have this known log density, in units of the spread."""
    people = len(centre)
    none = np.full(len(values), -1, dtype=np.int64)
    spreads = np.full(people, spread, dtype=np.float64)
    return ColumnLaw(
        values, centre, spreads, density, none, np.empty((people, 0)), np.zeros(people), np.empty((0, people))
    )


def log_density(residuals: Floats) -> Floats:
    """The log density of standardised residuals, in bins, smoothed and with a tail."""
    seen = residuals[np.isfinite(residuals)]
    edges = np.linspace(-EDGE, EDGE, BINS + 1)
    middles = 0.5 * (edges[1:] + edges[:-1])
    counts = np.histogram(np.clip(seen, -EDGE, EDGE), BINS, (-EDGE, EDGE))[0].astype(np.float64)
    width = max(1, round(1.5 * BINS / EDGE / max(len(seen), 1) ** 0.4))
    kernel = np.convolve(np.ones(width), np.ones(width))
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="same") / max(len(seen), 1) / (edges[1] - edges[0])
    slow = 1.0 / (np.pi * (1.0 + middles**2))
    return np.asarray(np.log((1 - TAIL) * smooth + TAIL * slow))


def _scales(own: Floats) -> list[Scale]:
    """Unchanged values, their ranks among the people's own, and logarithms if all are positive."""
    seen = own[~np.isnan(own)]
    distinct, counts = np.unique(seen, return_counts=True)
    below = np.append(0, np.cumsum(counts))
    distinct = np.append(distinct, np.nan)  # which no value equals

    def ranks(values: Floats) -> Floats:
        place = np.searchsorted(distinct[:-1], values)
        middle = 0.5 * (below[place] + below[place + (distinct[place] == values)])
        return np.where(np.isnan(values), np.nan, middle / max(len(seen), 1))

    def logs(values: Floats) -> Floats:
        return np.log(np.abs(values), out=np.full(values.shape, np.nan), where=values != 0)

    scales = [Scale("values", lambda values: values), Scale("ranks", ranks)]
    return [*scales, Scale("logs", logs)] if len(seen) and np.mean(seen > 0) > 0.5 else scales


def _moments(before: Floats, after: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Centres and spreads of the people: from their own draws, smoothed over neighbours, and pooled over all."""
    seen = ~np.isnan(after)
    count = seen.sum(axis=0)
    filled = np.where(seen, after, 0.0)
    everywhere = filled.sum() / max(count.sum(), 1)
    total = np.sqrt(np.where(seen, (after - everywhere) ** 2, 0.0).sum() / max(count.sum(), 1))
    least = max(LEAST_SPREAD * float(total), 1e-300)
    mean = np.where(count > 0, filled.sum(axis=0) / np.maximum(count, 1), everywhere)
    squares = np.where(seen, (after - mean) ** 2, 0.0).sum(axis=0)
    own_spread = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), total)
    found = {"own": (mean, np.maximum(own_spread, least))}
    known = ~np.isnan(before) & (count > 0)
    if known.sum() < 2:
        return found
    shift = np.where(known, mean - before, 0.0)

    def around(smoothed: Floats, spread: Floats) -> tuple[Floats, Floats]:
        centre = np.where(known, before + smoothed, mean)
        return np.where(np.isnan(centre), everywhere, centre), np.maximum(np.where(known, spread, total), least)

    order = np.flatnonzero(known)[np.argsort(before[known], kind="stable")]
    for reach in NEIGHBOURS:
        if len(order) <= 4 * reach:
            continue
        near, centre, spread = np.zeros(len(before)), np.zeros(len(before)), np.zeros(len(before))
        near[order] = _moving(count[order].astype(np.float64), reach)
        centre[order] = _moving((shift * count)[order], reach) / near[order]
        gaps = np.where(seen, after - np.where(known, before + centre, mean), 0.0)
        spread[order] = np.sqrt(_moving((gaps**2).sum(axis=0)[order], reach) / near[order])
        found[f"smoothed over {reach}"] = around(centre, spread)
        found[f"own with spread over {reach}"] = mean, np.maximum(np.where(known, spread, total), least)
    level = (shift * count)[known].sum() / count[known].sum()
    apart = np.where(seen & known, after - np.where(known, before, 0.0) - level, 0.0)
    spread_of_all = np.sqrt((apart**2).sum() / count[known].sum())
    found["pooled"] = around(np.full(len(before), level), np.full(len(before), spread_of_all))
    return found


def _moving(values: Floats, reach: int) -> Floats:
    """Sums over windows of `reach` neighbours on both sides, shorter at the ends."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(len(values))
    return np.asarray(sums[np.minimum(place + reach + 1, len(values))] - sums[np.maximum(place - reach, 0)])


def _atoms(draws: Floats, released: Floats) -> tuple[Floats, Floats, Floats]:
    """Frequent values, and each person's log probability of showing each of them, and none."""
    seen = draws[~np.isnan(draws)]
    values, counts = np.unique(seen, return_counts=True)
    atoms = values[counts > ATOM * len(seen)]
    if len(values) <= MOST_ATOMS and len(values) < 0.5 * draws.shape[1]:
        atoms = values
    if not len(atoms) or not np.isin(released, atoms).any():
        return np.empty(0), np.empty((draws.shape[1], 0)), np.zeros(draws.shape[1])
    shares = _shares(draws, atoms)
    rest = np.maximum(1.0 - shares.sum(axis=1), 0.5 * DOUBT / (len(draws) + DOUBT))
    return atoms, np.log(shares), np.log(rest)


def _shares(draws: Floats, atoms: Floats) -> Floats:
    """The share of each person's draws that show each atom, shrunk slightly towards that of all people."""
    people = draws.shape[1]
    place = _places(draws.ravel(), atoms).reshape(draws.shape)
    counts = np.zeros((people, len(atoms)))
    for row in place:
        mine = np.flatnonzero(row >= 0)
        counts[mine, row[mine]] += 1
    total = (~np.isnan(draws)).sum(axis=0)
    overall = (counts.sum(axis=0) + 0.5) / (total.sum() + 0.5 * len(atoms) + 0.5)
    return np.asarray((counts + DOUBT * overall) / (total + DOUBT)[:, None])


def _places(values: Floats, atoms: Floats) -> Ints:
    """The atom of each value, -1 if it is none."""
    if not len(atoms):
        return np.full(len(values), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(atoms, values), len(atoms) - 1)
    return np.where(atoms[place] == values, place, -1).astype(np.int64)
