"""Several files take their place together, or none does."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ammg.errors import DataWarning, InputError
from ammg.release.staging import staged
from ammg.release.target import check_target

KILLED = """
import os, signal, sys
from pathlib import Path
from ammg.release import staging

def die(*names):
    os.kill(os.getpid(), signal.SIGKILL)

home, moment = Path(sys.argv[1]), sys.argv[2]
if moment == "moving":
    Path.replace = die
with staging.staged(home, "x") as place:
    (place / "x.private").mkdir()
    (place / "x.private" / "secret").write_text("new")
    (place / "x.csv").write_text("new")
    if moment == "elsewhere":
        staging.write_elsewhere(place)
    if moment != "moving":
        die()
"""


def put(place: Path, text: str) -> None:
    (place / "x.private").mkdir()
    (place / "x.private" / "secret").write_text(text)
    (place / "x.csv").write_text(text)


def stage(home: Path, write: Callable[[Path], object]) -> None:
    with staged(home, "x") as place:
        write(place)


def content(home: Path) -> dict[str, str]:
    return {str(path.relative_to(home)): path.read_text() for path in home.rglob("*") if path.is_file()}


WHOLE = {"x.csv": "new", "x.private/secret": "new"}
OLD = {"x.csv": "old", "x.private/secret": "old"}


def killed(home: Path, moment: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(home), moment], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_files_take_the_place_of_older_ones_and_folders_are_kept_aside(tmp_path: Path) -> None:
    put(tmp_path, "old")
    with staged(tmp_path, "x") as place:
        put(place, "new")
        assert content(tmp_path) | OLD == content(tmp_path)
    assert content(tmp_path) == {**WHOLE, "x.private.1/secret": "old"}
    stage(tmp_path, lambda place: put(place, "newer"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "x.private", "x.private.1", "x.private.2"]
    assert (tmp_path / "x.private.2" / "secret").read_text() == "new"


def test_what_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, "old")
    with pytest.raises(ZeroDivisionError):
        stage(tmp_path, lambda place: (put(place, "new"), 1 / 0))
    assert content(tmp_path) == OLD


def test_a_process_killed_while_it_writes_leaves_everything_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, "old")
    killed(tmp_path, "writing")
    assert content(tmp_path) | OLD == content(tmp_path)
    with staged(tmp_path, "x"):
        pass
    assert content(tmp_path) == OLD


def test_a_process_killed_between_its_moves_loses_nothing_and_the_next_one_finishes(tmp_path: Path) -> None:
    put(tmp_path, "old")
    killed(tmp_path, "moving")
    assert sorted(content(tmp_path).values()).count("new") == 2
    with staged(tmp_path, "x"):
        pass
    assert content(tmp_path) == {**WHOLE, "x.private.1/secret": "old"}


def test_the_secret_of_a_table_that_may_have_been_written_is_kept(tmp_path: Path) -> None:
    killed(tmp_path, "elsewhere")
    with pytest.warns(DataWarning, match="killed while writing to a database"), staged(tmp_path, "x"):
        pass
    assert "new" in content(tmp_path).values()


def test_a_second_writer_of_one_name_is_refused_and_others_are_not(tmp_path: Path) -> None:
    with staged(tmp_path, "x") as place:
        put(place, "new")
        with pytest.raises(InputError, match="x' is being written by another process"), staged(tmp_path, "x"):
            pass
        with staged(tmp_path, "y") as other:
            (other / "y.csv").write_text("y")
    assert content(tmp_path) == {**WHOLE, "y.csv": "y"}


def test_leftovers_of_killed_runs_go_whatever_their_name(tmp_path: Path) -> None:
    killed(tmp_path, "writing")
    killed(tmp_path, "writing")
    (tmp_path / f".x.{os.getppid()}.staged").mkdir()  # its number now belongs to another process
    with staged(tmp_path, "y"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize(("in_the_way", "message"), [("x.private", "is a file, but a folder"), ("x.csv", "a folder")])
def test_what_is_in_the_way_is_named_and_nothing_moves(tmp_path: Path, in_the_way: str, message: str) -> None:
    if in_the_way == "x.private":
        (tmp_path / in_the_way).write_text("old")
    else:
        (tmp_path / in_the_way).mkdir()
    with pytest.raises(InputError, match=message), staged(tmp_path, "x") as place:
        put(place, "new")
    assert [path.name for path in tmp_path.iterdir()] == [in_the_way]


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot write to '.*nowhere'"), staged(tmp_path / "nowhere", "x"):
        pass


def test_an_error_names_the_place_that_the_user_gave(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        stage(tmp_path, lambda place: check_target(str(place / "nowhere" / "x.csv")))
    assert str(refused.value).startswith(f"Folder '{tmp_path / 'nowhere'}' does not exist")
