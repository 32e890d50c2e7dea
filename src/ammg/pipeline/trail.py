"""What steps did to records, told after the fact: at once in memory, in one pass over a stream when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from ammg.data.finding import Findings
from ammg.engines.engine import EngineSource, Passage, PlannedStep
from ammg.methods.method import Plan
from ammg.pipeline.changes import Changes, changes, merged
from ammg.release.masking import StepRecord, Told


@dataclass(frozen=True)
class Account:
    """What one step did to some records; those of several chunks add up."""

    before: int = 0
    after: int = 0
    changed: Changes = field(default_factory=dict)
    findings: tuple[Findings, ...] = ()
    """One entry per planned step that was applied on the way."""

    def __add__(self, later: Account) -> Account:
        found = tuple(a + b for a, b in zip(self.findings, later.findings, strict=True))
        changed = merged(self.changed, later.changed)
        return Account(self.before + later.before, self.after + later.after, changed, found)


@dataclass(frozen=True)
class Walk:
    """A step between two sources, with its plans and what is known of it already."""

    before: EngineSource
    after: EngineSource
    plans: Sequence[Plan]
    notes: tuple[str, ...]

    @property
    def written(self) -> list[str]:
        """The columns that the step writes, and what is linked to them."""
        names = {name for plan in self.plans for name in plan.schema.names}
        names |= {attribute.name for attribute in self.after.schema if attribute.linked_to in names}
        return [name for name in self.after.schema.names if name in names and name in self.before.schema]

    def told(self, account: Account) -> Told:
        """What the step did in the words of its record."""
        changed = {name: change.facts for name, change in account.changed.items() if change.cells}
        steps = self.after.steps_since(self.before) if account.findings else ()
        plans = [*self.plans, *(_found(*pair) for pair in zip(steps, account.findings, strict=True))]
        notes = [note for plan in plans for note in plan.notes]
        if not changed and any(len(plan.schema) for plan in self.plans):
            notes.append("it changed no value")
        return Told(
            records_before=account.before,
            records_after=account.after,
            changed=changed,
            published=tuple(value for plan in plans for value in plan.published),
            notes=(*notes, *self.notes),
        )


class Trail:
    """Steps in a row; those whose records are not made yet are told in one pass, at the first question."""

    def __init__(self) -> None:
        self._walks: list[Walk] = []
        self._told: list[Told] | None = None

    def add(self, walk: Walk) -> int:
        """One step more; returns its position."""
        self._walks.append(walk)
        return len(self._walks) - 1

    def told(self, position: int) -> Told:
        """What the step at a position did."""
        if self._told is None:
            accounts = _accounts(self._walks)
            self._told = [walk.told(account) for walk, account in zip(self._walks, accounts, strict=True)]
            self._walks = []  # they hold the records
        return self._told[position]


@dataclass(frozen=True, kw_only=True)
class TrailStep(StepRecord):
    """One step of a trail."""

    trail: Trail = field(repr=False, compare=False)
    position: int = field(repr=False)

    @property
    def told(self) -> Told:
        """What masking showed, found out by one pass over all steps of the trail."""
        return self.trail.told(self.position)


def _accounts(walks: Sequence[Walk]) -> list[Account]:
    written = [walk.written for walk in walks]
    columns = list(dict.fromkeys(name for names in written for name in names))
    stops = [walks[0].before, *(walk.after for walk in walks)]
    parts = stops[-1].along(stops, [name for name in columns if name in stops[0].types], partial(_account, written))
    nothing = [Account(findings=_nothing(walk)) for walk in walks]
    return reduce(lambda early, late: [a + b for a, b in zip(early, late, strict=True)], parts, nothing)


def _account(written: Sequence[Sequence[str]], passages: Sequence[Passage]) -> list[Account]:
    return [
        Account(len(p.before), len(p.after), changes(p.before, p.after, names), p.findings)
        for p, names in zip(passages, written, strict=True)
    ]


def _nothing(walk: Walk) -> tuple[Findings, ...]:
    return tuple(Findings() for _ in walk.after.steps_since(walk.before)) if not walk.after.in_memory else ()


def _found(step: PlannedStep, findings: Findings) -> Plan:
    """What a step that was planned earlier turned out to be, beyond its plan."""
    published = findings.published
    if step.where is not None:
        published = tuple(replace(value, among=step.where) for value in published)
    return Plan(step.plan.schema, published=published, notes=findings.notes)
