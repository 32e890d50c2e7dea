"""Writes one page for each method, measure and format, and those of commands, names and engines, from the code."""

import math
import shutil
from pathlib import Path
from typing import Any

import yaml
from command_line import command_page
from pydantic_core import PydanticUndefined
from python_face import python_page

from ammg import registry
from ammg.engines.gaps import coverage, gaps_table
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
            (folder / f"{name}.md").write_text(page(family, name, unit), encoding="utf-8")
        (folder / "index.md").write_text(index(family, units), encoding="utf-8")
        nav[family] = [f"reference/{family}/index.md", *(f"reference/{family}/{name}.md" for name in units)]
    for name, text in {"commands": command_page(), "python": python_page(), "engines": engines()}.items():
        (REFERENCE / f"{name}.md").write_text(text, encoding="utf-8")
    (PAGES / "extend.md").write_text(extend(), encoding="utf-8")
    write_config(nav)


def index(family: str, units: dict[str, type[Any]]) -> str:
    """All units of a family, each with the fact by which one looks for it."""
    title, fact = {
        "methods": ("masks", lambda unit: unit.accepts.label),
        "measures": ("of", lambda unit: unit.family),
        "formats": ("endings", lambda unit: ", ".join(unit.suffixes) or "a URL"),
    }[family]
    rows = "\n".join(f"| [{name}]({name}.md) | {fact(unit)} | {cell(meaning(unit))} |" for name, unit in units.items())
    above = ""
    if family == "formats":
        above = (
            "The ending of a name says the format. Its parameters go into `ammg.read(name, parameter=…)`, "
            "`release.write(name, parameter=…)` and, beside `path`, into `source:` of a project file.\n\n"
        )
    return f"# {family.capitalize()}\n\n{above}| name | {title} | what it is |\n|---|---|---|\n{rows}\n"


def page(family: str, name: str, unit: type[Any]) -> str:
    """What a unit is, its parameters, how a project file names it."""
    text, _, source = prose(unit).partition("Source:")
    facts = []
    if family == "methods":
        seen = {"RECORD": "one record", "STRATUM": "all records of a stratum", "FILE": "all records"}[unit.sees.name]
        facts = [f"Masks: {unit.accepts.label}", f"Must see: {seen} at once"]
        facts += [f"Runs on: {runs_on(name)}"]
        facts += ["Used by the search" if unit.searched and search_ranges(unit) else "Not used by the search"]
    if family == "measures":
        low, high = unit.range
        ends = f"Is {low:g} or more" if math.isinf(high) else f"Lies between {low:g} and {high:g}"
        facts = [f"Measures: {unit.family}", f"{ends}; smaller is better"]
        facts += ["In the table by default" if unit.default else "Measured when it is named"]
        facts += [f"Exempt from the law `{law}`: {reason}" for law, reason in unit.exempt.items()]
    if family == "formats":
        facts = [f"Endings: {', '.join(unit.suffixes)}"] if unit.suffixes else []
    rows = "\n".join(parameter(field, info, unit) for field, info in unit.model_fields.items())
    table = f"## Parameters\n\n| name | default | range | meaning |\n|---|---|---|---|\n{rows}\n" if rows else ""
    listed = "\n".join(f"- {fact}" for fact in facts)
    cited = f"**Source**: {source.strip()}\n\n" if source else ""
    others = ", ".join(f"`{other}` (`{registry.snake(other)}`)" for other in registry.other_names(unit))
    called = f"`{name}` in project files{f', also called {others}' if others else ''}\n\n"
    if family == "formats":
        called = ""
    return f"# {unit.__name__}\n\n{called}{text}\n\n{cited}{listed}\n\n{table}"


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
    return f"# Engines\n\nA method gives the same bits on every engine that runs it.\n\n{gaps_table()}"


def extend() -> str:
    return (PAGES.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def write_config(nav: dict[str, list[Any]]) -> None:
    """The site's configuration with the generated pages in its navigation."""
    source = PAGES.parent / "site.yml"
    config = yaml.safe_load(source.read_text(encoding="utf-8"))
    for entry in config["nav"]:
        ((title, value),) = entry.items()
        if isinstance(value, str) and value.endswith("/"):
            entry[title] = nav[value.removeprefix("reference/").removesuffix("/")]
    (PAGES.parent / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def shown(value: Any) -> str:
    """A default as one writes it: 10_000_000_000 rather than 10000000000.0."""
    return f"{value:_.0f}" if isinstance(value, float) and value >= 1e6 else repr(value)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
