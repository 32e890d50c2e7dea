"""The known attributes (and strata) as the axes of a log-linear model, addressed by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ammg.data.pair import Pair
from ammg.errors import InputError, did_you_mean
from ammg.measures.anonymity.released_key import Codes, Floats, ReleasedKey, as_text

if TYPE_CHECKING:
    from ammg.kernels.population.log_linear.layout import Layout
    from ammg.kernels.population.log_linear.model import RiskModel


@dataclass(frozen=True, eq=False)
class ModelKey:
    """Codes without missing values: where a key has any, they are one more category at its end."""

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    labels: tuple[tuple[str, ...], ...]
    layout: Layout

    def generators(self, interactions: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
        """Interactions by name as sets of axes; every attribute is in the model at least by itself."""
        found = [tuple(self._axis(name) for name in names) for names in interactions]
        return [*found, *((axis,) for axis in range(len(self.names)))]

    def start(self, impossible: Sequence[Mapping[str, str]]) -> Floats | None:
        """Ones, with zeros where a combination cannot occur; None when everything can."""
        if not impossible:
            return None
        start = np.ones(self.layout.size)
        table = self.layout.unflatten(start)  # a view: what is set here is set in `start`
        for combination in impossible:
            where: list[int | slice] = [slice(None)] * len(self.names)
            for name, value in combination.items():
                axis = self._axis(name)
                where[axis] = self._category(axis, value)
            table[tuple(where)] = 0.0
        return start

    def calibrated(self, model: RiskModel, margins: Mapping[str, Mapping[str, float]]) -> RiskModel:
        """The model moved to known counts of the population."""
        from ammg.kernels.population.log_linear.model import calibrate

        axes, targets = [], []
        for name, known in margins.items():
            axis = self._axis(name)
            target = np.zeros(self.layout.shape[axis])
            for value, count in known.items():
                target[self._category(axis, value)] = count
            lacking = [label for label, count in zip(self.labels[axis], target, strict=True) if not count]
            occurring = np.unique(self.codes[axis])
            if np.any(target[occurring] == 0):
                raise InputError(f"The known counts of '{name}' lack the category '{lacking[0]}', which has records.")
            axes.append((axis,))
            targets.append(target)
        return calibrate(model, axes, targets)

    def _axis(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"'{name}' is not in the model's key.{did_you_mean(name, self.names)}")
        return self.names.index(name)

    def _category(self, axis: int, value: str) -> int:
        if str(value) not in self.labels[axis]:
            near = did_you_mean(value, self.labels[axis])
            raise InputError(f"'{self.names[axis]}' has no category '{value}'.{near}")
        return self.labels[axis].index(str(value))


def model_key(pair: Pair, key: ReleasedKey, strata: Sequence[str]) -> ModelKey:
    """The known attributes and the strata, which make the sampling fraction alike within a cell."""
    from ammg.kernels.population.log_linear.layout import Layout

    columns = list(zip(key.names, key.codes, key.categories, strict=True))
    columns += [(name, *pair.codes(name, masked=True)) for name in strata if name not in key.names]
    complete = [_with_missing(codes, categories) for _, codes, categories in columns]
    try:
        layout = Layout(tuple(len(labels) for _, labels in complete))
    except ValueError as error:
        raise InputError(str(error)) from None
    names = tuple(name for name, _, _ in columns)
    return ModelKey(names, tuple(codes for codes, _ in complete), tuple(labels for _, labels in complete), layout)


def _with_missing(codes: Codes, categories: Sequence[object]) -> tuple[Codes, tuple[str, ...]]:
    labels = [as_text(value) for value in categories]
    if codes.min() < 0:
        return np.where(codes < 0, np.int32(len(labels)), codes), (*labels, "missing")
    return codes, tuple(labels)
