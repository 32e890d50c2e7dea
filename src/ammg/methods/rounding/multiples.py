"""Shared base of methods that make numbers multiples of a base."""

from __future__ import annotations

from ammg.data.attribute import Kind
from ammg.data.published import Rounding
from ammg.methods.finite import refuse_infinite, refuse_tiny_base
from ammg.methods.method import Plan
from ammg.summaries.summary import Source


def plan_multiples(source: Source, names: tuple[str, ...], base: float, *, random: bool = False) -> Plan:
    """Integers stay integers when the base is one."""
    refuse_tiny_base(base, names, refuse_infinite(source, names))
    schema = source.schema.select(names)
    if not float(base).is_integer():
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
    return Plan(schema, published=(Rounding(names, base, random=random),))
