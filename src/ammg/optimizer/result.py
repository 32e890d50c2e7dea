"""The result of a search: every recipe tried, the frontier, and the choice with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, overload

from ammg.charts.chart import Chart
from ammg.charts.drawing import Drawing
from ammg.errors import InputError
from ammg.io.pictures import write_picture
from ammg.methods.method import Method
from ammg.optimizer.ru_map import ru_map
from ammg.optimizer.shortfall import shortfall
from ammg.optimizer.story import Considered
from ammg.optimizer.strategy import WORTH_SHOWING, kind_of
from ammg.pipeline.limits import Limit
from ammg.pipeline.masked import Masked
from ammg.registry import meaning
from ammg.report.words import counted


@dataclass(frozen=True)
class Candidate:
    """A recipe with its risks and its loss; `pressure` is the worst risk as a multiple of its limit.

    `risks` has every figure that is limited, by label.
    """

    number: int
    recipe: tuple[Method, ...]
    risks: Mapping[str, float]
    loss: float
    pressure: float
    masked: Masked | None = field(default=None, repr=False, compare=False)
    draws: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """The figures of the file itself and of the same recipe under other secrets, where they were measured."""

    @property
    def is_safe(self) -> bool:
        """Whether every limit is met."""
        return self.pressure <= 1

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        steps = [{step.name: step.model_dump(mode="json", exclude_unset=True)} for step in self.recipe]
        figures = {"risks": dict(self.risks), "loss": self.loss, "pressure": self.pressure, "safe": self.is_safe}
        return {"recipe": steps, **figures}


@dataclass(frozen=True)
class SearchResult:
    """Result of a search; `chosen` is the masked file, `recipe` the methods that make it."""

    candidates: tuple[Candidate, ...]
    frontier: tuple[Candidate, ...]
    choice: Candidate
    limits: Mapping[str, Limit]
    loss: str
    reason: str
    runners_up: tuple[Candidate, ...] = ()
    """The best of each other kind (recoding, perturbation, both) that meets all limits, up to three times the loss."""
    considered: tuple[Considered, ...] = ()
    """The result of each combination of methods."""
    hierarchies: Mapping[str, str | Mapping[str, list[str]]] = field(default_factory=dict)
    """Rules or levels of the hierarchies that the search proposed for keys without one, and that the recipes use."""
    notes: tuple[str, ...] = ()
    """What the goal leaves open."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Methods that were not considered, each with the reason."""
    references: tuple[Candidate, ...] = ()
    """What the recipes are compared with: the unmasked file, without a step, and well-known masks."""

    @property
    def chosen(self) -> Masked:
        """The masked file."""
        assert self.choice.masked is not None
        return self.choice.masked

    @property
    def recipe(self) -> tuple[Method, ...]:
        """The chosen methods, in order."""
        return self.choice.recipe

    @classmethod
    def choose(
        cls,
        candidates: list[Candidate],
        judge: Judge,
        limits: Mapping[str, Limit],
        loss: str,
        *,
        tried: int | None = None,
        sample: int | None = None,
        remedies: Sequence[str] = (),
    ) -> SearchResult:
        """Take the safe candidate of least loss that is also safe in the last round, else the least risky one.

        `tried` counts all recipes, also those that lost too much to be attacked; `sample` is the number of records that
        they were tried on, if it was not all of them; `remedies` are named where no recipe is safe.
        """
        by_loss = sorted((c for c in candidates if c.is_safe), key=lambda c: (c.loss, c.number))
        by_risk = sorted(candidates, key=lambda c: (c.pressure, c.loss))
        number = counted(tried or len(candidates), "recipe")
        of_all = f"of {number}, tried on {sample:,} records," if sample else f"of {number}"
        where = "on the whole file" if sample else "with other secrets"
        passed_over = 0
        roomy = [candidate for candidate in by_loss[_TRIED_AGAIN:] if candidate.pressure <= _ROOM]
        for whole in map(judge, [*by_loss[:_TRIED_AGAIN], *roomy[:_TRIED_AGAIN]]):
            if whole is not None and whole.is_safe:
                fall = f"{passed_over} of them {'does' if passed_over == 1 else 'do'} not {where}"
                failed = f"{fall}; among the rest, " if passed_over else ""
                reason = (
                    f"{len(by_loss)} {of_all} {('meets' if len(by_loss) == 1 else 'meet')} all limits; "
                    f"{failed}this one has the least {loss} ({whole.loss:.4g})."
                )
                others = tuple(_runners_up(by_loss, whole, judge))
                return cls(tuple(candidates), _frontier(candidates), whole, limits, loss, reason, others)
            passed_over += 1
        whole = next((found for found in map(judge, by_risk) if found is not None), None)
        if whole is None:
            raise InputError("No recipe that worked on the sample works on all records: search on a larger sample.")
        if whole.is_safe:
            reason = _safe_after_all(of_all, passed_over, where)
        else:
            at_last = f" {where}" if passed_over else ""
            reason = (
                f"None {of_all} meets all limits{at_last}. This one comes closest: "
                f"{shortfall(whole, candidates, limits, remedies)}"
            )
        return cls(tuple(candidates), _frontier(candidates), whole, limits, loss, reason)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "chosen": self.choice.to_dict(),
            "reason": self.reason,
            "limits": {label: limit.at_most for label, limit in self.limits.items()},
            "loss": self.loss,
            "trials": len(self.candidates),
            "frontier": [candidate.to_dict() for candidate in self.frontier],
            "runners_up": [candidate.to_dict() for candidate in self.runners_up],
            "considered": [str(entry) for entry in self.considered],
            "hierarchies": dict(self.hierarchies),
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "references": [candidate.to_dict() for candidate in self.references],
        }

    @property
    def map(self) -> Chart:
        """The R-U map: every recipe by its risk and its loss, the frontier, the limit, the choice."""
        return ru_map(self)

    @overload
    def plot(self, path: None = None) -> Drawing: ...
    @overload
    def plot(self, path: str | Path) -> Path: ...
    def plot(self, path: str | Path | None = None) -> Drawing | Path:
        """Draw the R-U map; without a path the drawing comes back, and a notebook shows it."""
        drawing = Drawing(self.map)
        return drawing if path is None else write_picture(drawing, path)

    def __str__(self) -> str:
        lines = [self.reason, f"It is number {self.choice.number} on the R-U map.", ""]
        for step in self.recipe:
            lines.append(f"  {step!r}")
            lines.append(f"      {meaning(type(step))}")
        lines += ["", *(f"  {self._limit(label)}" for label in self.choice.risks)]
        lines.append(f"  {self.loss} {self.choice.loss:.4g}")
        if self.runners_up:
            lines += ["", "Other kinds of recipes that meet all limits:"]
            lines += [f"  {kind_of(c.recipe)}, {self.loss} {c.loss:.4g}: {_named(c)}" for c in self.runners_up]
        return "\n".join(lines)

    def _limit(self, label: str) -> str:
        """A limited figure, beside its limit and what other secrets give."""
        draws = self.choice.draws.get(label, ())
        spread = f"; {min(draws):.4g} to {max(draws):.4g} over {len(draws)} secrets" if len(draws) > 1 else ""
        return f"{label} {self.choice.risks[label]:.4g} (at most {self.limits[label].at_most:g}{spread})"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        steps = "".join(f"<li>{escape(repr(step))}: {escape(meaning(type(step)))}</li>" for step in self.recipe)
        return f"<p>{escape(self.reason)}</p><ol>{steps}</ol><div>{Drawing(self.map).svg}</div>"


