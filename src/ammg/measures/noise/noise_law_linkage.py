"""The attack on added noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import NoiseLaw, Published, Sampled
from ammg.errors import NotDefined
from ammg.kernels.spaces import whitening
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of, credit_links
from ammg.measures.linkage.housemates import household_ways
from ammg.measures.linkage.intruder import Knowledge, Search, common_numbers, untouched
from ammg.measures.linkage.replay_linkage import linked
from ammg.measures.noise.exact_laws import disagree, exact_likelihood, logarithms, normal_likelihood, unscaled

if TYPE_CHECKING:
    from ammg.kernels.noise.noise_posterior import Mixture

Floats = NDArray[np.float64]

BEYOND = 200.0  # with four times the dimensions, a squared distance far outside what the noise does
APART = 1e4  # standard deviations of the noise between values of an attribute that has none


class NoiseLawLinkage(Attack):
    """Share of released records re-identified by an intruder who knows the distribution of the noise.

    Published rescaling is undone, then Bayes' rule gives each person's probability: exactly for normal noise and
    mixtures if all noisy attributes are known, otherwise with a normal distribution of the same covariance (Mahalanobis
    distance). For noise on logarithms, logarithms are compared, and zeros and signs that the noise keeps must agree.
    Errors of measurement add to the noise. Attributes that were not changed must agree. The value is the best of three
    ways to link: to the most probable person, to the most probable person over all matchings, and one to one at the
    smallest total Mahalanobis distance. Source: Fuller (1993); the mixture is not in the literature.
    """

    works_on: ClassVar[type[Published] | None] = NoiseLaw
    refusal: ClassVar[str] = "no law of noise is published for a known attribute"

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Compute the posterior of everybody, and links one to one."""
        from ammg.kernels.linkage.pair_likelihood import hit_chance
        from ammg.kernels.matching.likely_assignment import finds_room, share_out
        from ammg.kernels.matching.nearest_assignment import assign_nearest
        from ammg.kernels.noise.noise_posterior import noise_posterior

        laws = [law for law in pair.published if isinstance(law, NoiseLaw)]
        laws = [law for law in laws if set(law.columns) & set(search.known.names)]
        if not laws:
            raise NotDefined(self.refusal)
        normal = [_normal_coordinates(law, search.known) for law in [*laws, *_measured(pair, search.known)]]
        agreeing = common_numbers(search.known.only(untouched(pair, search.known, complete=True)))
        same, shown = (np.hstack(parts) for parts in zip(agreeing, _signs(pair, search.known), strict=True))
        original = np.hstack([*(part[0] for part in normal), APART * same])
        masked = np.hstack([*(part[1] for part in normal), APART * shown])
        exact = _mixture_coordinates(laws[0], search.known) if len(laws) == 1 else None
        sought = search.origin >= 0
        if exact is None:
            posterior = noise_posterior(original, masked[sought], search.origin[sought])
        else:
            before, after, law = exact
            posterior = noise_posterior(
                np.hstack([before, APART * same]),
                np.hstack([after, APART * shown])[sought],
                search.origin[sought],
                law,
            )
        ways = {"most_probable": np.zeros(len(masked))}
        ways["most_probable"][sought] = posterior.hit
        if any(law.among is not None for law in laws):
            ways["most_probable"] = _recognised(search, laws, ways["most_probable"])
        if self.compares(pair):
            links = assign_nearest(original, masked, limit=BEYOND + 4.0 * original.shape[1]).links
            ways["one_to_one"] = credit_links(links, search.origin, original, masked)
        sureness = np.full(pair.t, np.nan)
        sureness[sought] = posterior.largest
        exact_law, likelihood = exact_likelihood(pair, search, laws, everybody=self.compares(pair))
        if likelihood is None and exact is None and self.compares(pair) and finds_room(pair.t, pair.n):
            files = (np.hstack(parts) for parts in zip(*normal, strict=True))
            normal_law = normal_likelihood(*files)
            disagree(normal_law, same, shown)
            ways["most_probable_of_matchings"] = hit_chance(share_out(normal_law), search.origin)
            ways |= household_ways(pair, search, normal_law)
        if likelihood is not None:
            disagree(likelihood, same, shown if self.compares(pair) else shown[sought])
            attempt = linked(self, pair, search, likelihood, {})
            ways |= {f"exact_{way}": credit for way, credit in attempt.ways.items()}
            sureness = sureness if attempt.sureness is None else attempt.sureness
        return best_of(
            ways,
            sought,
            {
                "exact_law": exact_law,
                "law": "normal" if exact is None else "mixture",
                "mean_probability_of_truth": float(posterior.truth.mean()),
                "mean_largest_probability": float(posterior.largest.mean()),
            },
            sureness,
        )


