"""Probabilistic record linkage."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import InputError, NotDefined, did_you_mean
from ammg.kernels.linkage.comparison import Comparison, FieldWeights, Metric, compare
from ammg.kernels.linkage.rates import PrecisionCurve, precision_curve, wilson_interval, zone_rate
from ammg.measures.linkage.attack import Attack, Attempt, Cost, credit_links
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.measurement import Chart, Fact, Table, counts, numbers, text
from ammg.params import param

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DENSE_PAIRS = 4_000_000
CANDIDATES = 40
BINS = 4096  # of the weights of all pairs, for the decision rule


class ProbabilisticLinkage(Attack):
    """Share of released records linked to their own original record by agreement weights.

    Attributes that agree add ln(m/u), attributes that differ ln((1-m)/(1-u)). Numbers lie in between, by their distance
    ratio q up to the tolerance: q = |a-b|/max(|a|, 0.1) for `d`, the same on logarithms for `l` (values of different
    sign disagree, two zeros agree, negative values count by size). Links are one to one with the largest total. EM
    estimates the weights without the truth; if its class of matches is implausible, equal weights are used and the fact
    `weights` says so. `supervised` learns m from the truth, as the best-informed intruder could. Source: Fellegi and
    Sunter (1969); Winkler (1988); Yancey, Winkler and Creecy (2002), section 3.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "other_units": "the distance ratios of Yancey, Winkler and Creecy have a floor of 0.1 in the unit of the data",
        "more_suppression": "links are one to one, so hiding one person's values changes the links of others",
    }
    reads_description: ClassVar[bool] = False

    metric: Literal["d", "l", "asinh"] = param("d", "How numbers are compared.")
    tolerance: float = param(0.2, "Distance ratio at which numbers disagree fully.", gt=0, le=1)
    weights: Literal["equal", "em", "em-fixed-u", "supervised", "value-specific", "given"] = param(
        "equal", "How the weights of the attributes are found."
    )
    given: Mapping[str, tuple[float, float]] = param({}, "m and u of each attribute, for given weights.")
    agreement: float = param(0.05, "Distance ratio up to which numbers agree, when m and u are estimated.", gt=0, le=1)
    rounds: int = param(0, "How often m is re-estimated from the links just made.", ge=0, le=20)
    one_to_one: bool = param(True, "Link one to one, with the largest total weight.")
    zone: float = param(0.2, "Smallest precision of the zone of surest links.", gt=0, le=1)
    false_link: float | None = param(None, "Error bound P(link | no match) of the decision rule.", ge=0, lt=1)
    false_non_link: float | None = param(None, "Error bound P(no link | match) of the decision rule.", ge=0, lt=1)

    @classmethod
    def strongest(cls, most_pairs: float) -> list[Self]:
        """Both metrics, with equal weights and with those of the best informed intruder."""
        return [
            cls(metric=metric, weights=weights, most_pairs=most_pairs)
            for metric in ("d", "l")
            for weights in ("equal", "supervised")
        ]

    @property
    def cost(self) -> Cost:
        """All pairs, or links one to one."""
        return Cost.MATCHING if self.one_to_one else Cost.PAIRS

    def holds_pairs(self, pair: Pair) -> bool:
        """Candidates alone."""
        return False

    def refuse(self, pair: Pair, known: Set[str]) -> None:
        """Refuse files with too many pairs of records."""
        self.refuse_too_many(pair)

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Score all pairs, link, and count."""
        from ammg.kernels.linkage.pair_scores import score_pairs

        rows = np.arange(pair.t) if self.compares(pair) else np.flatnonzero(search.origin >= 0)
        known, origin = replace(search.known, masked=search.known.masked[rows]), search.origin[rows]
        metrics: list[Metric] = ["equal" if codes else self.metric for codes in known.categorical]
        comparison = compare(known.original, known.masked, metrics, self.tolerance)
        weights, facts = self._weights(comparison, known, origin)
        everybody = len(rows) == pair.t
        links = self._links(comparison, weights, everybody)
        for _ in range(self.rounds):
            weights = _learned(comparison, np.flatnonzero(links >= 0), links[links >= 0], self.agreement)
            links = self._links(comparison, weights, everybody)
        if self.rounds:
            facts["weights"] = f"{facts['weights']}, then learned from the links, {self.rounds} times"
        linked = np.flatnonzero(links >= 0)
        sureness = score_pairs(comparison, weights, links[linked], linked)
        credit = credit_links(links, origin, comparison.original, comparison.masked)
        curve = precision_curve(sureness, credit[linked])
        sought = int(np.sum(origin >= 0))
        zone = zone_rate(curve, sought, self.zone)
        tables = {"field_weights": _shown(known, weights)}
        facts |= {
            "zone": zone,
            "zone_interval": wilson_interval(zone * sought, sought),
            "unlinked": int(np.sum(links < 0)),
        }
        if self.false_link is not None or self.false_non_link is not None:
            learned = facts["weights"] == "supervised" or str(facts["weights"]).startswith("equal")
            by_truth = learned or not known.categorical.all()
            made = _Links(sureness, credit[linked])
            decided, tables["decisions"] = self._decide(comparison, weights, made, origin, by_truth)
            facts |= decided
        found = np.zeros(pair.t)
        found[rows] = credit
        sure = np.full(pair.t, np.nan)
        sure[rows[linked]] = sureness
        return Attempt(found, facts, (_chart(curve),), tables, sureness=sure)

    def _weights(self, comparison: Comparison, known: Knowledge, origin: Ints) -> tuple[FieldWeights, dict[str, Fact]]:
        from ammg.kernels.linkage.field_weights import equal_weights, estimate_weights, value_specific_weights

        if self.weights == "supervised":
            rows = np.flatnonzero(origin >= 0)
            return _learned(comparison, rows, origin[rows], self.agreement), {"weights": "supervised"}
        if self.weights == "value-specific":
            return value_specific_weights(comparison, tolerance=self.agreement), {"weights": "value-specific"}
        if self.weights == "given":
            return self._given(known), {"weights": "given"}
        if self.weights == "equal":
            return equal_weights(len(comparison.tolerance)), {"weights": "equal"}
        try:
            found = estimate_weights(comparison, fixed_u=self.weights == "em-fixed-u", tolerance=self.agreement)
        except ValueError as error:
            raise NotDefined(str(error)) from None
        reason = "" if found.used != "equal" else ": EM found a class that is too large to be the matches"
        return found.weights, {
            "weights": f"{found.used}{reason}",
            "em_class_of_matches": found.fit.matches,
            "em_iterations": found.fit.iterations,
        }

    def _given(self, known: Knowledge) -> FieldWeights:
        from ammg.kernels.linkage.field_weights import weights_of

        for name in known.names:
            if name not in self.given:
                raise InputError(f"No m and u are given for the attribute '{name}'.{did_you_mean(name, self.given)}")
            if not all(0 < value < 1 for value in self.given[name]):
                raise InputError(f"m and u of '{name}' are {self.given[name]}: both must lie between 0 and 1.")
        m, u = np.array([self.given[name] for name in known.names]).T
        return weights_of(m, u)

    def _links(self, comparison: Comparison, weights: FieldWeights, everybody: bool) -> Ints:
        from ammg.kernels.linkage.pair_scores import best_candidates, score_all
        from ammg.kernels.matching.assignment import assign_all, assign_by_prices

        shape = len(comparison.masked), len(comparison.original)
        if not self.one_to_one or not everybody:  # one to one needs the records of all people
            return best_candidates(comparison, weights, 1).original[:, 0]
        if shape[0] * shape[1] <= DENSE_PAIRS:
            return assign_all(score_all(comparison, weights)).links
        lowest = float(weights.disagree.sum()) - 1.0
        return assign_by_prices(
            lambda prices: best_candidates(comparison, weights, CANDIDATES, prices), shape, lowest
        ).links

    def _decide(
        self, comparison: Comparison, weights: FieldWeights, made: _Links, origin: Ints, by_truth: bool
    ) -> tuple[dict[str, Fact], Table]:
        """Thresholds for the error bounds from the weights of all pairs, and what they make of pairs and of links.

        A weight of categories is the log of m over u, and takes the pairs apart into matches and others. Equal weights
        and those of numbers, which lie between agreement and disagreement, are no such logarithms: what true and other
        pairs weigh is counted.
        """
        from ammg.kernels.linkage.decision_rule import WeightLaws, decision_rule_of_bins, laws_from_weights
        from ammg.kernels.linkage.pair_scores import count_scores, score_pairs

        ends = np.vstack([weights.agree, weights.disagree, np.zeros_like(weights.disagree)])
        edges = np.linspace(ends.min(axis=0).sum() - 0.01, ends.max(axis=0).sum() + 0.01, BINS + 1)
        weighed = count_scores(comparison, weights, edges).astype(np.float64)
        rows = np.flatnonzero(origin >= 0)
        true = score_pairs(comparison, weights, origin[rows], rows)
        of_true = np.bincount(np.clip(np.searchsorted(edges, true) - 1, 0, BINS - 1), minlength=BINS)
        others = np.maximum(weighed - of_true, 0.0)
        if by_truth:
            laws = WeightLaws(of_true / max(of_true.sum(), 1), others / max(others.sum(), 1.0))
        else:
            sizes = len(comparison.original), len(comparison.masked)
            laws = laws_from_weights(0.5 * (edges[:-1] + edges[1:]), weighed, float(min(sizes)))
        rule = decision_rule_of_bins(edges, *laws, self.false_link or 0.0, self.false_non_link or 0.0)
        linked, apart = edges[:-1] >= rule.upper, edges[1:] <= rule.lower
        links, non_links = rule.links(made.sureness), rule.non_links(made.sureness)
        of_links, of_pairs = (links, ~links & ~non_links, non_links), (linked, ~linked & ~apart, apart)
        facts: dict[str, Fact] = {
            "decision_laws": "true pairs" if by_truth else "weights",
            "upper_threshold": rule.upper,
            "lower_threshold": rule.lower,
            "right_links": float(made.credit[links].sum()),
            "false_link_rate": float(others[linked].sum() / max(others.sum(), 1.0)),
            "false_non_link_rate": float(of_true[apart].sum() / max(of_true.sum(), 1)),
        }
        decisions = {
            "decision": text(("link", "clerical", "non_link")),
            "links": counts(np.sum(part) for part in of_links),
            "pairs": counts(weighed[part].sum() for part in of_pairs),
        }
        return facts, Table(decisions)


class _Links(NamedTuple):
    """The weight of each link made, and the chance that it is right."""

    sureness: Floats
    credit: Floats


def _learned(comparison: Comparison, rows: Ints, links: Ints, agreement: float) -> FieldWeights:
    from ammg.kernels.linkage.field_weights import weights_of_links

    return weights_of_links(comparison, rows, links, agreement)


def _shown(known: Knowledge, weights: FieldWeights) -> Table:
    agree = weights.agree if weights.agree.ndim == 1 else weights.agree.mean(axis=0)
    return Table({"field": text(known.names), "agree": numbers(agree), "disagree": numbers(weights.disagree)})


def _chart(curve: PrecisionCurve) -> Chart:
    """The precision of the surest links, at most at a hundred places."""
    places = np.unique(np.linspace(0, len(curve.made) - 1, min(100, len(curve.made))).astype(np.int64))
    precision = curve.right[places] / curve.made[places]
    return Chart(
        "lines",
        "Right links among the surest",
        tuple(curve.made[places].tolist()),
        {"precision": tuple(precision.tolist())},
        "links made, surest first",
        "share that is right",
    )
