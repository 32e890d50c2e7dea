"""Masking of numbers and categories together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind
from ammg.data.block import Block, Column
from ammg.data.finding import Finding
from ammg.data.published import Published, ScoreNoise
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import MultivariateMethod, Plan, Sees
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import Counts
from ammg.summaries.summary import Source


class _Masking(NamedTuple):
    """Results of the check and of the repair."""

    remasked: int
    failing: int
    deviation: float
    law: ScoreNoise


class CheckOutcome(Finding):
    """How many records were masked again, how far correlations moved, and what error there is now."""

    def __init__(self, *parts: _Masking) -> None:
        self.parts = parts

    def merge(self, later: CheckOutcome) -> CheckOutcome:
        """Both."""
        return CheckOutcome(*self.parts, *later.parts)

    def notes(self) -> tuple[str, ...]:
        """In words."""
        remasked, failing = sum(part.remasked for part in self.parts), sum(part.failing for part in self.parts)
        largest = max((part.deviation for part in self.parts), default=0.0)
        told = (
            f"{remasked:,} records were masked again because they were still recognisable; {failing:,} "
            "masked records remain among the nearest to their originals"
        )
        return (told, f"correlations changed by at most {largest:.3f}")

    def published(self) -> tuple[Published, ...]:
        """The law of the errors after records were masked again and correlations repaired."""
        return tuple(part.law for part in self.parts)


class SullivanFuller(MultivariateMethod):
    """Mask numbers and categories together by adding correlated noise to their normal scores.

    Numbers, whole numbers and categories become normal scores; an error with their correlations, α times as large, is
    added; records whose masked scores are still nearest to their own are masked again; the ranks of the result choose
    values of the original distribution. Keeps the distribution of every number (exactly for whole numbers) and of every
    category, and all correlations within the tolerance where the repair succeeds; correlations within categories move
    towards the overall ones, which `ammg.estimators.class_moments` corrects in large classes. Dates are left out. An
    intruder who has learned from known pairs how scores move re-identifies 82 percent of CENSUS with the defaults and
    all 13 columns known. Source: Sullivan and Fuller (1989, 1990); Sullivan (1989) for details the papers leave open,
    as interpreted here.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC | Kind.CATEGORICAL
    sees: ClassVar[Sees] = Sees.FILE
    finds: ClassVar[bool] = True

    alpha: float = param(0.3, "Variance of the error, relative to that of the scores.", gt=0, le=10, search=(0.05, 2))
    check: Literal["two nearest", "nearest", "none"] = param(
        "two nearest",
        "A record is masked again if its masked record is among the two nearest to it, or the nearest.",
    )
    growth: float = param(1.25, "Factor by which each new error of such a record grows.", ge=1, le=3)
    tries: int = param(25, "Most new errors that a record gets in a pass.", ge=1, le=1000)
    passes: int = param(1, "Passes through the file in which records are checked.", ge=1, le=20)
    repairs: int = param(10, "Rounds of adjusting the error to restore correlations.", ge=0, le=200)
    tolerance: float = param(0.01, "Largest change of a correlation that needs no repair.", gt=0, le=1)

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and a strong error checked twice."""
        return [cls(), cls(columns=("income", "visits", "region"), alpha=1.0, passes=2, check="nearest")]

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Marginal distributions and correlations hold approximately."""
        return Usage(
            "The distribution of each masked attribute and the correlations among them, approximately.",
            "The usual estimators on all records; `ammg.estimators.class_moments` within the categories of "
            "a masked attribute.",
            "Do not use single values, and do not select records by a masked attribute.",
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are more records than columns of scores."""
        names = self.chosen(source.schema)
        if source.schema.weight in names:
            raise InputError(f"'{source.schema.weight}' is the weight of the records: leave it out of the columns.")
        width = sum(_width(source, name) for name in names)
        if 0 < source.count() <= width:
            raise InputError(
                f"{self.name} turns the attributes into {width} columns of scores, but there are only "
                f"{source.count()} records: name fewer columns, or recode categories first."
            )
        return Plan(source.schema.select(names), published=(Published(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Score, perturb, check, and map scores back to values of the original distributions."""
        from ammg.kernels.noise.score_noise import Settings, Variable, classify, mask_scores, pseudo_bernoulli

        if not len(block):
            return block
        rng, names = draws.generator("scores"), plan.schema.names
        variables: list[Variable] = []
        categories: dict[str, tuple[tuple[int, ...], slice]] = {}
        for name in names:
            start, values = len(variables), block[name]
            if values.dtype == np.float64:
                whole = plan.schema[name].kind is Kind.INTEGER
                variables.append(Variable(block.numbers(name), "discrete" if whole else "continuous"))
                continue
            codes = values.astype(np.int32)
            order = _by_frequency(codes)
            variables += [Variable(bits, "discrete") for bits in pseudo_bernoulli(codes, order, rng)]
            categories[name] = (order, slice(start, len(variables)))
        if not variables:
            return block
        nearest = {"two nearest": 2, "nearest": 1, "none": 1}[self.check]
        passes = 0 if self.check == "none" else self.passes
        settings = Settings(self.alpha, nearest, self.growth, self.tries, passes, self.repairs, self.tolerance)
        weights = block.numbers(block.schema.weight) if block.schema.weight else None
        found = mask_scores(variables, settings, rng, weights)
        masked: dict[str, Column] = {}
        position = 0
        for name in names:
            if name in categories:
                order, place = categories[name]
                codes = block[name].astype(np.int32)
                masked[name] = classify(found.levels[place], codes, order, weights)
                position = place.stop
            else:
                masked[name] = found.columns[position]
                position += 1
        orders = tuple(_named(plan.schema[name], categories[name][0]) if name in categories else () for name in names)
        law = ScoreNoise(tuple(names), found.noise, orders)
        outcome = CheckOutcome(_Masking(found.remasked, found.failing, found.deviation, law))
        return block.with_columns(masked).with_findings(outcome)


def _by_frequency(codes: NDArray[np.int32]) -> tuple[int, ...]:
    """The categories that occur, largest first."""
    counts = np.bincount(codes[codes >= 0]) if (codes >= 0).any() else np.zeros(0, dtype=np.int64)
    return tuple(int(code) for code in np.argsort(-counts, kind="stable") if counts[code])


def _named(attribute: Attribute, order: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple((attribute.categories or ())[code] for code in order)


def _width(source: Source, name: str) -> int:
    attribute = source.schema[name]
    if not attribute.is_categorical:
        return 1
    counts = source.fold(Counts(name, len(attribute.categories or ()))).counts
    return max(int(np.count_nonzero(counts)) - 1, 0)
