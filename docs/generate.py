"""Writes one page for each method, measure and format, and the table of engines, from the units themselves."""

import inspect
import shutil
from pathlib import Path
from typing import Any

import yaml
from pydantic_core import PydanticUndefined

from ammg import registry
from ammg.engines.gaps import coverage, gaps_table
from ammg.params import describe_limits, search_ranges
from ammg.pipeline.evaluation import meaning

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
        rows = "\n".join(
            f"| [{name}]({name}.md) | {tag(unit)} | {cell(meaning(unit))} |" for name, unit in units.items()
        )
        index = f"# {family.capitalize()}\n\n| name | | what it is |\n|---|---|---|\n{rows}\n"
        (folder / "index.md").write_text(index, encoding="utf-8")
        nav[family] = [f"reference/{family}/index.md", *(f"reference/{family}/{name}.md" for name in units)]
    (REFERENCE / "engines.md").write_text(engines(), encoding="utf-8")
    (PAGES / "extend.md").write_text(extend(), encoding="utf-8")
    write_config(nav)


def page(family: str, name: str, unit: type[Any]) -> str:
    """What a unit is, its parameters, how a project file names it."""
    text, _, source = inspect.cleandoc(unit.__doc__ or "").partition("Source:")
    facts = []
    if family == "methods":
        facts = [f"Masks: {unit.accepts.label}", f"Must see: one {unit.sees.name.lower()} at a time"]
        facts += [f"Runs on: {runs_on(name)}"]
        facts += ["Used by the search" if unit.searched and search_ranges(unit) else "Not used by the search"]
    if family == "measures":
        low, high = unit.range
        facts = [f"Measures: {unit.family}", f"Lies between {low:g} and {high:g}; smaller is better"]
    if family == "formats":
        facts = [f"Endings: {', '.join(unit.suffixes)}"] if unit.suffixes else []
    rows = "\n".join(parameter(field, info, unit) for field, info in unit.model_fields.items())
    table = f"## Parameters\n\n| name | default | range | meaning |\n|---|---|---|---|\n{rows}\n" if rows else ""
    listed = "\n".join(f"- {fact}" for fact in facts)
    cited = f"**Source**: {source.strip()}\n\n" if source else ""
    others = ", ".join(f"`{other}` (`{registry.snake(other)}`)" for other in registry.other_names(unit))
    called = f", also called {others}" if others else ""
    return f"# {unit.__name__}\n\n`{name}` in project files{called}\n\n{text}\n\n{cited}{listed}\n\n{table}"


def parameter(field: str, info: Any, unit: type[Any]) -> str:
    default = "needed" if info.default is PydanticUndefined else f"`{info.default!r}`"
    limits = describe_limits(info)
    if field in (ranges := search_ranges(unit)):
        searched = ranges[field]
        ends = f"{searched.mild:g} to {searched.strong:g}" if not searched.choices else ""
        shown = ends or ", ".join(map(str, searched.choices))
        limits += f"{'; ' if limits else ''}searched {shown}"
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


def tag(unit: type[Any]) -> str:
    return str(getattr(unit, "family", ""))


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
