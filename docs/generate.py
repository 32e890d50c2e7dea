"""Writes one page for each method, measure and format, and those of commands, names and engines, from the code."""

import math
import re
import shutil
from pathlib import Path
from typing import Any

import yaml
from command_line import command_page
from examples import measure_example, method_example
from families import BY_KIND, by_family
from pictures import effect
from pydantic_core import PydanticUndefined
from python_face import python_page

from ammg import registry
from ammg.engines.gaps import coverage, gaps_table
from ammg.measures.default_table import DEFAULT_TABLE
from ammg.params import describe_limits, prose, search_ranges
from ammg.registry import meaning

PAGES = Path(__file__).parent / "pages"
REFERENCE = PAGES / "reference"


def main() -> None:
    shutil.rmtree(REFERENCE, ignore_errors=True)
    nav: dict[str, list[Any]] = {}
    for family in ("methods", "measures", "formats"):
        folder = REFERENCE / family
        folder.mkdir(parents=True)
        units = registry.units(family)
        for name, unit in units.items():
            shown = effect(family, name, unit, folder) if family != "formats" else ""
            (folder / f"{name}.md").write_text(page(family, name, unit, shown), encoding="utf-8")
        (folder / "index.md").write_text(index(family, units), encoding="utf-8")
        nav[family] = [f"reference/{family}/index.md", *navigation(family, units)]
    for name, text in {"commands": command_page(), "python": python_page(), "engines": engines()}.items():
        (REFERENCE / f"{name}.md").write_text(text, encoding="utf-8")
    (PAGES / "extend.md").write_text(extend(), encoding="utf-8")
    write_config(nav)


def navigation(kind: str, units: dict[str, type[Any]]) -> list[Any]:
    """The pages of all units, one list for each family."""
    families = by_family(kind, units)
    lists = {family.title: [f"reference/{kind}/{name}.md" for name in members] for family, members in families.items()}
    return next(iter(lists.values())) if len(lists) == 1 else [{title: pages} for title, pages in lists.items()]


ABOVE = {
    "methods": (
        "Each page shows what the method does to a small file, an example that runs, what the method keeps and breaks, "
        "what an informed intruder can do, and the source.\n"
    ),
    "measures": (
        "Risk is what an intruder could find out, loss is what an analyst no longer has; smaller is better for both. "
        "Symbols such as *n*, *t*, τ1 or IL1 are in the [glossary](../../glossary.md), and "
        "[What the numbers mean](../../guide/numbers.md) explains the most important measures in plain words.\n"
    ),
    "formats": (
        "The ending of a file's name decides the format. Its parameters go into `ammg.read(name, parameter=…)`, "
        "`release.write(name, parameter=…)` and, beside `path`, into `source:` of a project file.\n"
    ),
}


