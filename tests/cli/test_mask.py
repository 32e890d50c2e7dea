"""`ammg mask` writes a release and what belongs to it, or nothing."""

import hashlib
import json
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.draws import Secret


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_release_project_and_summary_are_written_and_the_rest_stays_private(run, project: Path) -> None:
    ended = run("mask", project)
    assert ended.code == 0, ended.err
    assert files(project.parent) >= {
        "masked.csv",
        "masked.csv.project.yaml",
        "masked.csv.summary.md",
        "masked.csv.report.html",
        "masked.codebook.yaml",
        "masked.csv.private",
    }
    assert files(project.parent / "masked.csv.private") == {
        "secret",
        "link.parquet",
        "provenance.json",
        "evaluation.json",
        "report.html",
    }
    assert "frequency" in ended.out
    released = pl.read_csv(project.parent / "masked.csv")
    assert released.columns == ["Age", "State", "Diagnosis", "Income", "Billing"]
    assert len(released) == 8


def test_digests_in_the_provenance_are_those_of_the_files(run, project: Path) -> None:
    run("mask", project)
    told = json.loads((project.parent / "masked.csv.private" / "provenance.json").read_text(encoding="utf-8"))
    for side, name in (("input", "patients.csv"), ("output", "masked.csv")):
        assert told[side]["sha256"] == hashlib.sha256((project.parent / name).read_bytes()).hexdigest()
    assert [step["method"] for step in told["steps"]] == ["global_recoding", "rare_category_recoding", "sampling"]


def test_the_secret_is_in_the_private_folder_and_nowhere_else(run, project: Path) -> None:
    ended = run("mask", project)
    private = project.parent / "masked.csv.private"
    secret = (private / "secret").read_text().strip()
    assert {stat.S_IMODE(path.stat().st_mode) for path in private.iterdir()} == {0o600}
    assert secret not in (private / "provenance.json").read_text(encoding="utf-8")
    for path in project.parent.iterdir():
        if path.is_file():
            assert secret not in path.read_text(encoding="utf-8", errors="replace")
    assert secret not in ended.out + ended.err


def test_project_file_and_secret_make_the_same_release_again(run, project: Path, tmp_path: Path) -> None:
    run("mask", project)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    again = elsewhere / "again.csv"
    written, secret = tmp_path / "masked.csv.project.yaml", tmp_path / "masked.csv.private" / "secret"
    assert run("mask", written, "--target", again, "--secret", secret).code == 0
    assert again.read_bytes() == (tmp_path / "masked.csv").read_bytes()
    # The project that was written beside the second release leads to the data as well.
    assert run("mask", elsewhere / "again.csv.project.yaml", "--secret", secret, "--replace").code == 0
    assert again.read_bytes() == (tmp_path / "masked.csv").read_bytes()


def test_json_is_for_machines(run, project: Path) -> None:
    ended = run("mask", project, "--json")
    told = json.loads(ended.out)
    assert told["written"]["masked file"] == str(project.parent / "masked.csv")
    assert told["measures"]["frequency"]["family"] == "risk"


def test_without_a_target_nothing_is_written(run, project: Path) -> None:
    project.write_text(project.read_text().replace("target: masked.csv", ""), encoding="utf-8")
    ended = run("mask", project)
    assert ended.code == 2
    assert "has no target: add one such as" in ended.err
    assert files(project.parent) == {"patients.csv", "project.yaml"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("two\nlines", "does not hold a secret"),
        ("", "does not hold a secret"),
        (None, "does not exist"),
        ("ab" * 31, "64 hexadecimal digits"),
    ],
)
def test_a_secret_that_is_none_is_refused(run, project: Path, text: str | None, message: str) -> None:
    secret = project.parent / "secret"
    if text is not None:
        secret.write_text(text)
    ended = run("mask", project, "--secret", secret)
    assert (ended.code, message in ended.err) == (2, True)
    assert "masked.csv" not in files(project.parent)


def test_a_typed_secret_is_stretched_and_a_short_one_is_warned_of(run, project: Path, tmp_path: Path) -> None:
    typed = tmp_path / "typed"
    typed.write_text("1234\n")
    ended = run("mask", project, "--secret", typed)
    assert (ended.code, "so short that it can be guessed" in ended.err) == (0, True)
    assert (tmp_path / "masked.csv.private" / "secret").read_text().strip() == Secret.of("1234").key.hex()
    typed.write_text("correct horse battery staple\n")
    ended = run("mask", project, "--secret", typed, "--replace")
    assert (ended.code, "guessed" in ended.err) == (0, False)


# Bad input: one clear sentence, exit 2, nothing written.

HEADER = "Name,SSN,Age,State,Diagnosis,Income,Billing,w\n"
ROW = "A,1,44,MI,Asthma,45500,1200,1\n"

