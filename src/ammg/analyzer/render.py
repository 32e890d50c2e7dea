"""An analysis as a table for the terminal and for notebooks, and as a commented project file."""

from __future__ import annotations

import html
import json
from textwrap import wrap

from ammg.analyzer.analysis import Analysis, Proposal
from ammg.charts.drawing import Drawing
from ammg.data.attribute import Kind, Level, Role

_BARS = "▁▂▃▄▅▆▇█"
_TITLES = ("attribute", "role", "kind", "values", "missing", "distribution", "reason")
_SHOWN = 12  # attributes that a notebook shows at once
_REASON = 60  # columns that a reason and the gaps before it take
_DOUBT = {"sure": "", "likely": "", "unsure": " (?)"}


def as_text(analysis: Analysis, width: int | None = None) -> str:
    """Readable lines: a row for each attribute, then relations, warnings and notes.

    On a screen of few columns the distribution and the reason are below the row.
    """
    rows = [_TITLES, *(_row(proposal) for proposal in analysis.attributes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES) - 1)]
    narrow = width is not None and sum(widths) + _REASON > width
    lines = [
        f"{analysis.records:,} records × {len(analysis.attributes)} attributes; proposals, nothing is applied yet",
        "",
    ]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(wide) if i in (3, 4) else cell.ljust(wide)
            for i, (cell, wide) in enumerate(zip(row, widths, strict=False))
        ]
        if not narrow:
            lines.append("  ".join([*cells, row[-1]]).rstrip())
            continue
        lines.append("  ".join(cells[: 3 if sum(widths[:5]) + 8 > (width or 0) else 5]).rstrip())
        if number:
            lines += _wrapped(f"{row[-2]}  {row[-1]}".strip(), width, "    ")
    for title, entries in _sections(analysis):
        lines += ["", f"{title}:"]
        for entry in entries:
            lines += _wrapped(f"- {entry}", width, "  ", "    ")
    return "\n".join(lines)


def _wrapped(text: str, width: int | None, first: str, others: str = "    ") -> list[str]:
    if width is None:
        return [f"{first}{text}"]
    return wrap(text, max(width, 40), initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def as_html(analysis: Analysis) -> str:
    """The same as a table for notebooks."""
    head = "".join(f"<th>{title}</th>" for title in _TITLES)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _row(proposal)) + "</tr>"
        for proposal in analysis.attributes
    )
    lists = "".join(
        f"<p>{title}</p><ul>" + "".join(f"<li>{html.escape(entry)}</li>" for entry in entries) + "</ul>"
        for title, entries in _sections(analysis)
    )
    charts = analysis.charts[:_SHOWN]
    drawn = f"<div>{Drawing(charts, columns=3).svg}</div>" if charts else ""
    rest = f"<p>and {len(analysis.charts) - _SHOWN} more: analysis.plot()</p>" if len(analysis.charts) > _SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{lists}{drawn}{rest}"


def as_project(analysis: Analysis, source: str) -> str:
    """A project file with the proposed roles, each with its reason as a comment, and methods to choose from."""
    lines = [
        "# Proposed by `ammg init`. Check and correct every line: these are proposals, and you decide.",
        "# Roles: identifier (dropped), key (others may know it), confidential, other; weight, household, stratum.",
        f"source: {_quoted(source)}",
        "",
        "roles:",
    ]
    width = max((len(_quoted(p.name)) + len(p.role.value) for p in analysis.attributes), default=0) + 2
    for proposal in analysis.attributes:
        entry = f"{_quoted(proposal.name)}: {proposal.role.value}"
        lines.append(f"  {entry.ljust(width)}  # {proposal.reason}{_DOUBT[proposal.certainty]}")
    lines += _kind_lines(analysis) + _level_lines(analysis) + _link_lines(analysis)
    lines += _hierarchy_lines(analysis) + _rule_lines(analysis)
    lines += _commented("Warnings.", map(str, analysis.warnings))
    lines += [
        "",
        "# Methods are applied in this order; `ammg methods` lists them all. Without any, nothing is released.",
        "methods: []",
        *_suggested(analysis),
        "",
        "# Limits that a release must meet; without methods, `ammg search` finds some that meet them.",
        "#goal: {mode: public}  # or contract, laboratory",
        "",
        "# Where to write the release; the ending determines the format.",
        "#target: released.csv",
        "",
    ]
    return "\n".join(lines)


def bars(counts: list[int]) -> str:
    """Counts as a row of small bars."""
    top = max(counts, default=0)
    return "".join(_BARS[round((len(_BARS) - 1) * count / top)] if count else " " for count in counts) if top else ""


def _row(proposal: Proposal) -> tuple[str, ...]:
    role = proposal.role.value + _DOUBT[proposal.certainty]
    level = " of household" if proposal.level is Level.HOUSEHOLD and proposal.role is not Role.HOUSEHOLD else ""
    return (
        proposal.name,
        role,
        proposal.kind.label + level,
        f"{proposal.distinct:,}",
        f"{proposal.missing:,}" if proposal.missing else "",
        _shape(proposal),
        proposal.reason,
    )


def _shape(proposal: Proposal) -> str:
    counts = [count for _, count in proposal.distribution]
    if not counts:
        return ""
    if proposal.kind & Kind.ORDERED and proposal.low is not None:
        return f"{proposal.low:.4g} {bars(counts)} {proposal.high:.4g}"
    label = proposal.distribution[counts.index(max(counts))][0]
    return f"{bars(counts)} {label[:20]}"


