"""`ammg serve`: the first start, TLS, logs, and how it ends."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from program import Program

from ammg.cli import main
from ammg.errors import InputError
from ammg.web.listener import Listener
from ammg.web.serve import invited


def test_the_first_start_shows_a_link_once_and_a_signal_ends_it_with_nothing_lost(tmp_path: Path) -> None:
    with Program(tmp_path) as program:
        boss = program.administrator()
        boss.made("/projects", name="kept")
        boss.get("/projects/Jane-Canary")
        boss.get("/session?name=Jane-Canary")
        assert program.stop() == 0
    log = program.events()
    assert {"at", "level", "logger", "event"} <= set(log[0])
    requests = [line for line in log if line["event"] == "request"]
    assert {"/projects", "/projects/{project_id}"} <= {line["route"] for line in requests}
    for secret in ("Canary", "correct horse", "ammg_s_", "ammg_l_", "kept"):
        assert secret not in "".join(program.logged)
    with Program(tmp_path) as again:
        assert "/welcome#" not in "".join(again.printed)
        assert [one["name"] for one in again.person().signed_in("admin").got("/projects")] == ["kept"]


def test_it_speaks_tls_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    certificate, key = _certificate(tmp_path)
    options = ("--certificate", str(certificate), "--key", str(key))
    trusted = ssl.create_default_context(cafile=str(certificate))
    with Program(tmp_path, *options, scheme="https", verify=trusted) as program:
        boss = program.administrator()
        assert f"https://127.0.0.1:{program.port}/welcome#" in "".join(program.printed)
        answer = boss.post("/session", json={"name": "admin", "password": "correct horse battery staple"})
        assert "Secure" in answer.headers["set-cookie"]
        assert "strict-transport-security" in answer.headers


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "unencrypted"),
        (["--certificate", "missing.pem", "--key", "missing.pem"], "does not exist"),
        (["--certificate", "missing.pem"], "give both"),
        (["--public-url", "ammg.example.org"], "is not an address"),
        (["--database", "oracle://somewhere/db"], "is not supported"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["ammg", "serve", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert said in " ".join(shown.split())
    assert "Traceback" not in shown


def test_a_proxy_may_listen_on_any_address_and_links_have_the_address_that_people_use() -> None:
    listener = Listener("0.0.0.0", proxy="10.0.0.2", public_url="https://ammg.example.org/")
    assert invited(listener.url, "t") == "https://ammg.example.org/welcome#t"
    assert Listener("::1").url == "http://[::1]:8080"
    with pytest.raises(InputError):
        Listener("ammg.example.org")


def _certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    places = folder / "certificate.pem", folder / "key.pem"
    places[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    places[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return places
