"""Shared base of top and bottom coding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Censoring
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.quantiles import select
from ammg.summaries.summary import Source, Summary


class TailCoding(Method):
    """Base of the methods that replace the values of one tail."""

    accepts: ClassVar[Kind] = Kind.NUMERIC
    perturbs: ClassVar[bool] = False
    sign: ClassVar[float]
    """+1 for the upper tail, -1 for the lower."""

    threshold: float | None = param(None, "Values beyond this are replaced.")
    share: float | None = param(
        None, "Instead of a threshold: the share of the values that lies in the tail.", gt=0, lt=1, search=(0.005, 0.1)
    )
    replacement: Literal["threshold", "mean", "median"] = param("mean", "What the values of the tail become.")

    @model_validator(mode="before")
    @classmethod
    def _one_of_two(cls, values: Any) -> Any:
        if isinstance(values, dict) and (values.get("threshold") is None) == (values.get("share") is None):
            raise ValueError("give either a threshold or a share")
        return values

    @classmethod
    def examples(cls) -> list[Self]:
        """One for each way to say where the tail begins."""
        return [cls(share=0.05), cls(threshold=40.0, replacement="threshold")]

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight, whose totals the mean keeps."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Use quantiles inside the coded range."""
        tail = {"threshold": "the threshold", "mean": "the mean of the tail", "median": "the median of the tail"}
        means = "Means hold, and so" if self.replacement == "mean" else "So"
        return Usage(
            f"{means} do quantiles inside the range that was not coded.",
            "Medians and other quantiles, or models for censored data (Tobit).",
            f"Do not use extremes or variances: every value of the tail is {tail[self.replacement]}.",
            f"print(file.select({listed(columns)}).median())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the threshold and the replacement of each column."""
        names = self.chosen(source.schema)
        limits = {name: self._limit(source, name) for name in names}
        replaced = {name: self._replacement(source, name, limits[name]) for name in names}
        published = tuple(
            Censoring((name,), **{"upper" if self.sign > 0 else "lower": limit}) for name, limit in limits.items()
        )
        schema = Schema(
            tuple(
                attribute if replaced[attribute.name].is_integer() else attribute.replace(kind=Kind.CONTINUOUS)
                for attribute in source.schema.select(names)
            )
        )
        return Plan(schema, {name: (limits[name], replaced[name]) for name in names}, published)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Replace what lies beyond the threshold."""
        masked = {}
        for name, (limit, replacement) in plan.state.items():
            values = block.numbers(name)
            masked[name] = np.where(self.sign * values > self.sign * limit, replacement, values)
        return block.with_columns(masked)

    def _limit(self, source: Source, name: str) -> float:
        if self.threshold is not None:
            return self.threshold
        assert self.share is not None
        total = source.count() - int(source.fold(MissingCounts((name,)))[0])
        if total == 0:
            return float("nan")
        inside = max(1, int(np.ceil(round((1 - self.share) * total, 9))))
        return float(select(source, name, [inside - 1 if self.sign > 0 else total - inside])[0])

    def _replacement(self, source: Source, name: str, limit: float) -> float:
        if self.replacement == "threshold":
            return limit
        count, total, mean = source.fold(TailTotals(name, limit, self.sign, source.schema.weight))
        if not count:
            return limit
        if self.replacement == "mean":
            return mean
        middle = (count - 1) // 2  # of an even number the one nearer to the threshold
        return float(select(source, name, [total - count + middle if self.sign > 0 else count - 1 - middle])[0])


class TailTotals(Summary[NDArray[np.float64], tuple[int, int, float]]):
    """How many values lie beyond a limit, how many are observed, and the (weighted) mean of those beyond."""

    def __init__(self, column: str, limit: float, sign: float, weight: str | None = None) -> None:
        self.columns = (column, weight) if weight else (column,)
        self.limit, self.sign, self.weight = limit, sign, weight

    def add(self, block: Block) -> NDArray[np.float64]:
        """Counts of a chunk, weight beyond the limit, and sum about it."""
        values = block.numbers(self.columns[0])
        beyond = self.sign * values > self.sign * self.limit
        excess = values[beyond] - self.limit
        weights = block.numbers(self.weight)[beyond] if self.weight else np.ones(len(excess))
        return np.array([len(excess), np.count_nonzero(~np.isnan(values)), weights.sum(), (weights * excess).sum()])

    def merge(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Totals add."""
        return left + right

    def finish(self, state: NDArray[np.float64] | None) -> tuple[int, int, float]:
        """Counts, and the mean."""
        if state is None or state[0] == 0:
            return 0, 0 if state is None else int(state[1]), self.limit
        count, total, weight, excess = state.tolist()
        return int(count), int(total), self.limit + (excess / weight if weight > 0 else 0.0)
