"""Rules read from text, or from the mappings that a project file may contain instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ammg.data.rules.conditions import (
    Among,
    Both,
    Comparison,
    Condition,
    Either,
    LinearCondition,
    Missing,
    Negated,
    equalities,
)
from ammg.data.rules.edits import CombinationRule, ConditionRule, ImplicationRule, RangeRule
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import linear, terms
from ammg.data.rules.rule import Rule
from ammg.data.rules.tokens import Token, quoted, tokens
from ammg.data.rules.values import Operator
from ammg.errors import InputError, did_you_mean

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_FORMS = ("if", "range", "allow", "forbid", "household_sum")
_TRUTH = (Token("word", "true"), Token("word", "false"))
_HELP = "Write it as: age < 15 implies status = 'single'; 0 <= age <= 120; income = wages + pensions."


def parse_rule(given: str | Mapping[str, Any] | Rule, household: str | None = None) -> Rule:
    """A rule from its text or a mapping; `household` is the default column over which household sums add up."""
    if isinstance(given, Rule):
        return given
    if isinstance(given, Mapping):
        return _of_mapping(given, household)
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"Rule {given!r} is neither text nor a mapping. {_HELP}")
    text = " ".join(given.split())
    return _Reader(text, tokens(text)).rule(household)


class _Reader:
    """Reads the tokens of a rule from left to right."""

    def __init__(self, text: str, pieces: list[Token]) -> None:
        self.text, self.pieces, self.position = text, pieces, 0

    def rule(self, household: str | None) -> Rule:
        """The whole text as a rule."""
        if (total := self._household_sum(household)) is not None:
            return total
        if self._takes("word", "if"):
            when = self.either()
            self._expects("word", "then")
            return ImplicationRule(self.text, when, self._last())
        first = self.either()
        if self._takes("word", "implies"):
            return ImplicationRule(self.text, first, self._last())
        self._expects_the_end()
        return self._classified(first)

    def either(self) -> Condition:
        """Conditions joined by `or`."""
        parts = [self._both()]
        while self._takes("word", "or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        parts = [self._single()]
        while self._takes("word", "and"):
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _single(self) -> Condition:
        if self._takes("word", "not"):
            return Negated((self._single(),))
        if (names := self._tuple_of_names()) is not None:
            return self._among(names)
        if self._takes("mark", "("):
            inside = self.either()
            self._expects("mark", ")")
            return inside
        return self._comparison()

    def _comparison(self) -> Condition:
        name = self._name_before("word")
        if name is not None:
            return self._said_of(name)
        sides = [self._side()]
        signs: list[Operator] = []
        while (sign := self._next()) is not None and sign.kind == "compare":
            self.position += 1
            signs.append(cast("Operator", sign.text))
            sides.append(self._side())
        if not signs:
            raise InputError(f"Rule '{self.text}' needs a comparison after '{self._said()}'. {_HELP}")
        pairs = zip(sides, signs, sides[1:], strict=False)
        parts = [self._compared(left, sign, right) for left, sign, right in pairs]
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _said_of(self, name: str) -> Condition:
        if self._takes("word", "is"):
            negated = self._takes("word", "not")
            if not (self._takes("word", "missing") or self._takes("word", "null")):
                raise self._stuck("'missing'")
            return Negated((Missing(name),)) if negated else Missing(name)
        if self._takes("word", "between"):
            low = terms(self._side_pieces(), self.text)
            self._expects("word", "and")
            high = terms(self._side_pieces(), self.text)
            column = [(1.0, cast("str | None", name))]
            limits = (linear(column, ">=", low, self.text), linear(column, "<=", high, self.text))
            return Both(tuple(LinearCondition(limit) for limit in limits))
        return self._among((name,))

    def _among(self, names: tuple[str, ...]) -> Condition:
        negated = self._takes("word", "not")
        self._expects("word", "in")
        self._expects("mark", "(")
        combinations = []
        while True:
            if len(names) == 1:
                combinations.append((self._literal(),))
            else:
                self._expects("mark", "(")
                combinations.append(self._literals(len(names)))
                self._expects("mark", ")")
            if not self._takes("mark", ","):
                break
        self._expects("mark", ")")
        found = Among(names, tuple(combinations))
        return Negated((found,)) if negated else found

    def _literals(self, number: int) -> tuple[Any, ...]:
        values = [self._literal()]
        while self._takes("mark", ","):
            values.append(self._literal())
        if len(values) != number:
            raise InputError(f"Rule '{self.text}': {len(values)} values are given for {number} columns.")
        return tuple(values)

    def _compared(self, left: Any, sign: Operator, right: Any) -> Condition:
        if isinstance(left, _Literal) and isinstance(right, _Literal):
            raise InputError(f"Rule '{self.text}' does not name a column.")
        if isinstance(left, _Literal):
            left, right, sign = right, left, cast("Operator", _TURNED[sign])
        if isinstance(right, _Literal):
            if len(left) != 1 or left[0][0] != 1.0 or left[0][1] is None:
                raise InputError(f"Rule '{self.text}' compares a sum with {right.value!r}: name a single column.")
            return Comparison(left[0][1], sign, right.value)
        return LinearCondition(linear(left, sign, right, self.text))

    def _side(self) -> Any:
        """A sum, or a value that is not a number."""
        token = self._next()
        if token is not None and (
            token.kind == "literal" or (token.text in ("true", "false") and token.kind == "word")
        ):
            return _Literal(self._literal())
        return terms(self._side_pieces(), self.text)

    def _side_pieces(self) -> list[Token]:
        start = self.position
        while (token := self._next()) is not None and token.kind in ("name", "number", "sign", "times"):
            self.position += 1
        if self.position == start:
            raise self._stuck("a column or a value")
        return self.pieces[start : self.position]

    def _literal(self) -> Any:
        sign = -1.0 if self._takes("sign", "-") else 1.0
        token = self._next()
        if token is None or (token.kind not in ("literal", "number") and token not in _TRUTH):
            raise self._stuck("a value, with text in single quotes")
        self.position += 1
        if token.kind == "number":
            number = sign * float(token.text)
            return int(number) if number.is_integer() else number
        return token.text if token.kind == "literal" else token.text == "true"

    def _classified(self, condition: Condition) -> Rule:
        """The kind of rule that a single condition makes."""
        match condition:
            case LinearCondition(rule) if rule.sense != "!=":
                if len(rule.columns) == 1 and rule.sense in ("<=", ">="):
                    return self._range([rule.sense], [rule])
                return rule
            case Both((LinearCondition(low), LinearCondition(high))) if (
                low.columns == high.columns and len(low.columns) == 1 and {low.sense, high.sense} <= {"<=", ">="}
            ):
                return self._range([low.sense, high.sense], [low, high])
            case Among():
                return CombinationRule(self.text, condition, allowed=True)
            case Negated((Among() as among,)):
                return CombinationRule(self.text, among, allowed=False)
            case Negated((inner,)) if (values := equalities(inner)) is not None:
                return CombinationRule.forbidding(values, self.text)
        return ConditionRule(self.text, condition)

    def _range(self, senses: list[str], rules: list[Any]) -> RangeRule:
        low: float | None = None
        high: float | None = None
        for sense, rule in zip(senses, rules, strict=True):
            (name,) = rule.columns
            factor = rule.coefficients[name]
            if (sense == ">=") == (factor > 0):
                low = rule.constant / factor + 0.0
            else:
                high = rule.constant / factor + 0.0
        return RangeRule(self.text, name, low, high)

    def _household_sum(self, household: str | None) -> HouseholdSum | None:
        """`total = sum of part by household`."""
        kinds = [token.kind for token in self.pieces[:5]]
        words = [token.text.lower() for token in self.pieces[:4]]
        if kinds != ["name", "compare", "name", "name", "name"] or words[1:] != ["=", "sum", "of"]:
            return None
        rest = self.pieces[5:]
        if rest and (len(rest) != 2 or rest[0].text.lower() != "by" or rest[1].kind != "name"):
            raise InputError(f"Rule '{self.text}' must end with 'by' and the household identifier.")
        home = rest[1].text if rest else household
        if home is None:
            raise InputError(
                f"Rule '{self.text}' needs the household identifier: give a column the role household, or "
                "add 'by' and its name."
            )
        return HouseholdSum.of(self.pieces[0].text, self.pieces[4].text, home)

    def _tuple_of_names(self) -> tuple[str, ...] | None:
        """The columns of `(a, b) in …`; None if the bracket opens something else."""
        ahead = self.position
        if self._at(ahead) != Token("mark", "("):
            return None
        names: list[str] = []
        ahead += 1
        while (token := self._at(ahead)) is not None and token.kind == "name":
            names.append(token.text)
            separator = self._at(ahead + 1)
            ahead += 2
            if separator == Token("mark", ")"):
                if self._at(ahead) in (Token("word", "in"), Token("word", "not")) and len(names) > 1:
                    self.position = ahead
                    return tuple(names)
                return None
            if separator != Token("mark", ","):
                return None
        return None

    def _name_before(self, kind: str) -> str | None:
        """A column followed by `in`, `is`, `between` or `not`."""
        token, after = self._next(), self._at(self.position + 1)
        if token is None or token.kind != "name" or after is None or after.kind != kind:
            return None
        if after.text not in ("in", "is", "between", "not"):
            return None
        self.position += 1
        return token.text

    def _last(self) -> Condition:
        found = self.either()
        self._expects_the_end()
        return found

    def _next(self) -> Token | None:
        return self._at(self.position)

    def _at(self, position: int) -> Token | None:
        return self.pieces[position] if position < len(self.pieces) else None

    def _takes(self, kind: str, text: str) -> bool:
        taken = self._next() == Token(kind, text)
        self.position += taken
        return taken

    def _expects(self, kind: str, text: str) -> None:
        if not self._takes(kind, text):
            raise self._stuck(f"'{text}'")

    def _expects_the_end(self) -> None:
        if (token := self._next()) is not None:
            raise InputError(f"Rule '{self.text}': '{token.text}' is not understood here. {_HELP}")

    def _stuck(self, wanted: str) -> InputError:
        token = self._next()
        where = f"'{token.text}'" if token is not None else "the end"
        return InputError(f"Rule '{self.text}' needs {wanted} before {where}. {_HELP}")

    def _said(self) -> str:
        return " ".join(token.text for token in self.pieces[: self.position])


class _Literal:
    """A value that is not a number, on one side of a comparison."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _of_mapping(given: Mapping[str, Any], household: str | None) -> Rule:
    """`{if: …, then: …}`, `{range: {age: [0, 120]}}`, `{allow: …}`, `{forbid: …}`, `{household_sum: …}`."""
    form = next((form for form in _FORMS if form in given), None)
    extra = set(given) - {form, *(["then"] if form == "if" else [])}
    if form is None or extra or (form == "if") != ("then" in given):
        word = str(next(iter(extra), next(iter(given), "")))
        raise InputError(
            f"Rule {dict(given)!r} is not understood: use {{if: …, then: …}} or one of "
            f"{', '.join(_FORMS[1:])}.{did_you_mean(word, _FORMS)}"
        )
    value = given[form]
    if form == "if":
        return parse_rule(f"if {value} then {given['then']}")
    if form == "household_sum":
        if not isinstance(value, Mapping) or not {"total", "of"} <= set(value) <= {"total", "of", "by"}:
            raise InputError(f"Rule {dict(given)!r} needs {{household_sum: {{total: column, of: column}}}}.")
        home = value.get("by", household)
        by = f" by {quoted(str(home))}" if home is not None else ""
        return parse_rule(f"{quoted(str(value['total']))} = sum of {quoted(str(value['of']))}{by}")
    if form == "range":
        return _range(given, value)
    return _combinations(given, value, allowed=form == "allow")


