import json
import os
import subprocess
import sys

import pytest


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

    monkeypatch.setattr(sys.modules["ammg.cli.mask"], "evaluate", stop)
    ended = run("mask", project)
    assert ended.code == 130
    assert ended.err == "error: Stopped; every file is whole, or as it was before.\n"
    assert not (project.parent / "masked.csv").exists()


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
