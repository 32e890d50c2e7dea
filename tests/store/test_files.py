"""Files that are encrypted at rest: what goes in comes out, and nothing else does."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from ammg.errors import InputError, NotFound, NotStored
from ammg.store.ground.files import CHUNK, MAGIC, Files
from ammg.store.ground.vault import Vault

KEY = Vault(bytes(range(32)))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "files", KEY)


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
def test_what_goes_in_comes_out(files: Files, size: int) -> None:
    content = os.urandom(size)
    stored = files.add_bytes("a1", content)
    assert files.read("a1") == content
    assert (stored.size, list(files.ids())) == (size, ["a1"])


def test_no_byte_of_it_is_on_disk_in_plain_and_only_the_owner_may_read(files: Files) -> None:
    files.add_bytes("a1", b"Winterbottom,123456789")
    assert b"Winterbottom" not in files.path("a1").read_bytes()
    assert files.path("a1").stat().st_mode & 0o077 == 0
    assert files.folder.stat().st_mode & 0o077 == 0


def damaged(content: bytes) -> dict[str, bytes]:
    chunk, head = CHUNK + 16, len(MAGIC) + 32
    first, second, rest = (
        content[head : head + chunk],
        content[head + chunk : head + 2 * chunk],
        content[head + 2 * chunk :],
    )
    return {
        "a bit turned": content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        "the last chunk missing": content[: head + 2 * chunk],
        "all chunks missing": content[:head],
        "chunks swapped": content[:head] + second + first + rest,
        "another salt": content[:head][::-1] + content[head:],
        "bytes added": content + b"more",
        "nothing left": b"",
    }


@pytest.mark.parametrize("how", list(damaged(bytes(100))))
def test_a_file_that_was_changed_is_refused(files: Files, how: str) -> None:
    files.add_bytes("a1", os.urandom(2 * CHUNK + 100))
    files.path("a1").write_bytes(damaged(files.path("a1").read_bytes())[how])
    with pytest.raises(InputError, match=r"changed|incomplete"):
        files.read("a1")


def test_a_file_does_not_open_in_the_place_of_another_or_with_another_key(files: Files) -> None:
    files.add_bytes("a1", b"one")
    files.add_bytes("a2", b"two")
    files.path("a1").write_bytes(files.path("a2").read_bytes())
    with pytest.raises(InputError, match="changed"):
        files.read("a1")
    with pytest.raises(InputError, match="another key"):
        Files(files.folder, Vault(bytes(32))).read("a2")


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a/b", "."])
def test_only_ids_name_files(files: Files, name: str) -> None:
    with pytest.raises(NotFound):
        files.chunks(name)


def test_a_file_removed_before_its_first_chunk_is_read_no_longer_exists(files: Files) -> None:
    files.add_bytes("a1", b"content")
    chunks = files.chunks("a1")
    files.remove("a1")
    with pytest.raises(NotFound, match="no longer exists"):
        next(chunks)


def test_a_writer_that_does_not_finish_leaves_nothing(files: Files) -> None:
    with files.writer("a1") as writer:
        writer.write(b"half of it")
    assert not list(files.ids())
    assert not list((files.folder / "incoming").iterdir())


def test_what_a_killed_writer_left_goes_at_the_next_start(files: Files) -> None:
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom ammg.store.ground.files import Files\n"
        "from ammg.store.ground.vault import Vault\n"
        "writer = Files(Path(sys.argv[1]), Vault(bytes(32))).writer('a1')\n"
        "writer.write(bytes(3_000_000))\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(files.folder)], check=False)
    assert len(list((files.folder / "incoming").iterdir())) == 1
    with files.writer("a2") as alive:
        files.clean()
        alive.finish()
    assert list(files.ids()) == ["a2"]
    assert not list((files.folder / "incoming").iterdir())


def test_memory_stays_flat_however_large_the_file(files: Files) -> None:
    tracemalloc.start()
    with files.writer("a1") as writer:
        for _ in range(48):
            writer.write(bytes(CHUNK))
        writer.finish()
    size = sum(len(chunk) for chunk in files.chunks("a1"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 48 * CHUNK
    assert peak < 12 * CHUNK


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_answered_in_words_and_keeps_nothing(files: Files) -> None:
    writer = files.writer("a1")
    writer._file.close()
    writer._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115, PTH123
    with pytest.raises(NotStored, match="no space left"):
        writer.write(bytes(2 * CHUNK))
    assert not list(files.ids())
    assert not list((files.folder / "incoming").iterdir())
