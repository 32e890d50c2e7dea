"""Linear rules between columns, as people write them: `income = wages + pensions`, `2 a + b <= 100`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.rules.rule import Rule
from ammg.data.rules.tokens import Token, quoted, tokens
from ammg.data.rules.values import COMPARE, Booleans, Operator, Values
from ammg.errors import InputError
from ammg.kernels.residues import residues

EXACT = 1e-9
"""Relative tolerance of an equality, as a share of the size of its terms, where no tolerance was measured."""
Terms = list[tuple[float, str | None]]


@dataclass(frozen=True)
class LinearRule(Rule):
    """The sum of coefficients times columns compared with a constant; an equality is an identity."""

    coefficients: Mapping[str, float]
    constant: float = 0.0
    sense: Operator = "="
    tolerance: float = field(default=0.0, compare=False)
    """The amount by which a record may miss an identity because of rounding, measured when it is declared or found."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The members."""
        return tuple(self.coefficients)

    @property
    def numeric(self) -> tuple[str, ...]:
        """The members."""
        return self.columns

    @property
    def is_identity(self) -> bool:
        """Whether it is an equality."""
        return self.sense == "="

    @property
    def is_image(self) -> bool:
        """Whether it makes one column a linear function of another one."""
        return self.is_identity and len(self.coefficients) == 2

    @property
    def weights(self) -> NDArray[np.float64]:
        """The coefficients, in the order of the columns."""
        return np.array(list(self.coefficients.values()), dtype=np.float64)

    def holds(self, values: Values) -> Booleans:
        """Which records meet it, an equality up to its tolerance."""
        matrix = values.matrix(self.columns)
        infinite: Booleans = np.asarray(np.isinf(matrix).any(axis=1))
        matrix = np.where(infinite[:, None], 0.0, matrix)
        rounding = EXACT * (np.abs(matrix) @ np.abs(self.weights) + abs(self.constant))
        if self.is_identity:
            met = residues(matrix, self.weights, self.constant) <= np.maximum(rounding, self.tolerance)
        else:
            met = COMPARE[self.sense](matrix @ self.weights, self.constant)
        return np.asarray(infinite | met)

    def complete(self, frame: pl.DataFrame) -> NDArray[np.float64]:
        """The members of those records that have all of them, as finite numbers."""
        matrix = Values(frame).matrix(self.columns)
        return np.asarray(matrix[np.isfinite(matrix).all(axis=1)])

    def says_the_same_as(self, other: Rule) -> bool:
        """Whether one is a multiple of the other."""
        return (
            isinstance(other, LinearRule)
            and self._proportional(other)
            and isclose(self._scaled(self.constant), other._scaled(other.constant))
        )

    def contradicts(self, other: Rule) -> bool:
        """Whether both are equalities that give the same sum different values."""
        return (
            isinstance(other, LinearRule)
            and self.is_identity
            and self._proportional(other)
            and not self.says_the_same_as(other)
        )

    def _proportional(self, other: LinearRule) -> bool:
        return (
            self.sense == other.sense
            and self.coefficients.keys() == other.coefficients.keys()
            and (self.is_identity or self._first() * other._first() > 0)
            and all(
                isclose(self._scaled(factor), other._scaled(other.coefficients[name]))
                for name, factor in self.coefficients.items()
            )
        )

    def _first(self) -> float:
        return self.coefficients[min(self.coefficients)]

    def _scaled(self, number: float) -> float:
        return number / self._first()

    def solved(self, name: str, exact: bool = False) -> str:
        """An identity as a formula for one member; an `exact` formula can be declared unchanged."""
        own = self.coefficients[name]
        written: Callable[[str], str] = quoted if exact else str
        parts = [(-c / own, other) for other, c in self.coefficients.items() if other != name]
        if self.constant:
            parts.append((self.constant / own, ""))
        parts.sort(key=lambda part: part[0] < 0)
        text = ""
        for coefficient, other in parts:
            size = f"{abs(coefficient):.6g}"
            if exact and float(size) != abs(coefficient):
                size = repr(abs(coefficient))
            term = (written(other) if size == "1" else f"{size} × {written(other)}") if other else size
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {term}" if text else (f"-{term}" if coefficient < 0 else term)
        return f"{written(name)} = {text or 0}"

    @classmethod
    def found(cls, coefficients: Mapping[str, float], constant: float, tolerance: float) -> LinearRule:
        """An identity found in the records, written as a formula for its total."""
        rule = cls("", coefficients, constant, tolerance=tolerance)
        return cls(rule.solved(rule.total, exact=True), coefficients, constant, tolerance=tolerance)

    @property
    def total(self) -> str:
        """The member that stands alone on its side; the last one if there is none."""
        names = list(self.coefficients)
        for sign in (1, -1):
            alone = [name for name, c in self.coefficients.items() if c * sign > 0]
            if len(alone) == 1 and (len(names) > 2 or sign > 0):
                return alone[0]
        return names[-1]

    @property
    def described(self) -> str:
        """A found identity in words."""
        formula = self.solved(self.total)
        return f"{formula}, up to rounding" if self.tolerance else formula

    @classmethod
    def parse(cls, text: str) -> LinearRule:
        """Read an identity; names with spaces or signs stand in double quotes or backticks."""
        if not isinstance(text, str):
            raise InputError(f"Identity {text!r} is not text such as 'income = wages + pensions'.")
        pieces = tokens(text, "Identity", frozenset())
        places = [position for position, token in enumerate(pieces) if token.kind == "compare"]
        if len(places) != 1 or pieces[places[0]].text != "=":
            raise InputError(f"Identity '{text}' needs one '=', such as 'income = wages + pensions'.")
        (middle,) = places
        left = terms(pieces[:middle], text, "Identity")
        return linear(left, "=", terms(pieces[middle + 1 :], text, "Identity"), text, "Identity")


