"""The Initial Microdata Analyzer: one pass over the records, then a proposal for each attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from ammg.analyzer.alerts import warn
from ammg.analyzer.analysis import Analysis, Proposal
from ammg.analyzer.concepts import Concept, concept_of, concept_of_label, household_number, unit_number
from ammg.analyzer.distinct import CAPACITY, DistinctSample
from ammg.analyzer.distribution import distribution
from ammg.analyzer.edits import confirmed, find_edits
from ammg.analyzer.hierarchies import propose_hierarchy
from ammg.analyzer.households import household_columns, mean_size
from ammg.analyzer.kinds import propose_kind
from ammg.analyzer.patterns.recognise import recognise
from ammg.analyzer.profile import Profile, Profiler, frames
from ammg.analyzer.relations import (
    MOST_KEYS,
    MOST_NUMBERS,
    Dependency,
    adds_up,
    depends,
    find_dependencies,
    find_household_sums,
    find_identities,
    holds,
    is_candidate,
)
from ammg.analyzer.roles import Structure, propose_role
from ammg.analyzer.samples import RECORDS, HouseholdSample, RecordSample
from ammg.data.attribute import Kind, Level, Role
from ammg.data.microdata import Microdata
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule

_COUNTED = 200_000  # records up to which every value is counted exactly
_LARGEST_HOUSEHOLD = 30.0  # records a household has on average, at most


def analyze(data: Microdata | Any) -> Analysis:
    """Propose roles, kinds and levels with reasons; nothing is applied until you call `apply`.

    The records are read once. Relations between columns that were found in a sample are checked in a second pass over
    these columns. Roles that are already set are not considered.
    """
    if not isinstance(data, Microdata):
        data = Microdata(data)
    facts = _read(data)
    structure = _structure(facts)
    proposals = [_propose(data, facts, structure, name) for name in data.columns]
    proposals = _with_levels(proposals, facts, structure)
    identities, dependencies = _relations(data, facts, proposals)
    proposals = _with_links(proposals, identities)
    sums = _household_sums(data, facts, structure, proposals)
    rows = facts.rows.finish()
    warnings = warn(proposals, facts.profiles, facts.sample, rows, identities, sums, dependencies)
    return Analysis(
        records=len(data),
        attributes=tuple(proposals),
        identities=tuple(identities),
        household_sums=tuple(sums),
        edits=tuple(_edits(data, facts, proposals)),
        dependencies=tuple(dependencies),
        warnings=tuple(warnings),
        notes=tuple(_notes(data, facts, proposals)),
    )


class _Facts:
    """What the pass over the records collects."""

    def __init__(self, data: Microdata, schema: Mapping[str, pl.DataType]) -> None:
        by_name = {name: concept_of(name) for name in data.columns}
        by_label = {name: concept_of_label(data.schema[name].label) for name in data.columns}
        self.concepts: dict[str, Concept | None] = {name: by_name[name] or by_label[name] for name in data.columns}
        self.labelled = {name for name in data.columns if by_name[name] is None and by_label[name] is not None}
        """Columns whose label says what their name does not."""
        self.records = RecordSample(len(data))
        self.capacity = len(data) if len(data) <= _COUNTED else CAPACITY
        self.rows = DistinctSample(self.capacity)
        self.households = {name: HouseholdSample(name) for name in data.columns if household_number(name)}
        self.profiles: dict[str, Profile] = {}
        self.sample: pl.DataFrame | None = None
        hashable = [name for name in data.columns if not schema[name].is_nested()]
        self.told_apart = [name for name in hashable if not unit_number(name) or household_number(name)]


def _read(data: Microdata) -> _Facts:
    schema = data.streamed.schema if data.streamed is not None else data.table.schema
    facts = _Facts(data, schema)
    profiler = Profiler(pl.Schema({name: schema[name] for name in data.columns}), facts.capacity)
    for frame in frames(data):
        profiler.add(frame)
        facts.records.add(frame)
        for sample in facts.households.values():
            sample.add(frame)
        if facts.told_apart:
            facts.rows.add(frame.select(facts.told_apart).hash_rows(seed=0))
    facts.profiles, facts.sample = profiler.finish(), facts.records.finish()
    return facts


def _structure(facts: _Facts) -> Structure:
    """The household identifier and the weight: one of each at most."""
    household, size = None, 0.0
    for name, sample in facts.households.items():
        members = sample.finish()
        if members is None or facts.profiles[name].is_unique or not len(members):
            continue
        size = mean_size(members, name)
        if 1 < size <= _LARGEST_HOUSEHOLD:
            household = name
            break
    measured = any(concept is not None and "height" in name.lower() for name, concept in facts.concepts.items())
    weight = None
    for name, concept in facts.concepts.items():
        profile = facts.profiles[name]
        if concept is None or concept.role is not Role.WEIGHT or not profile.is_number or measured:
            continue
        if not profile.missing and profile.low is not None and profile.low >= 0 and (profile.high or 0) > 0:
            weight = name
            break
    return Structure(household, weight, size)


def _propose(data: Microdata, facts: _Facts, structure: Structure, name: str) -> Proposal:
    profile, concept = facts.profiles[name], facts.concepts[name]
    kind, kind_reason = propose_kind(data.schema[name], profile, concept)
    pattern = None if profile.is_constant else recognise(profile.values.values)
    role, reason, certainty = propose_role(profile, concept, pattern, structure)
    if name in facts.labelled:
        reason = reason.replace("its name suggests", "its label suggests")
    if role is Role.IDENTIFIER and kind is Kind.ORDINAL:
        kind, kind_reason = Kind.NOMINAL, "names without an order"
    return Proposal(
        name=name,
        role=role,
        kind=kind,
        reason=reason,
        certainty=certainty,
        hierarchy=propose_hierarchy(profile, kind) if role is Role.KEY else "",
        kind_reason=kind_reason,
        stored_kind=data.schema[name].kind,
        distinct=profile.distinct,
        missing=profile.missing,
        low=profile.low,
        high=profile.high,
        mean=profile.mean,
        deviation=profile.deviation,
        distribution=distribution(profile, kind, None if facts.sample is None else facts.sample[name]),
        label=data.schema[name].label,
    )


def _with_levels(proposals: list[Proposal], facts: _Facts, structure: Structure) -> list[Proposal]:
    if structure.household is None:
        return proposals
    members = facts.households[structure.household].finish()
    assert members is not None
    same = {structure.household, *household_columns(members, structure.household)}
    return [replace(p, level=Level.HOUSEHOLD) if p.name in same else p for p in proposals]


def _relations(data: Microdata, facts: _Facts, proposals: list[Proposal]) -> tuple[list[LinearRule], list[Dependency]]:
    if facts.sample is None:
        return [], []
    identities = find_identities(facts.sample, _numbers(facts, proposals))
    dependencies = find_dependencies(facts.sample, _keys(proposals))
    linear = {frozenset(identity.columns) for identity in identities if identity.is_image}
    dependencies = [d for d in dependencies if frozenset((d.determines, d.determined)) not in linear]
    if facts.records.is_whole or not (identities or dependencies):
        return identities, dependencies
    return _confirmed(data, identities, dependencies)


def _household_sums(
    data: Microdata, facts: _Facts, structure: Structure, proposals: list[Proposal]
) -> list[HouseholdSum]:
    """Totals of households, found on the sampled households and confirmed on all of them."""
    if structure.household is None:
        return []
    members = facts.households[structure.household].finish()
    assert members is not None
    numbers = set(_numbers(facts, proposals))
    shared = [p.name for p in proposals if p.level is Level.HOUSEHOLD and p.name in numbers]
    parts = [p.name for p in proposals if p.level is Level.PERSON and p.name in numbers]
    found = find_household_sums(members, structure.household, shared, parts)
    if facts.records.is_whole:
        return found
    return [
        rule
        for rule in found
        if adds_up(rule, rule.merged(rule.homes(frame) for frame in frames(data, list(rule.columns))))
    ]


def _edits(data: Microdata, facts: _Facts, proposals: list[Proposal]) -> list[Rule]:
    """Edit rules between numbers and categories of persons, found on the sample and confirmed on all records."""
    if facts.sample is None:
        return []
    used = [p for p in proposals if p.role not in (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)]
    categories = [p.name for p in used if p.kind & Kind.CATEGORICAL and not facts.profiles[p.name].is_number]
    known = set(_numbers(facts, proposals))
    found = find_edits(facts.sample, [p.name for p in used if p.name in known], categories)
    if facts.records.is_whole or not found:
        return found
    wanted = {name for rule in found for name in rule.columns}
    return confirmed(found, frames(data, [name for name in data.columns if name in wanted]))


def _confirmed(
    data: Microdata, identities: list[LinearRule], dependencies: list[Dependency]
) -> tuple[list[LinearRule], list[Dependency]]:
    """Those that every record meets, in one more pass over the columns concerned."""
    pairs = [[d.determines, d.determined] for d in dependencies]
    wanted = {name for identity in identities for name in identity.columns} | {name for pair in pairs for name in pair}
    seen: list[list[pl.DataFrame]] = [[] for _ in dependencies]
    for frame in frames(data, [name for name in data.columns if name in wanted]):
        identities = [identity for identity in identities if holds(frame, identity)]
        for parts, pair in zip(seen, pairs, strict=True):
            parts[:] = [pl.concat([*parts, frame.select(pair).unique()]).unique()]
    return identities, [d for d, parts in zip(dependencies, seen, strict=True) if depends(parts, d)]


def _numbers(facts: _Facts, proposals: list[Proposal]) -> list[str]:
    return [
        p.name
        for p in proposals
        if facts.profiles[p.name].is_number
        and not facts.profiles[p.name].is_constant
        and p.role not in (Role.IDENTIFIER, Role.HOUSEHOLD)
    ]


def _keys(proposals: list[Proposal]) -> list[str]:
    return [p.name for p in proposals if is_candidate(p.role, p.kind, p.distinct)]


def _with_links(proposals: list[Proposal], identities: list[LinearRule]) -> list[Proposal]:
    """A copy or linear image follows the first of the columns that are images of each other."""
    leader: dict[str, str] = {}
    for identity in identities:
        if identity.is_image:
            first, second = sorted(identity.columns, key=[p.name for p in proposals].index)
            leader[second] = leader.get(first, first)
    free = {p.name for p in proposals if p.role in (Role.KEY, Role.CONFIDENTIAL, Role.OTHER)}
    return [
        replace(p, linked_to=leader[p.name]) if p.name in leader and {p.name, leader[p.name]} <= free else p
        for p in proposals
    ]


def _notes(data: Microdata, facts: _Facts, proposals: list[Proposal]) -> list[str]:
    notes = []
    if not facts.records.is_whole:
        notes.append(f"Distributions are from {RECORDS:,} of {len(data):,} records, drawn at random.")
    if any(not profile.values.is_exact for profile in facts.profiles.values()):
        notes.append(f"Numbers of distinct values above {CAPACITY:,} are estimates (± 3 %).")
    if len(_numbers(facts, proposals)) > MOST_NUMBERS:
        notes.append(f"Identities were searched for among the first {MOST_NUMBERS} numeric columns.")
    if len(_keys(proposals)) > MOST_KEYS:
        notes.append(f"Dependencies were searched for among the first {MOST_KEYS} keys.")
    return notes
