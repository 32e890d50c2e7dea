"""What each attribute lost."""

from __future__ import annotations

from ammg.charts.chart import Chart
from ammg.measures.measurement import Measurement
from ammg.report.evidence import Evidence, Reader
from ammg.report.words import named

_BARS = 20  # attributes in the picture; the table has all


def by_attribute(evidence: Evidence, label: str, reader: Reader) -> dict[str, float | None]:
    """The loss of each attribute by one measure; None where too few people stand behind a public number."""
    measurement: Measurement = evidence.after[label]
    analysed = set(evidence.pair.analysed())
    enough = enough_people(evidence, reader)
    return {
        name: value if name in enough else None for name, value in measurement.by_column.items() if name in analysed
    }


def enough_people(evidence: Evidence, reader: Reader) -> set[str]:
    """The attributes that enough people of the original file have a value of; nobody counts them in a stream."""
    names = evidence.pair.analysed()
    if evidence.is_streamed:
        return set() if reader.is_public else set(names)
    table = evidence.pair.original.table
    return {name for name in names if len(table) - table[name].null_count() >= reader.fewest}


def told_apart(evidence: Evidence) -> list[str]:
    """The losses that have a value for each attribute."""
    analysed = set(evidence.pair.analysed())
    return [label for label, _, found in evidence.family("loss") if analysed.intersection(found.by_column)]


def loss_chart(evidence: Evidence, reader: Reader) -> Chart | None:
    """The attributes that lost most, by the first loss that is a share; None if no loss tells attributes apart."""
    labels = told_apart(evidence)
    if not labels:
        return None
    label = next((label for label in labels if evidence.measures[label].percent), labels[0])
    found = {name: value for name, value in by_attribute(evidence, label, reader).items() if value is not None}
    names = sorted(found, key=lambda name: -found[name])
    if not names:
        return None
    title = "What analysts lose, by attribute" + (f" (the {_BARS} that lost most)" if len(names) > _BARS else "")
    values = tuple(found[name] for name in names[:_BARS])
    percent = evidence.measures[label].percent
    return Chart("bars", title, tuple(names[:_BARS]), {named(label): values}, "", named(label), percent=percent)
