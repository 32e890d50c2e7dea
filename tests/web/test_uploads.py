"""Uploads: names that lead out, wrong types, bombs, too much: refused or stored, with memory flat."""

import io
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import Program
from served import Person, administrator, serving
from team import opened

from ammg.jobs.runner import JobRunner
from ammg.store.store import Store

MIB = 2**20


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = opened(tmp_path_factory.mktemp("server"), upload_bytes=MIB, job_megabytes=1024)
    yield store
    store.close()


@pytest.fixture(scope="module")
def owner(store: Store) -> Iterator[Person]:
    with serving(store, JobRunner(store)) as api:
        yield administrator(store, api)


@pytest.fixture(scope="module")
def at(owner: Person) -> str:
    return f"/projects/{owner.made('/projects', name='Uploads')['id']}/data-sets"


def _files(store: Store) -> int:
    return sum(1 for path in (store.settings.data / "files").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd.csv", "/etc/a.csv", "a/b.csv", "C:\\a.csv", "..", ".a.csv", "a\n.csv", "a.exe", "", "x" * 300],
)
def test_a_name_that_is_a_path_or_no_data_is_refused_however_it_comes(
    name: str, owner: Person, store: Store, at: str
) -> None:
    before = _files(store)
    assert owner.post(at, params={"name": name}, content=b"a,b\n1,2\n").status_code == 422
    if name and name.isprintable():
        assert owner.post(at, files={"file": (name, b"a,b\n1,2\n")}).status_code == 422
    assert _files(store) == before


def test_a_form_and_a_body_keep_the_same_bytes(owner: Person, store: Store, at: str) -> None:
    content = "a,b\n1,é\r\n--x\n".encode() * 20_000
    by_body = owner.post(at, params={"name": "body.csv"}, content=content).json()["id"]
    fields = {"note": "this is no file", "more": "x" * 10_000}
    by_form = owner.post(at, data=fields, files={"file": ("form é.csv", content)}).json()
    assert by_form["name"] == "form é.csv"
    for data_set in (by_body, by_form["id"]):
        answer = owner.get(f"{at}/{data_set}/file")
        assert answer.content == content
        assert answer.headers["content-disposition"].startswith('attachment; filename="')


def test_more_than_the_limit_is_refused_with_and_without_an_announcement(owner: Person, store: Store, at: str) -> None:
    before = _files(store)
    large = b"x" * (2 * MIB)
    for sent in ({"content": large}, {"content": iter([large[:MIB], large[MIB:]])}):
        answer = owner.post(at, params={"name": "large.csv"}, **sent)  # type: ignore[arg-type]
        assert answer.status_code == 413, answer.text
    assert owner.post(at, files={"file": ("large.csv", large)}).status_code == 413
    assert _files(store) == before
    assert "large.csv" not in str(owner.got(at))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"no boundary"),
        ("multipart/form-data; boundary=x", b"no form at all"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; filename="a.csv"\r\n\r\na,b\n1'),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: " + b"x" * 10_000),
        ("text/csv", b""),
    ],
)
def test_a_broken_form_or_an_empty_file_leaves_nothing(
    kind: str, body: bytes, owner: Person, store: Store, at: str
) -> None:
    before = _files(store)
    answer = owner.post(at, params={"name": "e.csv"}, content=body, headers={"Content-Type": kind})
    assert answer.status_code == 422, answer.text
    assert _files(store) == before


def test_a_sender_that_goes_away_leaves_nothing(owner: Person, store: Store, at: str, caplog) -> None:
    before = _files(store)
    url, cookie = owner.base_url, owner.cookies["ammg_session"]
    head = f"POST {url.path.rstrip('/')}{at}?name=half.csv HTTP/1.1\r\nHost: x\r\nX-AMMG: 1\r\n"
    with caplog.at_level("INFO", "ammg.web"), socket.create_connection((url.host, url.port)) as line:
        line.sendall(f"{head}Cookie: ammg_session={cookie}\r\nContent-Length: 1000\r\n\r\na,b\n1,".encode())
        time.sleep(0.5)
        line.close()
        deadline = time.monotonic() + 30
        while not [record for record in caplog.records if getattr(record, "facts", {}).get("status") == 499]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert not [record for record in caplog.records if record.message == "unforeseen"]
    assert _files(store) == before


def _bomb() -> bytes:
    """A workbook of a few hundred kB that unpacks to more memory than a job may use."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("[Content_Types].xml", b"<Types/>")
        archive.writestr("xl/workbook.xml", b"<workbook><sheets><sheet name='a' sheetId='1'/></sheets></workbook>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for _ in range(300):
                sheet.write(b"0" * MIB)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("picture.sav", b"\x89PNG\r\n\x1a\n\0\0\0"), ("text.parquet", b"PAR1 it is not"), ("bomb.xlsx", None)],
)
def test_what_cannot_be_read_ends_its_job_with_a_reason(
    name: str, content: bytes | None, owner: Person, store: Store, at: str
) -> None:
    answer = owner.post(at, params={"name": name}, content=content or _bomb())
    assert answer.status_code == 201, answer.text
    job = owner.finished(answer.json()["job_id"], "failed")
    assert job["reason"]
    assert owner.got(f"{at}/{answer.json()['id']}")["state"] == "unread"


def _chunks(megabytes: int) -> Iterator[bytes]:
    chunk = bytes(range(256)) * (MIB // 256)
    for _ in range(megabytes):
        yield chunk


def _peak_of_upload(folder: Path, megabytes: int) -> int:
    """By how many bytes the memory of a server grows while it takes in so many MiB."""
    with Program(folder, "--upload", str(megabytes)) as program:
        boss = program.administrator()
        project = boss.made("/projects", name="large")["id"]
        at = f"/projects/{project}/data-sets"
        assert boss.post(at, params={"name": "a.parquet"}, content=_chunks(4)).status_code == 201
        before = program.peak
        answer = boss.post(at, params={"name": "large.parquet"}, content=_chunks(megabytes))
        assert answer.json()["size"] == megabytes * MIB
        assert boss.post(at, params={"name": "more.parquet"}, content=_chunks(megabytes + 1)).status_code == 413
        return program.peak - before


def test_the_memory_of_the_server_stays_flat_during_an_upload(tmp_path: Path) -> None:
    assert _peak_of_upload(tmp_path, 128) < 24 * MIB


@pytest.mark.proof
def test_two_gigabytes_are_stored_with_flat_memory(tmp_path: Path) -> None:
    assert _peak_of_upload(tmp_path, 2048) < 24 * MIB