def _measured(pair: Pair, known: Knowledge) -> list[NoiseLaw]:
    """The intruder's own errors in numbers that no step has changed, as a law of noise."""
    touched = {name for fact in pair.published for name in fact.columns}
    numbers = zip(known.names, known.categorical, known.error, strict=True)
    names = tuple(name for name, codes, error in numbers if error and not codes and name not in touched)
    return [NoiseLaw(names, np.diag(known.only(names).error ** 2), 1.0)] if names else []


def _normal_coordinates(law: NoiseLaw, known: Knowledge) -> tuple[Floats, Floats]:
    """Both files where the noise is white."""
    places, original, masked = unscaled(law, known)
    errors = _errors(law, known.only([law.columns[place] for place in places]))
    rotation = whitening(law.covariance[np.ix_(places, places)] + np.diag(errors**2))
    mean = original.mean(axis=0)
    return (original - mean) @ rotation, (masked - mean) @ rotation


def _signs(pair: Pair, known: Knowledge) -> tuple[Floats, Floats]:
    """The zeros or signs in both files that no step has changed; nothing of numbers known with error."""
    kept: dict[str, set[str]] = {}
    for fact in pair.published:
        for name in () if isinstance(fact, Sampled) else fact.columns:
            kept.setdefault(name, set()).add(fact.keeps if isinstance(fact, NoiseLaw) else "nothing")
    sure = [name for name, error in zip(known.names, known.error, strict=True) if name in kept and not error]
    some = known.only([name for name in sure if "nothing" not in kept[name]])
    signed = np.array([kept[name] == {"signs"} for name in some.names], dtype=bool)
    before, after = (np.where(np.isnan(values), 1.0, np.sign(values)) for values in (some.original, some.masked))
    return np.where(signed, before, np.abs(before)), np.where(signed, after, np.abs(after))


def _recognised(search: Search, laws: list[NoiseLaw], hit: Floats) -> Floats:
    """The same, but whoever alone has the values of a record that a step on some records did not change is that one."""
    noisy = {name for law in laws for name in law.columns}
    names = [name for name in search.known.names if name in noisy]
    known = search.known.only(names)
    if known.error.any():
        return hit
    rows = np.nan_to_num(np.concatenate([known.original, known.masked]), nan=np.finfo(float).min)
    person, record = np.split(np.unique(rows, axis=0, return_inverse=True)[1].ravel(), [len(known.original)])
    alone = np.bincount(person, minlength=len(rows))[record] == 1
    return np.where(alone, (search.origin >= 0) & (person[search.origin] == record), hit)


def _errors(law: NoiseLaw, known: Knowledge) -> Floats:
    """The deviations of the intruder's errors on the scale of the law; of logarithms those of a middling value."""
    if not law.logarithmic or not known.error.any():
        return known.error
    middle = np.exp(np.nanmedian(logarithms(known.original), axis=0))
    return known.error / middle


def _mixture_coordinates(law: NoiseLaw, known: Knowledge) -> tuple[Floats, Floats, Mixture] | None:
    """Both files where the noise is independent, and its law; None unless it is a mixture, known wholly and surely."""
    from ammg.kernels.noise.noise_posterior import Mixture, uncolour

    if law.mixture is None or law.factor is None or set(law.columns) - set(known.names):
        return None
    if known.only(law.columns).error.any():
        return None
    _, original, masked = unscaled(law, known)
    weights, means, variance = law.mixture
    before, after = uncolour(np.sqrt(law.strength) * law.factor, original, masked)
    return before, after, Mixture(np.asarray(weights, float), np.asarray(means, float), float(variance))
