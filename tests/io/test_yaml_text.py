"""A YAML document that blows up is refused at once."""

import time
from pathlib import Path

import pytest

from ammg.errors import ProjectError
from ammg.projects.document import load_yaml

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))

BOMBS = {
    "aliases of aliases": (f"{BOMB}source: *a11\n", "its aliases expand to more than 200,000 values"),
    "brackets": (f"source: {'[' * 5_000}{']' * 5_000}", "nested more than 60 levels deep"),
    "brackets never closed": (f"source: {'[' * 100_000}", "nested more than 60 levels deep"),
    "indented levels": ("\n".join(" " * i + "a:" for i in range(300)), "nested more than 60 levels deep"),
    "many digits": (f"limits: {{il1s: {'9' * 10_000}}}", "the number at line 1 has 10,000 digits"),
    "many hexadecimal digits": (f"x: 1\nlimits: {{il1s: 0x{'f' * 10_000}}}", "the number at line 2 has 10,002 digits"),
    "a value within itself": ("source: &a [*a]", "the value at line 1 contains itself"),
    "a list as a key": ("? [a]\n: 1", "brackets stand where a name is expected"),
}


@pytest.mark.parametrize("case", BOMBS)
def test_what_blows_up_is_refused_at_once(tmp_path: Path, case: str) -> None:
    text, message = BOMBS[case]
    path = tmp_path / "project.yaml"
    path.write_text(text, encoding="utf-8")
    before = time.process_time()
    with pytest.raises(ProjectError, match=message):
        load_yaml(path)
    assert time.process_time() - before < 3


def test_aliases_that_save_words_are_read(tmp_path: Path) -> None:
    path = tmp_path / "project.yaml"
    path.write_text("a: &money [wages, pensions]\nb: *money\nc: {<<: {x: 1}, y: 2}\n", encoding="utf-8")
    assert load_yaml(path) == {"a": ["wages", "pensions"], "b": ["wages", "pensions"], "c": {"x": 1, "y": 2}}
