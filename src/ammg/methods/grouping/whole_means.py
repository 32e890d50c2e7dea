"""Group means of whole numbers, rounded to whole numbers on request."""

from __future__ import annotations

from typing import Any

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.schema import Schema
from ammg.params import param


def integers_param() -> Any:
    """The `integers` parameter of all methods that release group means."""
    return param(
        False,
        "Round means of whole numbers to whole numbers, so that ages stay ages; records of a group stay equal. Totals "
        "and sums of parts then hold only up to rounding.",
    )


def after_means(schema: Schema, integers: bool) -> Schema:
    """Attributes after microaggregation: numbers become fractions unless whole numbers stay whole."""
    kept = {Kind.INTEGER} if integers else set()
    return schema.replace(*(a if a.kind in kept else a.replace(kind=Kind.CONTINUOUS) for a in schema))


def in_whole_numbers(block: Block, after: Schema) -> Block:
    """The block with columns that stay whole numbers rounded."""
    return block.with_columns({a.name: np.rint(block.numbers(a.name)) for a in after if a.kind is Kind.INTEGER})
