"""A file is whole or as it was before, whatever happens to the process that writes it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from samples import labelled

import ammg
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.io.csv import Csv
from ammg.registry import format_for

PROGRAM = """
import sys
import polars as pl
from ammg.data.microdata import Microdata
from ammg.registry import format_for
frame = pl.select(**{f"x{i}": pl.int_range(2_000_000) for i in range(8)})
form = format_for(sys.argv[1])
schema = Microdata(frame).schema
print("writing", flush=True)
form.write(frame, schema, sys.argv[1])
"""


@pytest.mark.parametrize(("name", "before"), [("a.csv", False), ("a.csv", True), ("a.parquet", True), ("a.sav", True)])
def test_a_killed_write_leaves_the_old_file_or_none(tmp_path: Path, name: str, before: bool) -> None:
    target = tmp_path / name
    frame, schema = labelled()
    if before:
        format_for(name).write(frame, schema, str(target))
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(target)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    deadline = time.monotonic() + 20
    while not (list(tmp_path.glob(f".{name}.*.tmp")) or target.exists() > before) and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    if before:
        assert len(ammg.read(target)) == len(frame)
    else:
        assert not target.exists()
    format_for(name).write(frame, schema, str(target))
    assert not list(tmp_path.glob(".*.tmp"))
    assert len(ammg.read(target)) == len(frame)


FULL = """
import resource, sys
import polars as pl
from ammg.data.microdata import Microdata
from ammg.errors import InputError
from ammg.registry import format_for
frame = pl.select(**{f"x{i}": (pl.int_range(20_000, dtype=pl.Int64) * 7919 + i) % 10_007 for i in range(8)})
form, schema = format_for(sys.argv[1]), Microdata(frame).schema
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    form.write(frame, schema, sys.argv[1])
except InputError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrow", "a.xlsx", "a.sav", "a.dta", "a.xpt"])
def test_a_disk_without_room_is_told_in_one_sentence_and_nothing_is_left(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    ended = subprocess.run([sys.executable, "-c", FULL, str(target)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"Cannot write '{target}': ")
    assert ended.stdout.endswith("Choose another place.\n")
    assert not [path for path in tmp_path.iterdir() if not path.name.endswith(".codebook.yaml")]


def test_an_error_while_writing_leaves_nothing(tmp_path: Path) -> None:
    def write_half() -> None:
        with atomic(tmp_path / "a.txt") as path:
            path.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert not list(tmp_path.iterdir())


def test_the_temporary_file_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / f".a.csv.{os.getppid()}.tmp"
    other.touch()
    frame, schema = labelled()
    Csv().write(frame, schema, str(tmp_path / "a.csv"))
    assert other.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="permission denied"):
        Csv().write(pl.DataFrame({"x": [1]}), labelled()[1], str(tmp_path / "a.csv"))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc")
def test_a_device_that_cannot_hold_a_file_is_named() -> None:
    with pytest.raises(InputError, match="Cannot write '/proc/"), atomic("/proc/ammg.csv"):
        pass


def test_a_folder_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"), atomic(tmp_path):
        pass


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault" / "real")
    for text in ("first", "second"):
        with atomic(tmp_path / "link") as path:
            path.write_text(text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "vault" / "real").read_text() == text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["link", "real", "vault"]
