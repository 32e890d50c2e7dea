"""Linear identities between columns, as people write them: `income = wages + pensions`, `a + b + c = 100`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isclose

from ammg.errors import InputError

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<name>[^\W\d][\w.]*)
      | "(?P<quoted>[^"]+)"
      | `(?P<ticked>[^`]+)`
      | (?P<sign>[+-])
      | (?P<times>[*×])
    )""",
    re.VERBOSE,
)
_EQUALS = re.compile(r"""=(?=(?:[^"`]|"[^"]*"|`[^`]*`)*$)""")  # those that are no part of a quoted name


@dataclass(frozen=True)
class LinearIdentity:
    """Coefficients whose sum over the columns is the constant."""

    text: str
    coefficients: Mapping[str, float]
    constant: float = 0.0
    broken: int = field(default=0, compare=False)
    """Records of the file in which it does not hold, once it is declared."""
    tolerance: float = field(default=0.0, compare=False)
    """The amount by which a record may miss it: rounding, found when it is declared."""

    def __str__(self) -> str:
        return self.text

    @property
    def columns(self) -> tuple[str, ...]:
        """The members."""
        return tuple(self.coefficients)

    def says_the_same_as(self, other: LinearIdentity) -> bool:
        """Whether one is a multiple of the other."""
        return self._proportional(other) and isclose(self._scaled(self.constant), other._scaled(other.constant))

    def contradicts(self, other: LinearIdentity) -> bool:
        """Whether both give the same sum another value."""
        return self._proportional(other) and not self.says_the_same_as(other)

    def _proportional(self, other: LinearIdentity) -> bool:
        return self.coefficients.keys() == other.coefficients.keys() and all(
            isclose(self._scaled(factor), other._scaled(other.coefficients[name]))
            for name, factor in self.coefficients.items()
        )

    def _scaled(self, number: float) -> float:
        return number / self.coefficients[min(self.coefficients)]

    @classmethod
    def parse(cls, text: str) -> LinearIdentity:
        """Read an identity; names with spaces or signs stand in double quotes or backticks."""
        sides = _EQUALS.split(text)
        if len(sides) != 2:
            raise InputError(f"Identity '{text}' needs one '=', such as 'income = wages + pensions'.")
        coefficients: dict[str, float] = {}
        constant = 0.0
        for side, direction in zip(sides, (1.0, -1.0), strict=True):
            for factor, name in _terms(side, text):
                if name is None:
                    constant -= direction * factor
                else:
                    coefficients[name] = coefficients.get(name, 0.0) + direction * factor
        coefficients = {name: factor for name, factor in coefficients.items() if factor != 0}
        if not coefficients:
            raise InputError(f"Identity '{text}' says nothing about a column.")
        return cls(text.strip(), coefficients, constant + 0.0)


def quoted(name: str) -> str:
    """A column's name as an identity takes it: with quotes where it would not be read as one name."""
    if re.fullmatch(r"[^\W\d][\w.]*", name):
        return name
    return f'"{name}"' if '"' not in name else f"`{name}`"


def _terms(side: str, text: str) -> list[tuple[float, str | None]]:
    """(factor, column) of each term of a side; no column for a constant."""
    terms: list[tuple[float, str | None]] = []
    tokens = _tokens(side, text)
    position = 0
    while position < len(tokens):
        sign = 1.0
        signs = 0
        while position < len(tokens) and tokens[position][0] == "sign":
            sign = -sign if tokens[position][1] == "-" else sign
            position, signs = position + 1, signs + 1
        if terms and not signs:
            raise InputError(f"Identity '{text}': there is no sign before '{tokens[position][1]}'.")
        factor: float | None = None
        if position < len(tokens) and tokens[position][0] == "number":
            factor = float(tokens[position][1])
            position += 1
            if position < len(tokens) and tokens[position][0] == "times":
                position += 1
                if position == len(tokens) or tokens[position][0] != "name":
                    raise InputError(f"Identity '{text}': no column follows '*'.")
        if position < len(tokens) and tokens[position][0] == "name":
            terms.append((sign * (1.0 if factor is None else factor), tokens[position][1]))
            position += 1
        elif factor is not None:
            terms.append((sign * factor, None))
        else:
            raise InputError(f"Identity '{text}': a term lacks its column.")
    if not terms:
        raise InputError(f"Identity '{text}' has nothing on one side of '='.")
    return terms


def _tokens(side: str, text: str) -> list[tuple[str, str]]:
    tokens = []
    position = 0
    side = side.strip()
    while position < len(side):
        match = _TOKEN.match(side, position)
        if match is None:
            raise InputError(f"Identity '{text}': '{side[position:].strip()[:20]}' is not understood.")
        kind = str(match.lastgroup)
        value = str(match.group(kind))
        tokens.append(("name" if kind in ("quoted", "ticked") else kind, value))
        position = match.end()
    return tokens
