"""Linear identities between columns, restored after masking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Published
from ammg.data.rules.linear import LinearRule
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.kernels.rounding.restore_additivity import Identities, Infeasible, restore_additivity
from ammg.methods.finite import refuse_extreme, refuse_infinite
from ammg.methods.method import MissingPolicy, MultivariateMethod, Plan, Sees
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.moments import Moments
from ammg.summaries.summary import Source, whole

Matrix = NDArray[np.float64]
SHOWN = 5
"""Records that a message names."""


_SOLVED = 1e-9
"""Relative tolerance to which an identity, or a total, must hold."""
_ROUNDING = 1e-13
"""Share of the largest terms of a record, whose rounding passes on to small ones."""

_UNLIKE = "columns of very different scales are hard for it, so restore fewer identities at once, without totals"


class RestoreAdditivity(MultivariateMethod):
    """Adjust numbers as little as possible so that parts add up to their totals again.

    Use it after methods that break identities, such as noise on single columns or columns grouped separately. Among all
    files that satisfy the identities within the bounds, it takes the one with the smallest sum of changes, in standard
    deviations of each column. Records with a missing term stay unchanged. This is a repair and does not protect: an
    intruder who repeats the steps repeats this one too. Source: Shlomo's overview of disclosure control methods,
    additivity by linear programming (solved by HiGHS).
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC
    sees: ClassVar[Sees] = Sees.FILE
    searched: ClassVar[bool] = False

    columns: tuple[str, ...] | None = param(None, "Columns that may change; by default all that the identities name.")
    identities: tuple[str, ...] | None = param(
        None,
        'What must hold, such as "income = wages + pensions", "net = gross - 0.2 tax" or "a + b + '
        'c = 100"; by default the identities declared for the data.',
    )
    bounds: Mapping[str, tuple[float | None, float | None]] = param(
        {}, "Smallest and largest value of a column, such as {wages: [0, null]}."
    )
    totals: bool | Mapping[str, float] = param(
        False,
        "Keep the (weighted) totals of all columns, or give the totals that columns must have, such as "
        "those of the original file. Totals to keep that contradict an identity or the bounds change "
        "as little as possible.",
    )
    integers: bool = param(False, "Return whole numbers: values are rounded first and change by whole numbers.")
    tolerance: float = param(
        1e-9, "Relative tolerance: an identity holds if it is met to this share of its largest terms.", ge=0, le=1
    )

    missing: MissingPolicy = param(
        "available", "Records with a missing term stay unchanged (available, by_pattern) or stop the step (refuse)."
    )

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        for identity in self._parsed():
            whole = all(float(c).is_integer() for c in (*identity.coefficients.values(), identity.constant))
            if self.integers and not whole:
                raise InputError(
                    f"Identity '{identity.text}' has fractions, but whole numbers are requested: drop one of the two."
                )
        if self.identities == ():
            raise InputError('restore_additivity needs an identity, such as "income = wages + pensions".')
        if self.integers and self.totals:
            raise InputError("Whole numbers cannot keep totals in general: drop either integers or totals.")
        return self

    @classmethod
    def examples(cls) -> list[Self]:
        """One identity with a bound, two with totals, whole numbers."""
        return [
            cls(identities=("income = savings + 10 visits",), bounds={"savings": (0, None)}),
            cls(identities=("income = savings + visits", "age = 2 visits + savings"), totals=True),
            cls(identities=("age = visits + income",), columns=("income", "visits"), integers=True),
        ]

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns that may move."""
        members = self.members(schema)
        for name in self.columns or ():
            if name not in members:
                raise InputError(f"'{name}' is to change, but no identity names it.{did_you_mean(name, members)}")
        return super().chosen(schema) if self.columns is not None else members

    def members(self, schema: Schema) -> tuple[str, ...]:
        """The columns that the identities name."""
        parsed = self.told(schema)._parsed()
        names = tuple(dict.fromkeys(name for identity in parsed for name in identity.coefficients))
        for name in names:
            if not schema[name].kind & self.accepts:
                raise InputError(f"Column '{name}' is {schema[name].kind.label}; identities need numeric columns.")
        return names

    def told(self, schema: Schema) -> Self:
        """The same method with the identities that the data declare, if it has none of its own."""
        if self.identities is not None:
            return self
        if not schema.identities:
            raise InputError(
                "restore_additivity has no identity and none is declared for the data: give it one, such as "
                '"income = wages + pensions", or declare it.'
            )
        return self._with(tuple(identity.text for identity in schema.identities))

    def _with(self, identities: tuple[str, ...]) -> Self:
        return self.model_copy(update={"identities": identities})

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """All members of the identities, and the weight."""
        return tuple(dict.fromkeys((*self.members(schema), *([schema.weight] if schema.weight else []))))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Sums of parts hold."""
        return Usage(
            "Parts add up to their totals in every record.",
            "The usual estimators, with the corrections of the steps before this one.",
            "Do not use single values: the parts of a record are not its true values.",
            f"print(file.select({listed(columns)}).mean())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check the options, measure the spread of the columns, count what is broken and what cannot be repaired."""
        return self.told(source.schema)._plan(source)

    def _plan(self, source: Source) -> Plan:
        names, moving = self.members(source.schema), self.chosen(source.schema)
        refuse_extreme(names, refuse_infinite(source, names))
        self._check_columns(names)
        spread = np.sqrt(np.nan_to_num(np.diag(source.fold(Moments(names)).covariance)))
        values = whole(source).block(names).matrix(names)
        incomplete = int(np.isnan(values).any(axis=1).sum())
        broken = self._system(names).broken(values, self.tolerance).sum(axis=0)
        texts = self.identities or ()
        notes = [f"'{text}' did not hold in {n:,} records" for text, n in zip(texts, broken, strict=True) if n]
        if incomplete:
            notes.append(f"{incomplete:,} records have a missing term of an identity and were left unchanged")
        schema = source.schema.select(moving)
        if not self.integers:
            schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, (names, 1.0 / _units(spread), texts), (Published(moving),), notes=tuple(notes))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Solve for the records that have all members."""
        names, costs, identities = plan.state
        return self._with(identities)._mask(block, plan, names, costs)

    def _mask(self, block: Block, plan: Plan, names: tuple[str, ...], costs: Matrix) -> Block:
        values = block.matrix(names)
        complete = np.flatnonzero(~np.isnan(values).any(axis=1))
        lower, upper = self._limits(values[complete], names, set(plan.schema.names))
        try:
            values[complete] = self._restored(block, values, complete, names, costs, lower, upper)
        except Infeasible as failure:
            raise self._in_words(failure, names, block.ids[complete]) from None
        except RuntimeError as failure:
            raise InputError(f"The linear program could not be solved ({failure}): {_UNLIKE}.") from None
        self._check_solved(values[complete], names, block.ids[complete])
        masked = {name: np.ascontiguousarray(values[:, names.index(name)]) for name in plan.schema.names}
        return block.with_columns(masked)

    def _check_solved(self, values: Matrix, names: tuple[str, ...], ids: NDArray[np.int64]) -> None:
        """The solver works to its own tolerance; an identity it leaves broken is an error, never released."""
        system = self._system(names)
        residuals, sizes = np.abs(system.residuals(values)), system.sizes(values)
        broken = residuals > _SOLVED * sizes + _ROUNDING * sizes.max(axis=1, keepdims=True, initial=0.0)
        for position, text in enumerate(self.identities or ()):
            if broken[:, position].any():
                records = np.flatnonzero(broken[:, position])
                raise InputError(
                    f"'{text}' could not be restored in {len(records):,} records, the first is record "
                    f"{ids[records[0]]}: {_UNLIKE}."
                )

    def _check_totals(self, values: Matrix, means: Matrix, mass: Matrix, names: tuple[str, ...]) -> None:
        rounding = _ROUNDING * (mass @ self._system(names).sizes(values).max(axis=1))
        missed = np.abs(mass @ values - mass.sum() * means)
        for j in np.flatnonzero(missed > _SOLVED * (mass @ np.abs(values)) + rounding):
            raise InputError(f"The total of '{names[j]}' is missed by {missed[j]:.3g}: {_UNLIKE}.")

    def _restored(
        self,
        block: Block,
        values: Matrix,
        complete: NDArray[np.int64],
        names: tuple[str, ...],
        costs: Matrix,
        lower: Matrix,
        upper: Matrix,
    ) -> Matrix:
        system, records = self._system(names), values[complete]
        if not self.totals or not len(complete):
            return restore_additivity(
                records, system, costs, lower, upper, integers=self.integers, tolerance=self.tolerance
            )
        from ammg.kernels.rounding.additive_means import additive_means, restore_with_means

        weight = block.schema.weight
        weights = block.numbers(weight) if weight else np.ones(len(block))
        mass = weights[complete]
        if isinstance(self.totals, Mapping):
            # Records that lack a member stay; the others have the rest of the total.
            rest = np.nansum(np.delete(values, complete, axis=0) * np.delete(weights, complete)[:, None], axis=0)
            means = (np.array([self.totals.get(name, np.nan) for name in names]) - rest) / mass.sum()
            restored = restore_with_means(records, system, costs, lower, upper, means, mass)
            self._check_totals(restored, means, mass, names)
            return restored
        means = additive_means(records, system, costs, lower, upper, mass)
        return restore_with_means(records, system, costs, lower, upper, means, mass, firm=False)

    def _parsed(self) -> list[LinearRule]:
        return [LinearRule.parse(text) for text in self.identities or ()]

    def _system(self, names: tuple[str, ...]) -> Identities:
        parsed = self._parsed()
        rows = [[identity.coefficients.get(name, 0.0) for name in names] for identity in parsed]
        return Identities(np.array(rows), np.array([identity.constant for identity in parsed]))

    def _limits(self, values: Matrix, names: tuple[str, ...], moving: set[str]) -> tuple[Matrix, Matrix]:
        lower, upper = values.copy(), values.copy()
        for j, name in enumerate(names):
            if name in moving:
                low, high = self.bounds.get(name, (None, None))
                lower[:, j] = -np.inf if low is None else low
                upper[:, j] = np.inf if high is None else high
        return lower, upper

    def _check_columns(self, names: tuple[str, ...]) -> None:
        given = self.totals if isinstance(self.totals, Mapping) else {}
        for name in (*self.bounds, *given):
            if name not in names:
                raise InputError(f"No identity names '{name}'.{did_you_mean(name, names)}")
        for name, (low, high) in self.bounds.items():
            if low is not None and high is not None and low > high:
                raise InputError(f"The bounds of '{name}' leave no room: {low:g} is above {high:g}.")

    def _in_words(self, failure: Infeasible, names: tuple[str, ...], ids: NDArray[np.int64]) -> InputError:
        if failure.identity is None:
            which = "totals" if failure.column is None else f"total of '{names[failure.column]}'"
            return InputError(f"The {which} cannot be kept within the bounds: widen them, or leave out totals.")
        text = (self.identities or ())[failure.identity]
        if not len(failure.records):
            return InputError(f"The totals contradict '{text}': give totals that satisfy it, or leave them out.")
        first = ", ".join(str(i) for i in ids[failure.records[:SHOWN]])
        more = ", …" if len(failure.records) > SHOWN else ""
        return InputError(
            f"'{text}' cannot hold in {len(failure.records):,} records (id {first}{more}) within the "
            "bounds: widen them, or let more columns change."
        )


def _units(spread: Matrix) -> Matrix:
    """The unit of a change: the standard deviation; constant columns change only if nothing else can."""
    varying = spread[spread > 0]
    return np.where(spread > 0, spread, varying.min() / 1000 if len(varying) else 1.0)