def linear(left: Terms, sense: Operator, right: Terms, text: str, what: str = "Rule") -> LinearRule:
    """A comparison of two sums, with all columns on the left and the constant on the right."""
    coefficients: dict[str, float] = {}
    constant = 0.0
    for side, direction in ((left, 1.0), (right, -1.0)):
        for factor, name in side:
            if name is None:
                constant -= direction * factor
            else:
                coefficients[name] = coefficients.get(name, 0.0) + direction * factor
    coefficients = {name: factor for name, factor in coefficients.items() if factor != 0}
    if not coefficients:
        raise InputError(f"{what} '{text}' does not name a column.")
    return LinearRule(text.strip(), coefficients, constant + 0.0, sense)


def terms(pieces: Sequence[Token], text: str, what: str = "Rule") -> Terms:
    """(factor, column) of each term of a side; no column for a constant."""
    found: Terms = []
    position = 0
    while position < len(pieces):
        sign = 1.0
        signs = 0
        while position < len(pieces) and pieces[position].kind == "sign":
            sign = -sign if pieces[position].text == "-" else sign
            position, signs = position + 1, signs + 1
        if found and not signs:
            raise InputError(f"{what} '{text}': a sign is missing before '{pieces[position].text}'.")
        factor: float | None = None
        if position < len(pieces) and pieces[position].kind == "number":
            factor = float(pieces[position].text)
            position += 1
            if position < len(pieces) and pieces[position].kind == "times":
                position += 1
                if position == len(pieces) or pieces[position].kind != "name":
                    raise InputError(f"{what} '{text}': no column follows '*'.")
        if position < len(pieces) and pieces[position].kind == "name":
            found.append((sign * (1.0 if factor is None else factor), pieces[position].text))
            position += 1
        elif factor is not None:
            found.append((sign * factor, None))
        else:
            raise InputError(f"{what} '{text}': a term lacks its column.")
    if not found:
        raise InputError(f"{what} '{text}' has nothing on one side of '='.")
    return found
