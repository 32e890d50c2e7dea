"""The attributes of a file, in order, found by name or by role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ammg.data.attribute import Attribute, Role
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule
from ammg.errors import ColumnError, did_you_mean


@dataclass(frozen=True)
class Schema:
    """An ordered, immutable list of attributes, and the rules that hold between them."""

    attributes: tuple[Attribute, ...]
    rules: tuple[Rule, ...] = ()
    """Rules that the owner declares for every record or household; all their columns are in the schema."""
    label: str = ""
    """A description of the file, if its format stores one."""

    @property
    def identities(self) -> tuple[LinearRule, ...]:
        """The rules that are linear equalities."""
        return tuple(rule for rule in self.rules if isinstance(rule, LinearRule) and rule.is_identity)

    @cached_property
    def _by_name(self) -> Mapping[str, Attribute]:
        return {attribute.name: attribute for attribute in self.attributes}

    @property
    def names(self) -> list[str]:
        """All column names, in file order."""
        return list(self._by_name)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Attribute:
        try:
            return self._by_name[name]
        except KeyError:
            raise ColumnError(f"Column '{name}' not found.{did_you_mean(name, self._by_name)}") from None

    def get(self, name: str) -> Attribute | None:
        """The attribute of that name, or None."""
        return self._by_name.get(name)

    def with_role(self, *roles: Role) -> list[str]:
        """Names of the attributes that have one of the roles."""
        return [attribute.name for attribute in self if attribute.role in roles]

    @property
    def keys(self) -> list[str]:
        """Names of the key attributes."""
        return self.with_role(Role.KEY)

    @property
    def weight(self) -> str | None:
        """Name of the sampling weight, if there is one."""
        return next(iter(self.with_role(Role.WEIGHT)), None)

    @property
    def household(self) -> str | None:
        """Name of the household identifier, if there is one."""
        return next(iter(self.with_role(Role.HOUSEHOLD)), None)

    def select(self, names: Iterable[str]) -> Schema:
        """The named attributes, in the order given, with the rules whose columns are all among them."""
        return self._of(tuple(self[name] for name in names))

    def drop(self, names: Iterable[str]) -> Schema:
        """All but the named attributes and the rules that name one of them."""
        dropped = set(names)
        return self._of(tuple(attribute for attribute in self if attribute.name not in dropped))

    def replace(self, *changed: Attribute) -> Schema:
        """Replace attributes by others of the same name; new names go to the end."""
        by_name = dict(self._by_name) | {attribute.name: attribute for attribute in changed}
        return Schema(tuple(by_name.values()), self.rules, self.label)

    def with_rules(self, *rules: Rule) -> Schema:
        """The same attributes with more rules."""
        return Schema(self.attributes, (*self.rules, *rules), self.label)

    def _of(self, attributes: tuple[Attribute, ...]) -> Schema:
        names = {attribute.name for attribute in attributes}
        rules = tuple(rule for rule in self.rules if names.issuperset(rule.columns))
        return Schema(attributes, rules, self.label)
