"""A published recipe: the steps without the secret, which anybody can run on a file of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.schema import Schema
from ammg.draws import Secret, WatchedDraws
from ammg.engines.engine import EngineSource
from ammg.engines.local import LocalEngine
from ammg.errors import AmmgError
from ammg.methods.method import Method
from ammg.pipeline.apply import Place, apply


@dataclass(frozen=True)
class Recipe:
    """The steps of a pipeline with the columns that they masked, as a published description names them."""

    steps: tuple[Method, ...]

    def without(self, idle: Collection[int]) -> Recipe:
        """The recipe without steps that did nothing, by their positions: they would only draw other numbers."""
        return Recipe(tuple(step for position, step in enumerate(self.steps) if position not in idle))

    def __call__(self, table: Microdata, secret: int) -> Pair:
        """Run the recipe with a secret of the intruder on a table that may lack some columns.

        A step is run on those of its columns that the table has, and left out if it has none or if the step cannot be
        run without the others. The result says whether a step asked for random numbers.
        """
        engine, draws = LocalEngine(), WatchedDraws(Secret.known(secret))
        source: EngineSource = engine.open(table)
        for position, method in enumerate(self.steps):
            with suppress(AmmgError):
                if step := _on(source.schema, method):
                    source, _ = apply(Place(engine, table, draws.at("step", position)), source, step)
        frame = source.collect()
        ids = frame[ID].to_numpy()
        made = Pair(table, Microdata(frame.drop(ID), source.schema), np.where(ids < len(table), ids, -1))
        made.is_random = draws.drawn
        return made


def _on(schema: Schema, method: Method) -> Method | None:
    """The step on the columns that are here; None if it has none of them."""
    if not method.takes_columns:
        return method
    named = method.columns or ()
    if not any(name in schema for name in named):
        return None
    if all(name in schema for name in (*named, *getattr(method, "within", ()))):
        return method
    gone = {name for name in named if name not in schema}
    settings = {name: _without(getattr(method, name), gone) for name in type(method).model_fields if name != "within"}
    strata = {"within": tuple(name for name in getattr(method, "within", ()) if name in schema)}
    return method.model_copy(update={**settings, **(strata if "within" in type(method).model_fields else {})})


def _without(value: Any, gone: set[str]) -> Any:
    """A setting without what it says about some columns."""
    if isinstance(value, Mapping):
        return {key: item for key, item in value.items() if key not in gone}
    if isinstance(value, tuple):
        kept = tuple(_without(item, gone) for item in value if not (isinstance(item, str) and item in gone))
        return tuple(item for item in kept if item != () or not value)
    return value
