"""Access modes: who gets a release, and the limits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ammg import registry
from ammg.errors import InputError, did_you_mean
from ammg.pipeline.limits import Limit

ModeName = Literal["public", "contract", "laboratory"]

_OURS = "our default"
_EL_EMAM = "El Emam, Paton, Dankar and Koru (2011): 0.04 to 0.05 for a public use file of hospital records"


@dataclass(frozen=True)
class ModeLimit:
    """A limit of a mode, and where it comes from."""

    measure: str
    parameters: Mapping[str, float]
    at_most: float
    source: str

    @property
    def limit(self) -> Limit:
        """The limit itself."""
        return Limit(registry.find("measures", self.measure)(**self.parameters), self.at_most)


@dataclass(frozen=True)
class Mode:
    """Who gets the file, and the largest risks allowed."""

    title: str
    meaning: str
    limits: tuple[ModeLimit, ...]


MODES: dict[str, Mode] = {
    "public": Mode(
        "Public use file",
        "Anybody may get the file.",
        (
            ModeLimit("distance_linkage", {}, 0.05, _EL_EMAM),
            ModeLimit("k_anonymity", {"k": 3}, 0.01, _OURS),
        ),
    ),
    "contract": Mode(
        "Under contract",
        "Researchers get the file after signing not to re-identify anybody.",
        (
            ModeLimit("distance_linkage", {}, 0.2, _OURS),
            ModeLimit("k_anonymity", {"k": 3}, 0.05, _OURS),
        ),
    ),
    "laboratory": Mode(
        "Safe laboratory",
        "Researchers work in a safe room; only checked results leave it.",
        (ModeLimit("distance_linkage", {}, 0.5, _OURS),),
    ),
}


def mode_of(name: str) -> Mode:
    """The mode of that name."""
    if name not in MODES:
        raise InputError(f"'{name}' is not an access mode.{did_you_mean(name, get_args(ModeName))}")
    return MODES[name]
