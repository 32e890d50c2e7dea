"""The masked file: records, where they came from, and what was done to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.clearance import Clearance
from ammg.data.disclosure import Disclosure
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.records import Order, Records
from ammg.data.release import Release
from ammg.data.schema import Schema
from ammg.draws import Draws, Secret
from ammg.errors import InputError, ReleaseBlocked


@dataclass(frozen=True)
class StepRecord:
    """What one step did."""

    method: str
    parameters: Mapping[str, Any]
    seconds: float
    records_before: int | None
    records_after: int | None
    changed: Mapping[str, Mapping[str, float]]
    """For each column: cells changed, and for numbers the mean and largest absolute change."""
    disclosed: tuple[Disclosure, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


class Masked:
    """Result of a pipeline. It still knows the link and the secret; only `release()` gives what may leave."""

    def __init__(
        self,
        original: Microdata,
        source: Records,
        steps: tuple[StepRecord, ...],
        secret: Secret,
        audit: Audit | None = None,
    ) -> None:
        self.original = original
        self.source = source
        self.steps = steps
        self.secret = secret
        self._audit = audit

    @property
    def schema(self) -> Schema:
        """Attributes after masking."""
        return self.source.schema

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return self.source.collect()

    @property
    def table(self) -> pl.DataFrame:
        """The masked records, in the order of their originals and with identifiers if no step removed them."""
        return self._frame.drop(ID)

    @cached_property
    def link(self) -> NDArray[np.int64]:
        """For each masked record the position of its original, -1 if it stands for nobody."""
        ids = self._frame[ID].to_numpy()
        return np.where(ids < self.n, ids, -1)

    @property
    def disclosed(self) -> tuple[Disclosure, ...]:
        """What a published description of all steps would tell."""
        return tuple(value for step in self.steps for value in step.disclosed)

    @property
    def n(self) -> int:
        """Records before masking."""
        return len(self.original)

    @property
    def t(self) -> int:
        """Records after masking."""
        return self.source.count()

    @property
    def r(self) -> int:
        """Masked records that stand for a real one."""
        return self.pair.r

    @cached_property
    def pair(self) -> Pair:
        """Original and masked side by side, for measures."""
        return Pair(self.original, Microdata(self.table, self.schema), self.link, self.disclosed)

    def release(self, order: Order = "records", *, force: str | None = None) -> Release:
        """What may leave: without identifiers and link, in random order (households kept together when asked).

        An audit blocks a release that gives away what masking was to hide; `force` is the written reason for
        releasing it all the same, and stays in `release.clearance`.
        """
        if force is not None and (not isinstance(force, str) or not force.strip()):
            raise InputError(f"force = {force!r} is no reason: write down why the release may leave.")
        if order not in get_args(Order):
            raise InputError(f"order = {order!r} is none: choose {' or '.join(get_args(Order))}.")
        release = Release(self.source, self.original.native, Draws(self.secret).at("release"), order)
        if self._audit is None:
            return release
        clearance = self._audit(self, release)
        if not clearance.reasons:
            return release.cleared(clearance)
        if force is None:
            raise ReleaseBlocked(clearance.reasons)
        return release.cleared(replace(clearance, forced=force.strip()))

    def __repr__(self) -> str:
        names = " → ".join(step.method for step in self.steps) or "no step"
        kept = f"{self.t:,} of " if self.source.in_memory else ""  # counting what is elsewhere takes long
        return f"Masked({kept}{self.n:,} records; {names})"


Audit = Callable[[Masked, Release], Clearance]
"""Looks for reasons against a release; the pipeline brings its own."""
