"""What surfaces show of a masked file beside its measures: the verdict, pictures, first records, risky combinations."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from ammg.charts.chart import Chart
from ammg.data.microdata import Microdata
from ammg.report.correlations import correlation_charts
from ammg.report.distributions import distributions
from ammg.report.evidence import Evidence, Reader
from ammg.report.loss import loss_chart
from ammg.report.risks import combinations
from ammg.report.verdict import picture, verdict

FIRST = 100
"""Records that a page shows."""


def pictures(evidence: Evidence, reader: Reader) -> dict[str, Any]:
    """The verdict in sentences and all pictures of an evaluation as plain values, as this reader may see them."""
    drawn = [] if evidence.is_streamed else distributions(evidence.pair, reader)
    maps, without_maps = correlation_charts(evidence, reader)
    return {
        "verdict": verdict(evidence, reader),
        "risk": _plain(picture(evidence)),
        "loss": _plain(loss_chart(evidence, reader)),
        "distributions": [{"name": one.name, "chart": _plain(one.chart), "note": one.note} for one in drawn],
        "correlations": [chart.to_dict() for chart in maps],
        "correlations_note": without_maps,
    }


def risky_people(evidence: Evidence) -> list[dict[str, Any]]:
    """Records, rare combinations and rare categories in words, by measure; for the owner alone."""
    return [
        {"measure": measure, "what": what, "sentences": list(sentences[:FIRST])}
        for measure, what, sentences in combinations(evidence)
    ]


def first_records(data: Microdata, count: int = FIRST) -> dict[str, Any]:
    """The first records of a table as plain values: the names of the columns, and one list per record."""
    table = data.streamed.head(count) if data.streamed is not None else data.table.head(count)
    return {"columns": table.columns, "rows": [[_cell(value) for value in row] for row in table.rows()]}


def _plain(chart: Chart | None) -> dict[str, Any] | None:
    return None if chart is None else chart.to_dict()


def _cell(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
