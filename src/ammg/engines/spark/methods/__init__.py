"""How Spark runs methods that see more than one record, and a place for distributed versions by method name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ammg import registry
from ammg.engines.spark.methods.strata import by_stratum
from ammg.methods.method import Method, Sees

if TYPE_CHECKING:
    from ammg.engines.engine import PlannedStep
    from ammg.engines.spark.source import SparkSource

Run = Callable[["SparkSource", "PlannedStep"], "SparkSource"]

OWN: Mapping[str, Run] = {}
"""Distributed versions of methods that see the file, by name; methods without one are gaps."""
BY_EXTENT: Mapping[Sees, Run] = {Sees.STRATUM: by_stratum}


def run_of(method: type[Method]) -> Run | None:
    """The function that runs a method that sees more than one record; None if Spark has none."""
    return OWN.get(registry.snake(method.__name__)) or BY_EXTENT.get(method.sees)
