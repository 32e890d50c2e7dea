"""Draws that remember whether they were used: a method that draws is a random one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ammg.draws import Draws


@dataclass(frozen=True, repr=False)
class WatchedDraws(Draws):
    """The same numbers, with a list of what was asked for."""

    asked: list[tuple[str, ...]] = field(default_factory=list, compare=False)

    @property
    def drawn(self) -> bool:
        """Whether any number was drawn, here or at a place within."""
        return bool(self.asked)

    def at(self, *labels: object) -> WatchedDraws:
        """A place within, remembered in the same list."""
        return WatchedDraws(self.secret, (*self.place, *map(str, labels)), self.asked)

    def _stream(self, *address: str) -> np.random.Generator:
        self.asked.append((*self.place, *address))
        return super()._stream(*address)
