"""The report as one HTML file that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ammg import registry
from ammg.charts.axes import visible
from ammg.charts.chart import Chart
from ammg.charts.drawing import NARROW, Drawing
from ammg.io.atomic import atomic
from ammg.progress import tick
from ammg.release.public_summary import opening, public_summary, rules
from ammg.report.correlations import correlation_charts
from ammg.report.distributions import Distribution, distributions, most_changed
from ammg.report.evidence import Evidence, Reader
from ammg.report.loss import by_attribute, loss_chart, told_apart
from ammg.report.risks import combinations, explained, rows
from ammg.report.steps import steps
from ammg.report.verdict import picture, verdict
from ammg.report.words import definition, enumerated, named, told
from ammg.version import __version__

if TYPE_CHECKING:
    from jinja2 import Template

_DRAWN = 60  # distributions of a report; one of hundreds nobody reads, and drawing them takes minutes


def write_report(evidence: Evidence, path: str | Path, reader: Reader) -> Path:
    """Write the report; an internal one can be read by its owner alone."""
    text = report_html(evidence, reader)
    with atomic(path, None if reader.is_public else 0o600) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def report_html(evidence: Evidence, reader: Reader) -> str:
    """The whole page as text."""
    return str(_template().render(style=_resource("style.css"), **_context(evidence, reader)))


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {"codes": _codes, "drawn": _drawn, "cell": _cell}
    environment.finalize = lambda value: visible(value) if type(value) is str else value
    return environment.from_string(_resource("report.html.j2"))


def _context(evidence: Evidence, reader: Reader) -> dict[str, Any]:
    tick(0, 1, "report")
    shown = [] if evidence.is_streamed else distributions(evidence.pair, reader)
    maps, without_maps = correlation_charts(evidence, reader)
    losses = told_apart(evidence)
    return {
        "version": __version__,
        "reader": reader,
        "state": "broken" if evidence.broken else "kept" if evidence.limits else "open",
        "verdict": verdict(evidence, reader),
        "picture": picture(evidence),
        "scenario": _scenario(evidence),
        "steps": steps(evidence, reader),
        "masking": evidence.masking,
        "choice": evidence.choice,
        "risks": rows(evidence, "risk"),
        "explained": explained(evidence, reader),
        "losses": rows(evidence, "loss"),
        "scores": rows(evidence, "score"),
        "loss_chart": loss_chart(evidence, reader),
        "loss_table": _loss_table(evidence, losses, reader),
        "streamed": evidence.is_streamed,
        "distributions": most_changed(shown, _DRAWN),
        "drawable": sum(entry.chart is not None for entry in shown),
        "not_drawn": [entry for entry in shown if entry.chart is None],
        "maps": maps,
        "without_maps": without_maps,
        "combinations": [] if reader.is_public else combinations(evidence),
        "opening": opening(evidence.file),
        "rules": [] if evidence.masking is None else rules(public_summary(evidence.masking, {})),
        "definitions": _definitions(evidence),
        "project": evidence.project,
    }


def _scenario(evidence: Evidence) -> str:
    scenario = evidence.scenario
    known = scenario.known_in(evidence.pair.original.schema)
    error = " with some error" if scenario.error else " without error"
    targets = "some people" if scenario.targets is not None else "everybody"
    return (
        f"The intruder of this report ({scenario.name}) knows {enumerated(known, 12) or 'nothing'} of {targets}{error}."
    )


def _loss_table(evidence: Evidence, labels: list[str], reader: Reader) -> dict[str, Any] | None:
    """One row per attribute, one column per loss that tells attributes apart."""
    if not labels:
        return None
    found = {label: by_attribute(evidence, label, reader) for label in labels}
    names = [name for name in evidence.pair.analysed() if any(name in values for values in found.values())]
    cells = [(name, [_lost(evidence, label, values, name) for label, values in found.items()]) for name in names]
    untold = any(value is None for values in found.values() for value in values.values()) and reader.is_public
    return {"head": [named(label) for label in labels], "rows": cells, "untold": untold}


def _lost(evidence: Evidence, label: str, values: dict[str, float | None], name: str) -> str:
    if name not in values:
        return ""
    return "not told" if values[name] is None else told(evidence.measures[label], values[name])


def _definitions(evidence: Evidence) -> list[tuple[str, list[tuple[str, str, str, str]]]]:
    """Every method and measure of the report with what it is and where that is published."""
    methods = dict.fromkeys(step.method for step in evidence.masking.steps) if evidence.masking else {}
    units = {named(name): registry.find("methods", name) for name in methods}
    measures = {named(measure.name): type(measure) for measure in evidence.measures.values()}
    return [
        (title, [(name, *definition(unit)) for name, unit in chosen.items()])
        for title, chosen in (("Methods", units), ("Measures", measures))
        if chosen
    ]


def _drawn(shown: Chart | Distribution) -> Any:
    from markupsafe import Markup

    tick(0, 1, "report")
    if isinstance(shown, Distribution):
        assert shown.chart is not None
        return Markup(Drawing(shown.chart, width=NARROW).svg)
    return Markup(Drawing(shown).svg)


def _codes(text: str) -> Any:
    """Text with what stands between backticks as code."""
    from markupsafe import Markup

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(visible(text))))


def _cell(value: Any, kind: str) -> str:
    """A cell of a measure's table, printed as its column says."""
    if value is None:
        return "–"
    if kind == "text":
        return str(value)
    return f"{value:,}" if kind == "count" else f"{100 * value:.2f} %" if kind == "share" else f"{value:.4g}"


def _resource(name: str) -> str:
    return files("ammg.report").joinpath(name).read_text(encoding="utf-8")
