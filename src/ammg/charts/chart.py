"""A picture as values: what is shown, in words and numbers, before anybody draws it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from ammg.charts.values import Scalar, number, scalar

Mark = Literal["bars", "lines", "points", "steps", "marks", "star"]


@dataclass(frozen=True)
class Chart:
    """A picture as values: the report, the web page and a notebook each draw it their own way.

    All series have one value per entry of `x`, None where a series has nothing there. A `heat` map has one series per
    row and the names of its columns in `x`.
    """

    kind: Literal["bars", "lines", "points", "steps", "heat"]
    title: str
    x: tuple[Scalar, ...]
    series: Mapping[str, tuple[float | None, ...]]
    x_label: str = ""
    y_label: str = ""
    drawn: Mapping[str, Mark] = field(default_factory=dict)
    """Series that are drawn in another way than the kind says: a limit as a mark across the bars."""
    rules: Mapping[str, float] = field(default_factory=dict)
    """Lines across the picture at some places of `x`, with what they stand for."""
    percent: bool = False
    """Whether the values of the series are shares, which are shown as percentages."""
    x_scale: Literal["linear", "log"] = "linear"
    """With `log`, `x` is linear up to 1 and logarithmic beyond."""
    labels: tuple[str, ...] = ()
    """What is written beside each place of points and lines, empty for nothing; no entries at all for none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", tuple(map(scalar, self.x)))
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.labels and len(self.labels) != len(self.x):
            raise ValueError(f"{len(self.labels)} labels for {len(self.x)} places")
        series = {name: tuple(map(number, values)) for name, values in self.series.items()}
        object.__setattr__(self, "series", series)
        for name, values in series.items():
            if len(values) != len(self.x):
                raise ValueError(f"the series '{name}' has {len(values)} values for {len(self.x)} places")

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        series = {name: list(values) for name, values in self.series.items()}
        plain = {**vars(self), "x": list(self.x), "series": series}
        return plain | {"drawn": dict(self.drawn), "rules": dict(self.rules), "labels": list(self.labels)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The chart that `to_dict` described."""
        return cls(**plain)
