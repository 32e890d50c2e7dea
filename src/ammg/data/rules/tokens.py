"""The words of a rule: names, numbers, text in single quotes, signs."""

from __future__ import annotations

import re
from typing import NamedTuple

from ammg.errors import InputError

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<name>[^\W\d][\w.]*)
      | "(?P<quoted>[^"]+)"
      | `(?P<ticked>[^`]+)`
      | '(?P<literal>(?:[^']|'')*)'
      | (?P<compare><=|>=|!=|<>|≤|≥|≠|<|>|=)
      | (?P<sign>[+-])
      | (?P<times>[*×])
      | (?P<mark>[(),])
    )""",
    re.VERBOSE,
)
_SAME = {"≤": "<=", "≥": ">=", "≠": "!=", "<>": "!="}
WORDS = frozenset(
    {"if", "then", "implies", "and", "or", "not", "in", "between", "is", "missing", "null", "true", "false"}
)
"""Reserved words of rules; a column with such a name must be in double quotes."""


class Token(NamedTuple):
    """A token of a rule: its kind (name, number, literal, compare, sign, times, mark, word) and its text."""

    kind: str
    text: str


def tokens(text: str, what: str = "Rule", words: frozenset[str] = WORDS) -> list[Token]:
    """The tokens of a text, in order."""
    found: list[Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise InputError(f"{what} '{text}': '{text[position:].strip()[:20]}' is not understood.")
        kind = str(match.lastgroup)
        value = str(match.group(kind))
        if kind == "name" and value.lower() in words:
            kind, value = "word", value.lower()
        elif kind in ("quoted", "ticked"):
            kind = "name"
        elif kind == "literal":
            value = value.replace("''", "'")
        elif kind == "compare":
            value = _SAME.get(value, value)
        found.append(Token(kind, value))
        position = match.end()
    return found


def quoted(name: str) -> str:
    """A column's name as a rule needs it: quoted unless it reads as one name."""
    if re.fullmatch(r"[^\W\d][\w.]*", name) and name.lower() not in WORDS:
        return name
    return f'"{name}"' if '"' not in name else f"`{name}`"
