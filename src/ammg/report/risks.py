"""Risk before and after masking, with the largest risks explained."""

from __future__ import annotations

from dataclasses import dataclass

from ammg import registry
from ammg.charts.chart import Chart
from ammg.measures.measure import Measure
from ammg.measures.measurement import Measurement, Table
from ammg.report.evidence import Evidence, Reader
from ammg.report.verdict import by_size
from ammg.report.words import definition, mid_sentence, named, plain, told, told_of

_EXPLAINED = 3


@dataclass(frozen=True)
class Row:
    """A measure in the table of risk or loss."""

    label: str
    before: str
    after: str
    interval: str
    limit: str
    kept: bool | None
    """Whether its limit is met; None without one."""
    meaning: str


@dataclass(frozen=True)
class Explained:
    """One risk in words; facts, tables and charts are for the panel."""

    title: str
    sentences: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    charts: tuple[Chart, ...] = ()


def rows(evidence: Evidence, family: str) -> list[Row]:
    """The measures of risk or loss, in the order in which they were asked for."""
    return [_row(evidence, label, measure, found) for label, measure, found in evidence.family(family)]


def explained(evidence: Evidence, reader: Reader) -> list[Explained]:
    """The greatest risks of the masked file, those of its limits among them."""
    known = [entry for entry in by_size(evidence) if entry[2].value is not None]
    chosen = [entry for place, entry in enumerate(known) if place < _EXPLAINED or entry[0] in evidence.broken]
    return [_explained(evidence, reader, *entry) for entry in chosen]


def combinations(evidence: Evidence) -> list[tuple[str, str, tuple[str, ...]]]:
    """For the panel alone: records, rare combinations and rare categories in words, by measure."""
    return [
        (named(label), named(what), sentences)
        for label, found in evidence.after.items()
        for what, sentences in found.people.examples.items()
        if sentences
    ]


def _row(evidence: Evidence, label: str, measure: Measure, found: Measurement) -> Row:
    meaning = registry.meaning(type(measure))
    limit = evidence.limits.get(label)
    return Row(
        named(label),
        told_of(measure, evidence.before.get(label)),
        told(measure, found.value),
        _interval(measure, found),
        "" if limit is None else _limit(measure, limit),
        None if limit is None else label not in evidence.broken,
        f"Not defined: {found.reason}." if found.value is None else meaning,
    )


def _explained(evidence: Evidence, reader: Reader, label: str, measure: Measure, found: Measurement) -> Explained:
    meaning, more, _ = definition(type(measure))
    before = evidence.before.get(label)
    number = f"{meaning.removesuffix('.')}: {told(measure, found.value)}"
    if before is not None and before.value is not None:
        number += f" in the masked file, {told(measure, before.value)} in the unmasked one"
    sentences = [f"{number}.", more, *_attacks(found)]
    if interval := _interval(measure, found):
        sentences.append(f"95\u00a0% interval: {interval}.")
    if label in evidence.broken:
        sentences.append(evidence.broken[label])
    if reader.is_public:
        return Explained(named(label), tuple(filter(None, sentences)))
    facts = tuple((named(name), plain(fact)) for name, fact in found.facts.items())
    tables = tuple((named(name), table) for name, table in found.tables.items() if len(table))
    return Explained(named(label), tuple(filter(None, sentences)), facts, tables, found.charts)


def _attacks(found: Measurement) -> list[str]:
    """What the attacks that the facts name do."""
    sentences = []
    for what, fact in found.facts.items():
        unit = registry.known_as("measures", fact.partition("(")[0]) if isinstance(fact, str) else None
        if unit is not None:
            meaning = mid_sentence(registry.meaning(registry.find("measures", unit)))
            sentences.append(f"The {named(what)}: {named(str(fact))} ({meaning}).")
    return sentences


def _interval(measure: Measure, found: Measurement) -> str:
    if found.interval is None or found.value is None:
        return ""
    return " to ".join(told(measure, end) for end in found.interval)


def _limit(measure: Measure, limit: float) -> str:
    return f"{100 * limit:g} %" if measure.percent else f"{limit:g}"