def _sections(analysis: Analysis) -> list[tuple[str, list[str]]]:
    sections = [
        ("identities", [identity.described for identity in analysis.identities]),
        ("household sums", [str(rule) for rule in analysis.household_sums]),
        ("edit rules that hold in every record, to declare under `rules`", [str(rule) for rule in analysis.edits]),
        ("dependencies", [str(dependency) for dependency in analysis.dependencies]),
        (
            "warnings",
            [
                str(w)
                for w in analysis.warnings
                if w.subject not in ("identity", "linear image", "household sum", "dependency")
            ],
        ),
        ("notes", list(analysis.notes)),
    ]
    return [(title, entries) for title, entries in sections if entries]


def _kind_lines(analysis: Analysis) -> list[str]:
    other = [p for p in analysis.attributes if p.kind is not p.stored_kind]
    if not other:
        return []
    lines = [f"  {_quoted(p.name)}: {p.kind.label}  # {p.kind_reason}" for p in other]
    return ["", "kinds:  # where the type of the column does not say it", *lines]


def _level_lines(analysis: Analysis) -> list[str]:
    shared = [p for p in analysis.attributes if p.level is Level.HOUSEHOLD]
    if not shared:
        return []
    return [
        "",
        "levels:  # the same for all members of a household",
        *(f"  {_quoted(p.name)}: household" for p in shared),
    ]


def _link_lines(analysis: Analysis) -> list[str]:
    linked = [p for p in analysis.attributes if p.linked_to is not None]
    if not linked:
        return []
    return [
        "",
        "links: # copies and linear functions change together with their source",
        *(f"  {_quoted(p.name)}: {_quoted(p.linked_to or '')}" for p in linked),
    ]


def _hierarchy_lines(analysis: Analysis) -> list[str]:
    keys = [p for p in analysis.attributes if p.hierarchy]
    if not keys:
        return []
    return [
        "",
        "hierarchies:  # how keys may be recoded, level by level; a CSV file or {value: [level 1, …]} works as well",
        *(f"  {_quoted(p.name)}: {p.hierarchy}" for p in keys),
    ]


def _rule_lines(analysis: Analysis) -> list[str]:
    if not analysis.rules:
        return []
    return [
        "",
        "rules: # they hold in every record: mask all terms of a sum in one step, or none",
        *(
            f"  - {_quoted_formula(rule.text)}{'  # up to rounding' if getattr(rule, 'tolerance', 0) else ''}"
            for rule in analysis.rules
        ),
    ]


def _quoted_formula(formula: str) -> str:
    """As YAML takes it: single quotes around the double ones of names with spaces or signs."""
    return formula if '"' not in formula and "`" not in formula else "'" + formula.replace("'", "''") + "'"


def _suggested(analysis: Analysis) -> list[str]:
    """Examples as comments: nothing is masked before somebody chooses."""
    persons = [p for p in analysis.attributes if p.level is Level.PERSON]
    amounts = [p for p in persons if p.role is Role.CONFIDENTIAL and p.kind & Kind.NUMERIC]
    numbers = [p for p in persons if p.role is Role.KEY and p.kind & Kind.NUMERIC]
    categories = [p.name for p in persons if p.role is Role.KEY and p.kind & Kind.CATEGORICAL and p.distinct > 6]
    whole = ", integers: true" if any(p.kind is Kind.INTEGER for p in numbers) else ""
    dates = [p.name for p in persons if p.role is Role.KEY and p.kind is Kind.DATE]
    examples = [("correlated_noise", [p.name for p in amounts], _usable(analysis, amounts))]
    examples += [("univariate_microaggregation", [p.name for p in numbers], f", k: 3{whole}")]
    examples += [("global_recoding", dates, ", period: year")]
    examples += [("rare_category_recoding", categories, ", merged: all others")]
    lines = [f"#  - {name}: {{columns: [{', '.join(map(_quoted, on))}]{more}}}" for name, on, more in examples if on]
    return [*lines, "#  - sampling: {fraction: 0.8}"]


def _usable(analysis: Analysis, amounts: list[Proposal]) -> str:
    """Options that keep amounts from becoming negative where none is; sums of parts come first."""
    ruled = {name for rule in analysis.rules for name in rule.columns}
    positive = [_quoted(p.name) for p in amounts if p.low is not None and p.low >= 0 and p.name not in ruled]
    bounds = ", ".join(f"{name}: [0, null]" for name in positive)
    zeros = "" if any(p.name in ruled for p in amounts) else ", zeros: keep"
    return f"{zeros}, bounds: {{{bounds}}}" if positive else ""


def _commented(title: str, entries: object) -> list[str]:
    shown = [f"#  - {entry}" for entry in entries]  # type: ignore[attr-defined]
    return ["", f"# {title}", *shown] if shown else []


def _quoted(text: str) -> str:
    """Text as YAML takes it: as it is where that is unmistakable, else in double quotes."""
    plain = text.replace("_", "").replace("-", "").replace(".", "").replace("/", "")
    safe = (
        plain.isalnum()
        and text[0].isalpha()
        and text.lower() not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    )
    return text if safe else json.dumps(text, ensure_ascii=False)
