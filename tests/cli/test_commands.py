"""Commands are imported when they are called."""

import subprocess
import sys

import typer

from ammg.cli.app import app
from ammg.cli.commands import MODULES


def test_help_imports_no_command_and_no_table_library() -> None:
    code = (
        "import sys, typer\nfrom ammg.cli.app import app\n"
        "typer.main.get_command(app)(['--help'], standalone_mode=False)\n"
        "print('imported', sorted({'polars', 'pydantic', 'numpy', 'ammg.cli.mask'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.splitlines()[-1] == "imported []"
    assert all(f" {name} " in shown for name in MODULES)


def test_every_command_has_a_function_of_its_name() -> None:
    group = typer.main.get_command(app)
    assert [(name, command.name) for name, command in group.commands.items()] == [(name, name) for name in MODULES]