Judge = Callable[[Candidate], Candidate | None]
"""Judges a candidate to the end, on the whole file; None where it cannot be used there."""

_TRIED_AGAIN = 10  # safe recipes that are run on the whole file, those of least loss
_ROOM = 0.95  # of a limit, for as many more


def _named(candidate: Candidate) -> str:
    return " + ".join(step.name for step in candidate.recipe)


def _safe_after_all(of_all: str, passed_over: int, where: str) -> str:
    if not passed_over:
        return f"None {of_all} meets all limits; {where} the least risky one does."
    first = "recipe of least loss meets" if passed_over == 1 else f"{passed_over} recipes of least loss meet"
    return f"The {first} all limits at first but not {where}; this one, the least risky {of_all.rstrip(',')}, does."


def _runners_up(by_loss: list[Candidate], chosen: Candidate, judge: Judge) -> Iterator[Candidate]:
    """For each other kind the safe candidate of least loss, if it is also safe in the last round.

    One that loses far more than the choice is not judged again: that can take longer than the whole search.
    """
    seen = {kind_of(chosen.recipe)}
    for candidate in by_loss:
        kind = kind_of(candidate.recipe)
        if kind in seen or candidate.loss > WORTH_SHOWING * chosen.loss:
            continue
        seen.add(kind)
        whole = judge(candidate)
        if whole is not None and whole.is_safe:
            yield whole


def _frontier(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """The candidates that no other beats in both risk and loss, by falling risk."""
    best: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.pressure, c.loss)):
        if not best or candidate.loss < best[-1].loss:
            best.append(replace(candidate, masked=None))
    return tuple(reversed(best))