DATA = {
    "a file that is missing": (None, "File '.*patients.csv' does not exist: check the name"),
    "an empty file": ("", "File '.*patients.csv' is empty"),
    "a header alone": (HEADER, "has a header but no records"),
    "a short line": (HEADER + ROW + "B,2,55\n" + ROW, "needs the same number|cannot be read as CSV"),
    "a long line": (
        HEADER + ROW + "B,2,55,MI,AIDS,1,2,3,4,5\n" + ROW,
        "needs the same number|cannot be read as CSV",
    ),
}
PROJECTS = {
    "an unknown column": (
        "columns: [Age], cuts",
        "columns: [Agee], cuts",
        r"column 'Agee' not found\. Did you mean 'Age'\?",
    ),
    "a wrong kind": ("sampling: {fraction: 0.8}", "rounding: {columns: [State]}", "'State' is nominal; rounding masks"),
    "k larger than n": (
        "sampling: {fraction: 0.8}",
        "univariate_microaggregation: {columns: [Income], k: 11}",
        r"Step 3 \(univariate_microaggregation\): k = 11 is larger than the 10 values of 'Income': lower k",
    ),
    "a role given twice": ("Age: key, ", "Age: key, Age: confidential, ", "'Age' is given twice, first at line 3"),
    "a condition on nothing": ("keep: 1", "keep: 1, where: Aeg > 3", "column 'Aeg' not found"),
    "an ending that is none": ("target: masked.csv", "target: masked.docx", "No format for '.*masked.docx'"),
    "a folder that is none": ("target: masked.csv", "target: nowhere/masked.csv", "Folder '.*nowhere' does not exist"),
}
WEIGHTS = {"negative": "-1", "missing": ""}


@pytest.mark.parametrize("case", DATA)
def test_bad_data_are_refused_in_one_sentence(run, project: Path, case: str) -> None:
    content, message = DATA[case]
    source = project.parent / "patients.csv"
    if content is None:
        source.unlink()
    else:
        source.write_text(content, encoding="utf-8")
    refused(run("mask", project), message, project.parent)


@pytest.mark.parametrize("case", PROJECTS)
def test_bad_projects_are_refused_in_one_sentence(run, project: Path, case: str) -> None:
    old, new, message = PROJECTS[case]
    text = project.read_text(encoding="utf-8")
    assert old in text
    project.write_text(text.replace(old, new), encoding="utf-8")
    refused(run("mask", project), message, project.parent)


@pytest.mark.parametrize("case", WEIGHTS)
def test_bad_weights_are_refused_in_one_sentence(run, project: Path, case: str) -> None:
    rows = HEADER + ROW * 3 + ROW.replace(",1\n", f",{WEIGHTS[case]}\n") + ROW
    (project.parent / "patients.csv").write_text(rows, encoding="utf-8")
    project.write_text(project.read_text().replace("Age: key", "Age: key, w: weight"), encoding="utf-8")
    refused(run("mask", project), f"Weight 'w' is {case} in 1 records, first in record 3", project.parent)


def test_five_mistakes_are_five_lines(run, project: Path) -> None:
    project.write_text(
        "source: patients.csv\nroles: {Agee: key, State: keyy}\nmethods: [sampling: {fraction: 3}, smapling]\nx: 1\n",
        encoding="utf-8",
    )
    ended = run("mask", project, "--target", project.parent / "masked.csv")
    refused(ended, "has 5 problems", project.parent)
    assert ended.err.count("\n  - ") == 5


def refused(ended, message: str, folder: Path) -> None:
    assert ended.code == 2
    assert re.search(message, ended.err), ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""
    assert files(folder) <= {"patients.csv", "project.yaml"}


# Killed in the middle

KILLED = """
import os, signal, sys
import polars as pl
from ammg.cli import main

def half(self, file, **options):
    file.write(b"Age,Sta")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)

pl.DataFrame.write_csv = half
sys.argv = ["ammg", "mask", sys.argv[1], "--replace"]
main()
"""