def _range(given: Mapping[str, Any], value: Any) -> RangeRule:
    if not isinstance(value, Mapping) or len(value) != 1:
        raise InputError(f"Rule {dict(given)!r} needs one column with its limits: {{range: {{age: [0, 120]}}}}.")
    ((column, limits),) = value.items()
    numbers = isinstance(limits, list | tuple) and len(limits) == 2
    if not numbers or not all(limit is None or isinstance(limit, int | float) for limit in limits):
        raise InputError(f"Rule {dict(given)!r}: the limits must be two numbers, such as [0, 120] or [0, null].")
    return RangeRule.of(str(column), *limits)


def _combinations(given: Mapping[str, Any], value: Any, *, allowed: bool) -> CombinationRule:
    """One combination, several of the same columns, or lists of values of one column."""
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, Mapping) and entry for entry in entries):
        raise InputError(f"Rule {dict(given)!r} needs columns with their values, such as {{sex: m, pregnant: true}}.")
    columns = tuple(str(name) for name in entries[0])
    if any(set(entry) != set(columns) for entry in entries):
        raise InputError(f"Rule {dict(given)!r} combines different columns: write one rule for each set of columns.")
    combinations: list[tuple[Any, ...]] = []
    for entry in entries:
        lists = [entry[name] if isinstance(entry[name], list) else [entry[name]] for name in columns]
        crossed: list[tuple[Any, ...]] = [()]
        for values in lists:
            crossed = [(*start, one) for start in crossed for one in values]
        combinations += crossed
    return CombinationRule.of(columns, combinations, allowed=allowed)
