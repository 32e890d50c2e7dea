from pathlib import Path

import pytest

from ammg.errors import ProjectError
from ammg.pipeline.project_reader import load_yaml


def load(tmp_path: Path, text: str | bytes) -> object:
    path = tmp_path / "p.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_yaml(path)


def test_a_document_is_plain_values(tmp_path: Path) -> None:
    assert load(tmp_path, "a: {b: [1, x]}\n") == {"a": {"b": [1, "x"]}}


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "x: {b: 1, c: {d: 1, d: 2}}\n"])
def test_a_key_that_is_given_twice_is_noticed_at_any_depth(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProjectError, match=r"is given twice in the mapping at line 1: keep one"):
        load(tmp_path, text)


def test_nothing_in_a_document_is_run(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="not a YAML document"):
        load(tmp_path, "a: !!python/object/apply:os.system ['true']\n")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="not a YAML document"):
        load(tmp_path, b"\xff\xfe\x00")
