import re
from pathlib import Path

import pytest

import ammg
from ammg.errors import ProjectError
from ammg.projects.document import load_yaml


def load(tmp_path: Path, text: str | bytes) -> object:
    path = tmp_path / "p.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_yaml(path)


def problems(tmp_path: Path, text: str) -> tuple[str, ...]:
    ammg.datasets.patients().write_csv(tmp_path / "patients.csv")
    path = tmp_path / "p.yaml"
    path.write_text(f"source: patients.csv\n{text}", encoding="utf-8")
    with pytest.raises(ProjectError) as refused:
        ammg.Project.load(path)
    return tuple(map(str, refused.value.problems))


def test_a_document_is_plain_values(tmp_path: Path) -> None:
    assert load(tmp_path, "a: {b: [1, x]}\n") == {"a": {"b": [1, "x"]}}


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "x: {b: 1, c: {d: 1, d: 2}}\n"])
def test_a_key_that_is_given_twice_is_noticed_at_any_depth(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProjectError, match=r"is given twice, first at line 1: keep one"):
        load(tmp_path, text)


def test_nothing_in_a_document_is_run(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="a value cannot begin with '!'"):
        load(tmp_path, "a: !!python/object/apply:os.system ['true']\n")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="save it as UTF-8"):
        load(tmp_path, b"\xff\xfe\x00")


def test_one_mistake_of_a_step_or_a_threshold_hides_no_other(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        "methods:\n"
        "  - additive_noise: {p: abc, columns: [Agee], where: Agx > 3}\n"
        "  - additive_noise: {p: -1, where: {risk: frequncy, above: 0.1}}\n"
        "thresholds: {distance_linkage: x, foo: 1}\n"
        "target: nowhere/q.csv\n",
    )
    for expected in (
        r"methods\[1\] additive_noise\.p: ",
        r"methods\[1\] additive_noise: column 'Agee' not found\. Did you mean 'Age'\?",
        r"methods\[1\] additive_noise\.where: column 'Agx' not found",
        r"methods\[2\] additive_noise\.p: ",
        r"methods\[2\] additive_noise\.where: Unknown measure 'frequncy'\. Did you mean 'frequency'\?",
        r"thresholds\.distance_linkage: ",
        r"thresholds\.foo: Unknown measure 'foo'",
        r"target: Folder '.*nowhere' does not exist",
    ):
        assert any(re.match(expected, problem) for problem in told), (expected, told)
    assert len(told) == 8


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("masked.docx", "No format for '.*masked.docx'"),
        ("masked.sas7bdat", "can only be read; write .xpt"),
    ],
)
def test_a_target_that_cannot_be_written_is_a_problem_of_the_project(tmp_path: Path, target: str, message: str) -> None:
    (problem,) = problems(tmp_path, f"target: {target}\n")
    assert re.search(message, problem)
