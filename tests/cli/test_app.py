import json
import os
import subprocess
import sys
from importlib import import_module

import polars as pl
import pytest

from ammg.cli import main


def test_help_lists_the_commands(run) -> None:
    ended = run("--help")
    assert ended.code == 0
    for command in ("mask", "assess", "search", "methods", "measures", "demo"):
        assert command in ended.out


def test_completion_of_the_shell_is_offered(run) -> None:
    assert "--install-completion" in run("--help").out


def test_an_interrupted_program_says_so_and_ends_with_130(run, project, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("ammg.projects.assess"), "evaluate", stop)
    ended = run("mask", project)
    assert ended.code == 130
    assert ended.err == "error: Stopped; no file was left incomplete.\n"
    assert not (project.parent / "masked.csv").exists()


def test_a_program_interrupted_twice_leaves_threads_behind(run, project, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    class Left(BaseException):
        pass

    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(import_module("ammg.projects.assess"), "evaluate", stop)
    monkeypatch.setattr("ammg.kernels.threads.are_working", lambda: True)
    monkeypatch.setattr("os._exit", leave)
    with pytest.raises(Left, match="130"):
        run("mask", project)


def test_what_the_system_refuses_is_one_sentence(run, tmp_path) -> None:
    (tmp_path / "file").touch()
    ended = run("demo", tmp_path / "file" / "demo")
    assert (ended.code, ended.err) == (2, f"error: '{tmp_path / 'file' / 'demo'}': Not a directory.\n")


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'ammg'; from ammg.cli import main; main()", *arguments]
    return subprocess.run(program, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_a_terminal_that_lacks_characters_breaks_nothing() -> None:
    ended = started("measures", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "basic_beta_likeness" in ended.stdout
    machines = started("measures", "--json", PYTHONIOENCODING="ascii")
    assert "β" in json.loads(machines.stdout)["basic_beta_likeness"]["meaning"]


@pytest.mark.parametrize(
    ("arguments", "begun", "completed"),
    [
        (["methods"], "rank_sw", "rank_swapping"),
        (["measures"], "distance_l", "distance_linkage"),
        (["reproduce"], "yan", "yancey"),
    ],
)
def test_the_shell_completes_names(arguments: list[str], begun: str, completed: str) -> None:
    words = " ".join(["ammg", *arguments, begun])
    asked = {"_AMMG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(arguments) + 1)}
    ended = started(**asked)
    assert ended.stdout.split() == [completed], ended.stderr


def test_the_unforeseen_ends_with_3_and_asks_for_a_report(run, project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("at postgresql://me:hunter2@host/db\nmore")

    monkeypatch.setattr(import_module("ammg.projects.assess"), "evaluate", fail)
    ended = run("mask", project)
    assert ended.code == 3
    assert ended.err.startswith("error: Unexpected error (ZeroDivisionError: at postgresql://me:***@host/db). ")
    assert "Please report it" in ended.err
    assert ended.err.count("\n") == 1
    monkeypatch.setenv("AMMG_TRACEBACK", "1")
    monkeypatch.setattr(sys, "argv", ["ammg", "mask", str(project)])
    with pytest.raises(ZeroDivisionError):
        main()


def test_damaged_parquet_is_one_sentence(run, tmp_path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"x": range(200_000)}).write_parquet(path, row_group_size=50_000)
    content = bytearray(path.read_bytes())
    content[1_000 : len(content) - 3_000] = bytes(len(content) - 4_000)
    path.write_bytes(content)
    ended = run("inspect", path)
    assert (ended.code, ended.out) == (2, "")
    assert "a.parquet' is damaged: " in ended.err or "a.parquet' cannot be read as Parquet: " in ended.err


@pytest.mark.parametrize("source", ["/", ".", "~", "x" * 5_000 + ".csv"])
def test_a_source_that_is_no_file_is_one_sentence(run, tmp_path, source: str) -> None:
    path = tmp_path / "project.yaml"
    path.write_text(f"source: {source!r}\ntarget: m.csv\nmethods: [sampling: {{fraction: 0.5}}]\n", encoding="utf-8")
    for arguments in (("mask", path), ("inspect", source), ("init", source)):
        ended = run(*arguments)
        assert (ended.code, ended.out) == (2, ""), ended.err


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "ammg", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ammg ")