def index(kind: str, units: dict[str, type[Any]]) -> str:
    """All units by family, each with the fact by which one looks for it."""
    heading, fact = {
        "methods": ("masks", lambda unit: unit.accepts.label),
        "measures": ("kind", lambda unit: unit.family),
        "formats": ("endings", lambda unit: ", ".join(unit.suffixes) or "a URL"),
    }[kind]
    parts = [f"# {kind.capitalize()}\n", ABOVE[kind]]
    for family, members in by_family(kind, units).items():
        if len(BY_KIND[kind]) > 1:
            parts.append(f"## {family.title}\n\n{family.about}\n")
        rows = [f"| [{name}]({name}.md) | {fact(unit)} | {cell(meaning(unit))} |" for name, unit in members.items()]
        parts.append("\n".join([f"| name | {heading} | what it does |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def page(kind: str, name: str, unit: type[Any], shown: str = "") -> str:
    """What a unit is and does, with its picture (`shown`), an example and its parameters."""
    text, _, source = prose(unit).partition("Source:")
    first, _, rest = text.strip().partition("\n")
    facts, example = [], ""
    if kind == "methods":
        seen = {"RECORD": "one record", "STRATUM": "all records of a stratum", "FILE": "all records"}[unit.sees.name]
        facts = [f"Masks: {unit.accepts.label}", f"Must see: {seen} at once"]
        facts += [f"Runs on: {runs_on(name)}"]
        facts += ["Used by the search" if unit.searched and search_ranges(unit) else "Not used by the search"]
        example = method_example(name, unit)
    if kind == "measures":
        low, high = unit.range
        ends = f"Is {low:g} or more" if math.isinf(high) else f"Lies between {low:g} and {high:g}"
        facts = [f"Measures: {unit.family}", f"{ends}; smaller is better"]
        facts += ["In the table by default" if name in DEFAULT_TABLE else "Measured when it is named"]
        facts += [f"The law of risk `{law}` does not hold for it: {reason}" for law, reason in unit.exempt.items()]
        example = measure_example(name, unit)
    if kind == "formats":
        facts = [f"Endings: {', '.join(unit.suffixes)}"] if unit.suffixes else []
    others = ", ".join(f"`{other}` (`{registry.snake(other)}`)" for other in registry.other_names(unit))
    called = f"`{name}` in project files{f', also called {others}' if others else ''}"
    rows = "\n".join(parameter(field, info, unit) for field, info in unit.model_fields.items())
    listed = "\n".join(f"- {fact}" for fact in facts)
    parts = [f"# {unit.__name__}", first]
    parts += [called] if kind != "formats" else []
    if kind == "methods":
        keeps, intruder = about(rest)
        parts += [f"## What it does to a small file\n\n{shown}"] if shown else []
        parts += [f"## What it keeps and breaks\n\n{keeps}"] if keeps else []
        parts += [f"## What an informed intruder can do\n\n{intruder}"] if intruder else []
    else:
        parts += [rest.strip(), f"## As masking gets stronger\n\n{shown}" if shown else ""]
    parts += [f"## Example\n\n```python\n{example}```"] if example else []
    parts += [f"## Facts\n\n{listed}"] if listed else []
    parts += [f"## Parameters\n\n| name | default | range | meaning |\n|---|---|---|---|\n{rows}"] if rows else []
    parts += [f"## Source\n\n{source.strip()}"] if source else []
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def about(text: str) -> tuple[str, str]:
    """A method's text up to the first sentence on an intruder, and from there on."""
    sentences = re.split(r"(?<=[.:;]) +(?=[A-Z])", " ".join(text.split()))
    first = next((i for i, sentence in enumerate(sentences) if "intruder" in sentence), len(sentences))
    return " ".join(sentences[:first]), " ".join(sentences[first:])


def parameter(field: str, info: Any, unit: type[Any]) -> str:
    default = "needed" if info.default is PydanticUndefined else f"`{shown(info.default)}`"
    limits = describe_limits(info)
    if field in (ranges := search_ranges(unit)):
        searched = ranges[field]
        ends = f"{searched.mild:g} to {searched.strong:g}" if not searched.choices else ""
        limits += f"{'; ' if limits else ''}searched {ends or ', '.join(map(str, searched.choices))}"
    return f"| `{field}` | {cell(default)} | {cell(limits)} | {cell(info.description or '')} |"


def runs_on(name: str) -> str:
    """The engines that run a method, and why the others do not."""
    entries = [entry for entry in coverage() if entry.method == name]
    return "; ".join(
        entry.engine if entry.gap is None else f"{entry.gap.words.format(engine=entry.engine)}: {entry.gap.reason}"
        for entry in entries
    )


def engines() -> str:
    """Which method runs where, and why not elsewhere."""
    return f"# Engines\n\nA method gives exactly the same result on every engine that runs it.\n\n{gaps_table()}"


def extend() -> str:
    return (PAGES.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def write_config(nav: dict[str, list[Any]]) -> None:
    """The site's configuration with the generated pages in its navigation."""
    source = PAGES.parent / "site.yml"
    config = yaml.safe_load(source.read_text(encoding="utf-8"))
    config["nav"] = filled(config["nav"], nav)
    (PAGES.parent / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def filled(entry: Any, nav: dict[str, list[Any]]) -> Any:
    """The navigation with the generated pages where it names their folder."""
    if isinstance(entry, list):
        return [filled(part, nav) for part in entry]
    if isinstance(entry, dict):
        return {title: filled(part, nav) for title, part in entry.items()}
    return nav[entry.removeprefix("reference/").removesuffix("/")] if entry.endswith("/") else entry


def shown(value: Any) -> str:
    """A default as one writes it: 10_000_000_000 rather than 10000000000.0."""
    return f"{value:_.0f}" if isinstance(value, float) and value >= 1e6 else repr(value)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
