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
    assert ended.err == "error: Stopped; what was finished is kept.\n"
    assert not (project.parent / "masked.csv").exists()
