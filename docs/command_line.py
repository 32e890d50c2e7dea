"""The page of commands, made from the program itself."""

from typing import Any

import typer

from ammg.cli.app import app

INTRODUCTION = """# Command line

| exit code | meaning |
|---|---|
| 0 | all went well |
| 1 | a limit is not met, or no recipe keeps them |
| 2 | wrong input: one sentence says what is wrong, the value and what to do, and nothing is written |
| 130 | stopped by Ctrl-C |

`ammg --install-completion` sets up completion for your shell."""


def command_page() -> str:
    program: Any = typer.main.get_command(app)
    return "\n\n".join([INTRODUCTION, *(section(name, command) for name, command in program.commands.items())]) + "\n"


def section(name: str, command: Any) -> str:
    rows = [f"| {words(parameter)} | {meaning(parameter)} |" for parameter in command.params]
    return "\n".join([f"## ammg {name}", "", command.help, "", "| argument | meaning |", "|---|---|", *rows])


def words(parameter: Any) -> str:
    """`FILE`, `[FOLDER]`, `--json`, `--trials INT`."""
    option = parameter.opts[0]
    if not option.startswith("-"):
        return f"`{option.upper()}`" if parameter.required else f"`[{option.upper()}]`"
    return f"`{option}`" if parameter.is_flag else f"`{option} {parameter.type_descriptor.annotation.__name__.upper()}`"


def meaning(parameter: Any) -> str:
    given = parameter.default not in (None, False)
    return f"{parameter.help} Default: {parameter.default}." if given else parameter.help
