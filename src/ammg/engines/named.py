"""Engines by name, for the command line and project runners."""

from __future__ import annotations

from ammg.engines.engine import Engine
from ammg.engines.local import LocalEngine
from ammg.errors import InputError, did_you_mean

NAMES = ("local", "spark")


def engine_named(name: str) -> Engine:
    """The engine with that name; Spark takes the active session or starts one with Spark's defaults."""
    if name == "local":
        return LocalEngine()
    if name == "spark":
        from ammg.engines.spark import SparkEngine

        return SparkEngine()
    raise InputError(f"Unknown engine '{name}'.{did_you_mean(name, NAMES)}")
