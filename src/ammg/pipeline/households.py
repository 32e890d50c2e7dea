"""Household-level steps: one row per household is masked and joined back to its members."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ammg.data.schema import Schema
from ammg.engines.engine import EngineSource, Households
from ammg.errors import InputError
from ammg.methods.method import Method, Plan, RiskAbove

Applied = tuple[EngineSource, list[Plan]]


def on_households(
    source: EngineSource,
    method: Method,
    where: pl.Expr | None,
    apply: Callable[[EngineSource, pl.Expr | None], Applied],
) -> Applied:
    """Mask the first member of each household and give the result to all members.

    Households that the step drops leave with all their members. A weight that the step rescales is rescaled by the
    same factor for every member. A condition is one about all members; a household is as risky as its riskiest member.
    """
    household = source.schema.household
    if household is None:
        raise InputError("A step on households needs an attribute with the role household.")
    homes = source.by_household(household)
    _refuse_varying_beside(homes, household, method, source.schema)
    which = None if where is None else _households_that_meet(homes, method, where)
    masked, plans = apply(homes.heads, which)
    written = [name for plan in plans for name in plan.schema.names]
    written += [a.name for a in masked.schema if a.linked_to in written and a.name not in written]
    dropped = list(dict.fromkeys(name for plan in plans for name in plan.dropped))
    _refuse_varying(homes, [name for name in written if name != source.schema.weight and name in source.schema])
    return homes.joined(masked, written, dropped), plans


def _households_that_meet(homes: Households, method: Method, where: pl.Expr) -> pl.Expr:
    which, divided = homes.meeting(where)
    if len(divided) and not isinstance(method.where, RiskAbove):
        raise InputError(
            f'Condition "{method.where}" is met by only some members in {len(divided):,} households, '
            f"such as {divided[0]}: limit a step on households by what all members share."
        )
    return which


def _refuse_varying_beside(homes: Households, household: str, method: Method, schema: Schema) -> None:
    """What a step looks at beside the columns it masks must be the same for all members; weights may differ."""
    own = {*method.chosen(schema), household, schema.weight} if method.takes_columns else {household, schema.weight}
    for name in dict.fromkeys((*method.needs(schema), *method.strata(schema))):
        if name not in own and (count := len(varying := homes.varying(name))):
            raise InputError(
                f"A step on households uses '{name}', which varies within {count:,} of them, such as "
                f"{varying[0]}: name attributes that all members share."
            )


def _refuse_varying(homes: Households, names: list[str]) -> None:
    for name in names:
        if count := len(varying := homes.varying(name)):
            raise InputError(
                f"'{name}' is declared a household attribute, but varies within {count:,} of them, such as "
                f"{varying[0]}: make it a person attribute, or correct it."
            )