def test_a_program_killed_while_it_writes_leaves_the_old_file_or_none(project: Path) -> None:
    project.write_text(project.read_text().replace("measures: [frequency, il1s]", "measures: []"), encoding="utf-8")
    target = project.parent / "masked.csv"
    for before in (b"the old file", None):
        if before is None:
            target.unlink()
        else:
            target.write_bytes(before)
        done = subprocess.run([sys.executable, "-c", KILLED, str(project)], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert (target.read_bytes() if target.exists() else None) == before
        assert not (project.parent / "masked.csv.private").exists()


@pytest.mark.parametrize("arguments", [(), ("--target", "patients.csv")])
def test_the_data_are_never_written_over(run, project: Path, monkeypatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.chdir(project.parent)
    text = project.read_text(encoding="utf-8")
    if not arguments:
        project.write_text(text.replace("target: masked.csv", "target: patients.csv"), encoding="utf-8")
    before = (project.parent / "patients.csv").read_bytes()
    ended = run("mask", project, *arguments)
    assert ended.code == 2
    assert "would be overwritten: choose another target" in ended.err
    assert (project.parent / "patients.csv").read_bytes() == before
    assert files(project.parent) == {"patients.csv", "project.yaml"}


def test_a_file_in_the_place_of_the_private_folder_is_named_before_anything_is_written(run, project: Path) -> None:
    (project.parent / "masked.csv.private").write_text("mine")
    ended = run("mask", project)
    assert ended.code == 2
    assert re.search("masked.csv.private' is a file, but a folder must be written there: move it", ended.err)
    assert files(project.parent) == {"patients.csv", "project.yaml", "masked.csv.private"}


# Limits


def limited(project: Path, limits: str) -> Path:
    project.write_text(project.read_text(encoding="utf-8") + f"limits: {{{limits}}}\n", encoding="utf-8")
    return project


def test_a_release_that_breaks_a_limit_is_not_written(run, project: Path) -> None:
    ended = run("mask", limited(project, "distance_linkage: 0.0001, il1s: 0.00001, frequency: 1"))
    assert ended.code == 1
    for name, limit in (("distance_linkage", "0.0001"), ("il1s", "1e-05")):
        assert re.search(rf"^{name} is [\d.]+, the limit is {limit}\.$", ended.out, re.MULTILINE)
    assert "100 %" in ended.out  # the limit that is kept, beside what it limits
    assert files(project.parent) == {"patients.csv", "project.yaml"}


def test_limits_that_are_kept_are_shown_and_the_release_is_written(run, project: Path) -> None:
    ended = run("mask", limited(project, "distance_linkage: 0.99"), "--json")
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert (told["limits"], told["missed"]) == ({"distance_linkage": 0.99}, {})
    assert "distance_linkage" in told["measures"]
    assert (project.parent / "masked.csv").exists()


def test_a_limit_on_what_is_not_defined_is_not_kept(run, project: Path) -> None:
    ended = run("mask", limited(project, "transition_linkage: 1"), "--json")
    assert ended.code == 1
    told = json.loads(ended.out)
    assert told["missed"] == {"transition_linkage": 1.0}
    assert told["written"] == {}
    assert told["reasons"][0].startswith("transition_linkage is not defined (")


def test_a_forced_release_keeps_its_reason_and_what_it_breaks(run, project: Path) -> None:
    ended = run("mask", limited(project, "distance_linkage: 0.0001"), "--force", " the panel agreed ")
    assert ended.code == 0, ended.err
    told = json.loads((project.parent / "masked.csv.private" / "provenance.json").read_text(encoding="utf-8"))
    assert told["clearance"]["forced"] == "the panel agreed"
    assert "the limit is 0.0001" in told["clearance"]["reasons"][-1]
    assert "the limit is 0.0001" in ended.out
    assert run("mask", project, "--force", " ").code == 2


def test_the_project_beside_a_release_says_every_parameter(run, project: Path) -> None:
    run("mask", project)
    (recoding, _, sampling) = ammg.Project.load(project.parent / "masked.csv.project.yaml").methods
    assert recoding.model_fields_set == set(type(recoding).model_fields)
    assert sampling.model_fields_set == set(type(sampling).model_fields)


# The program itself


def program(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from ammg.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_the_program_ends_with_0_when_all_went_well() -> None:
    done = program("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ammg {ammg.__version__}\n", "")


def test_the_program_ends_with_2_and_one_sentence_on_wrong_input() -> None:
    done = program("mask", "nowhere.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: Project file 'nowhere.yaml' does not exist: check the name.\n"


@pytest.mark.parametrize("arguments", [["mask"], ["nonsense"], ["mask", "--nonsense"]])
def test_a_command_that_is_none_ends_with_2(run, arguments: list[str]) -> None:
    assert run(*arguments).code == 2


# Targets


def test_an_empty_target_is_refused(run, project: Path) -> None:
    for target in ("", " "):
        ended = run("mask", project, "--target", target)
        assert (ended.code, "The target is empty" in ended.err) == (2, True)


def test_a_symbolic_link_is_never_replaced(run, project: Path) -> None:
    real = project.parent / "real.csv"
    (project.parent / "masked.csv").symlink_to(real)
    for before in (None, "old"):
        if before is not None:
            real.write_text(before)
        ended = run("mask", project, "--replace")
        assert (ended.code, f"name the file that it points to, '{real}'" in ended.err) == (2, True)
        assert (project.parent / "masked.csv").is_symlink()


def test_a_release_is_not_replaced_without_being_asked_for(run, project: Path) -> None:
    assert run("mask", project).code == 0
    ended = run("mask", project)
    assert (ended.code, "--replace" in ended.err) == (2, True)
    assert run("mask", project, "--replace").code == 0
    assert {"masked.csv.private", "masked.csv.private.1"} <= files(project.parent)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_stops_reading_does_not_make_a_written_release_fail(project: Path, options: list[str]) -> None:
    call = [sys.executable, "-c", "from ammg.cli import main; main()", "mask", str(project), *options]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.close()
        assert program.wait() == 0, program.stderr.read() if program.stderr else ""
    assert (project.parent / "masked.csv").exists()


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_a_data_file_in_place_of_a_project_is_told_from_one(run, tmp_path: Path, name: str) -> None:
    table = ammg.datasets.patients()
    table.write_csv(tmp_path / name) if name.endswith("csv") else table.write_parquet(tmp_path / name)
    ended = run("mask", tmp_path / name)
    assert ended.code == 2
    assert f"is a data file, not a project: write a project for it with `ammg init {tmp_path / name}`." in ended.err
