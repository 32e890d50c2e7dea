"""The paper's example by HTTP alone: from the first administrator to a release that `ammg mask` makes again."""

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from served import Person, administrator, invited, serving
from team import fresh_database, opened, patients

from ammg.jobs.runner import JobRunner

PROJECT = """
source: patients.csv
roles: {Name: identifier, SSN: identifier, Age: key, State: key, Diagnosis: confidential, Income: confidential,
  Billing: confidential}
methods:
  - univariate_microaggregation: {columns: [Age], k: 2}
  - sampling: {fraction: 0.8}
measures: [frequency, target_unit, il1s]
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql", "mariadb"])
def test_the_papers_example_goes_from_login_to_release_and_is_made_again_by_the_command_line(kind, tmp_path):
    with fresh_database(kind) as url:
        store = opened(tmp_path / "server", url)
        # Workers in processes of their own where several servers may share the queue; elsewhere this process is one.
        with serving(store, JobRunner(store) if kind == "postgresql" else None) as api:
            _followed(store, api, tmp_path)
        store.close()


def _followed(store, api: str, folder: Path) -> None:
    boss = administrator(store, api)
    owner, reviewer = invited(boss, "owner"), invited(boss, "reviewer")
    project = owner.made("/projects", name="Patients")["id"]
    at = f"/projects/{project}"
    assert owner.put(f"{at}/members", json={"name": "reviewer", "role": "reviewer"}).status_code == 200

    data_set = owner.uploaded(project, "patients.csv", patients())
    analysis = owner.got(f"{at}/data-sets/{data_set['id']}/analysis")
    assert analysis["records"] == 10
    assert {a["name"]: a["role"] for a in analysis["attributes"]}["SSN"] == "identifier"

    version = owner.made(f"{at}/versions", document=PROJECT)
    assert version["number"] == 1
    masked = owner.finished(owner.made(f"{at}/masked-files", name="public.csv")["id"])["result"]["masked_file_id"]
    file = owner.got(f"{at}/masked-files/{masked}")
    assert file["records"] == 8

    measured = owner.got(f"{at}/evaluations/{file['evaluation_id']}")["values"]["measures"]
    assert {"frequency", "target_unit", "il1s"} <= set(measured)

    reason = "Ten made-up patients." if file["needs_reason"] else ""
    review = owner.made(f"{at}/reviews", masked_file_id=masked, statement="Please look.", reason=reason)["id"]
    assert owner.post(f"{at}/reviews/{review}/approve", json={}).status_code == 403
    reviewer.made(f"{at}/reviews/{review}/comments", text="Looks good.")
    assert reviewer.made(f"{at}/reviews/{review}/approve", reason=reason)["state"] == "approved"

    table = {"connection_id": _warehouse(boss, folder), "table": "public_patients"}
    assert "warehouse.sqlite" not in str(owner.got("/connections"))  # people see the name of a connection alone
    job = owner.made(f"{at}/releases", review_id=review, **table)
    release = owner.finished(job["id"])["result"]["release_id"]
    with closing(sqlite3.connect(folder / "warehouse.sqlite")) as warehouse:
        rows = warehouse.execute("SELECT * FROM public_patients")
        assert [column[0] for column in rows.description] == ["Age", "State", "Diagnosis", "Income", "Billing"]
        assert len(rows.fetchall()) == 8
    back = owner.finished(owner.made(f"{at}/imports", **table, name="back.parquet")["id"])["result"]["data_set_id"]
    assert owner.got(f"{at}/data-sets/{back}")["records"] == 8
    files = {part["name"]: part for part in owner.got(f"{at}/releases/{release}")["files"]}
    released = reviewer.get(f"{at}/releases/{release}/files/masked")
    assert released.headers["content-disposition"].endswith("public.csv")
    assert hashlib.sha256(released.content).hexdigest() == files["masked"]["sha256"]
    assert len(released.text.splitlines()) == 9

    exported = owner.get(f"{at}/versions/1/file")
    (folder / "project.yaml").write_bytes(exported.content)
    (folder / "secret").write_bytes(owner.get(f"{at}/masked-files/{masked}/parts/secret").content)
    (folder / "secret").chmod(0o600)
    (folder / "patients.csv").write_bytes(patients())
    forced = ["--force", reason] if reason else []
    command = [
        sys.executable,
        "-c",
        "from ammg.cli import main; main()",
        "mask",
        "project.yaml",
        "--target",
        "again.csv",
        "--secret",
        "secret",
    ]
    subprocess.run([*command, *forced], cwd=folder, check=True, capture_output=True)
    assert (folder / "again.csv").read_bytes() == released.content

    imported = owner.post(f"{at}/versions/file", content=exported.content, headers={"Content-Type": "application/yaml"})
    assert imported.json()["document"] == version["document"]
    assert boss.got("/audit/state")["intact"]


def _warehouse(boss: Person, folder: Path) -> str:
    """A database that the administrator allows."""
    url = f"sqlite:///{folder}/warehouse.sqlite"
    sqlite3.connect(folder / "warehouse.sqlite").close()
    return str(boss.made("/connections", name="warehouse", url=url, reads=True, writes=True)["id"])
