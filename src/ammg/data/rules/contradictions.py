"""Rules that cannot hold together, detected one column at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ammg.data.rules.conditions import Among, Comparison, Condition, LinearCondition, Negated, conjuncts
from ammg.data.rules.edits import CombinationRule, ImplicationRule, RangeRule
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule


@dataclass(frozen=True)
class _Domain:
    """The values that remain possible for a column: those of a list, or all numbers between two limits."""

    low: float = float("-inf")
    high: float = float("inf")
    low_open: bool = False
    high_open: bool = False
    listed: frozenset[Any] | None = None
    excluded: frozenset[Any] = frozenset()

    def limited(self, sign: str, value: float) -> _Domain:
        """With one more comparison."""
        match sign:
            case "=":
                return self.among({value})
            case "!=":
                return self.without({value})
            case "<" | "<=" if value < self.high or (value == self.high and sign == "<"):
                return self._cut(replace(self, high=value, high_open=sign == "<"))
            case ">" | ">=" if value > self.low or (value == self.low and sign == ">"):
                return self._cut(replace(self, low=value, low_open=sign == ">"))
        return self

    def among(self, values: Iterable[Any]) -> _Domain:
        """With a list of values."""
        kept = {v for v in map(_plain, values) if self.has(v)}
        return replace(self, listed=frozenset(kept))

    def without(self, values: Iterable[Any]) -> _Domain:
        """Without some values."""
        excluded = self.excluded | {_plain(v) for v in values}
        listed = None if self.listed is None else self.listed - excluded
        return replace(self, listed=listed, excluded=excluded)

    def has(self, value: Any) -> bool:
        """Whether a value remains possible."""
        if value in self.excluded or (self.listed is not None and value not in self.listed):
            return False
        if not isinstance(value, float):
            return True
        above = value > self.low or (value == self.low and not self.low_open)
        return above and (value < self.high or (value == self.high and not self.high_open))

    @property
    def is_empty(self) -> bool:
        """Whether no value remains possible."""
        if self.listed is not None:
            return not self.listed
        point = self.low == self.high and (self.low_open or self.high_open or self.low in self.excluded)
        return self.low > self.high or point

    def within(self, other: _Domain) -> bool:
        """Whether all remaining values also belong to the other domain."""
        if self.listed is not None:
            return all(other.has(value) for value in self.listed)
        if other.listed is not None or not other.excluded <= self.excluded:
            return False
        low = self.low > other.low or (self.low == other.low and (self.low_open or not other.low_open))
        return low and (self.high < other.high or (self.high == other.high and (self.high_open or not other.high_open)))

    @staticmethod
    def _cut(domain: _Domain) -> _Domain:
        return domain if domain.listed is None else domain.among(domain.listed)


_Box = dict[str, _Domain]


def contradiction(rule: Rule, known: Sequence[Rule]) -> str | None:
    """Why a rule cannot hold together with others, as a clause; None if no contradiction is found."""
    for other in known:
        if isinstance(rule, LinearRule) and rule.contradicts(other):
            return f"it contradicts '{other}': keep one."
    rules = [*known, rule]
    for name in rule.columns:
        box = _limited({}, rules)
        if name in box and box[name].is_empty:
            told = [f"'{other}'" for other in known if name in other.columns and _domains(other)]
            return f"together with {' and '.join(told)} it leaves no value for '{name}': keep one."
    for implication in rules:
        if isinstance(implication, ImplicationRule) and (against := _impossible(implication, rules)):
            return against
    return None


def _impossible(rule: ImplicationRule, rules: Sequence[Rule]) -> str | None:
    """Why the second condition of an implication can never hold where the first one does."""
    box = _narrowed(_limited({}, rules), rule.when)
    if _is_empty(box):
        return None  # it never applies, which does no harm
    box = _narrowed(box, rule.then)
    if (column := _is_empty(box)) is not None:
        return f"'{rule}' leaves no value for '{column}': correct one of its conditions, or another rule."
    for _ in rules:  # a chain of implications has at most as many links as there are rules
        for other in rules:
            if isinstance(other, ImplicationRule) and other is not rule and _entails(box, other.when):
                box = _narrowed(box, other.then)
                if (column := _is_empty(box)) is not None:
                    return f"'{rule}' and '{other}' leave no value for '{column}': correct one of them."
    for other in rules:
        if isinstance(other, CombinationRule) and (clash := _clash(box, other)):
            return f"'{rule}' requires something {clash} by '{other}': correct one of them."
    return None


def _clash(box: _Box, rule: CombinationRule) -> str | None:
    """Whether every record of the box has a forbidden combination, or none of the allowed ones."""
    for combination in rule.among.combinations:
        left = [
            (box.get(name, _Domain()), _plain(value)) for name, value in zip(rule.columns, combination, strict=True)
        ]
        if rule.allowed and all(domain.has(value) for domain, value in left):
            return None
        if not rule.allowed and all(domain.listed == frozenset({value}) for domain, value in left):
            return "forbidden"
    return "not allowed" if rule.allowed else None


def _limited(box: _Box, rules: Iterable[Rule]) -> _Box:
    """A box with the limits that hold in every record."""
    for rule in rules:
        for name, domain in _domains(rule):
            box = {**box, name: domain(box.get(name, _Domain()))}
    return box


def _domains(rule: Rule) -> list[tuple[str, Any]]:
    """How a rule about one column limits its possible values."""
    match rule:
        case RangeRule():
            limits = [(">=", rule.low), ("<=", rule.high)]
            return [(rule.column, _step(sign, limit)) for sign, limit in limits if limit is not None]
        case LinearRule() if len(rule.columns) == 1:
            return list(_atom(LinearCondition(rule)))
        case CombinationRule() if len(rule.columns) == 1:
            inside = rule.among
            return list(_atom(inside if rule.allowed else Negated((inside,))))
    return []


def _atom(condition: Condition) -> Iterator[tuple[str, Any]]:
    """How a condition on one column limits its values; nothing for other kinds of condition."""
    match condition:
        case Comparison(column, "=" | "!=" as sign, value):
            yield column, _step(sign, value)
        case LinearCondition(rule) if len(rule.columns) == 1:
            (name,) = rule.columns
            factor = rule.coefficients[name]
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            yield name, _step(rule.sense if factor > 0 else turned.get(rule.sense, rule.sense), rule.constant / factor)
        case Among((name,), combinations):
            yield name, lambda domain: domain.among(value for (value,) in combinations)
        case Negated((Among((name,), combinations),)):
            yield name, lambda domain: domain.without(value for (value,) in combinations)


def _step(sign: str, value: Any) -> Any:
    if sign in ("=", "!="):
        return lambda domain: domain.among({value}) if sign == "=" else domain.without({value})
    return lambda domain: domain.limited(sign, float(value))


def _narrowed(box: _Box, condition: Condition) -> _Box:
    for part in conjuncts(condition):
        for name, domain in _atom(part):
            box = {**box, name: domain(box.get(name, _Domain()))}
    return box


def _entails(box: _Box, condition: Condition) -> bool:
    """Whether every record of the box is known to meet a condition."""
    for part in conjuncts(condition):
        found = list(_atom(part))
        if not found or not all(name in box and box[name].within(domain(_Domain())) for name, domain in found):
            return False
    return True


def _is_empty(box: _Box) -> str | None:
    return next((name for name, domain in box.items() if domain.is_empty), None)


def _plain(value: Any) -> Any:
    """Numbers of all types as one type, booleans as words."""
    if isinstance(value, bool):
        return str(value).lower()
    return float(value) if isinstance(value, int | float) else value
