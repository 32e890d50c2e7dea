"""What a measure is, and what it answers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.params import Parameters


@dataclass(frozen=True)
class Chart:
    """A picture as values: the report, the web page and a notebook each draw it their own way."""

    kind: Literal["bars", "lines", "points"]
    title: str
    x: tuple[Any, ...]
    series: Mapping[str, tuple[float, ...]]
    x_label: str = ""
    y_label: str = ""


@dataclass(frozen=True)
class Measurement:
    """The answer of a measure."""

    value: float | None
    """The one number of the table; None when it is not defined, for the `reason`."""
    interval: tuple[float, float] | None = None
    by_column: Mapping[str, float] = field(default_factory=dict)
    by_record: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    """For risk: one value a masked record."""
    details: Mapping[str, Any] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON; record-level values stay here, they describe single people."""
        facts = {
            "reason": self.reason,
            "interval": self.interval,
            "by_column": self.by_column,
            "details": self.details,
        }
        return {"value": _plain(self.value), **{name: _plain(fact) for name, fact in facts.items() if fact}}


class Measure(Parameters):
    """Base of all measures: `family` says what it measures, and smaller is always better."""

    family: ClassVar[Literal["risk", "loss"]]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    default: ClassVar[bool] = True
    """Whether it is in the table when no measures are named."""
    percent: ClassVar[bool] = False
    """Whether the table shows the value as a percentage."""
    also_called: ClassVar[tuple[str, ...]] = ()
    """Other names that the literature and other systems know it by; they find it, and it is written under its own."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register every concrete measure under its name."""
        super().__pydantic_init_subclass__(**kwargs)
        registry.register("measures", cls)

    @abstractmethod
    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare the two files under a scenario; raise `NotDefined` with the reason where there is no answer."""

    @property
    def name(self) -> str:
        """The name in project files."""
        return registry.snake(type(self).__name__)


def _plain(value: Any) -> Any:
    """Values that JSON has; it has no NaN and no infinity."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
