"""Following a page of the guide from top to bottom leads to a release."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg

GUIDE = Path(__file__).parents[1] / "docs" / "pages" / "guide"
URL = "postgresql://ammg:${PGPASSWORD}@localhost:5432/clinic"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    source = str(Path(ammg.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH", "")])))
    return tmp_path


def follow(page: str, replaced: dict[str, str] | None = None) -> None:
    """Run a page: Python, commands, files by their titles; texts are part of what the commands above them print."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    for old, new in (replaced or {}).items():
        text = text.replace(old, new)
    names: dict[str, object] = {}
    printed = ""
    for language, title, body in re.findall(r'```(\w+)(?: title="(.*?)")?\n(.*?)```', text, flags=re.DOTALL):
        if language == "python":
            exec(compile(body, page, "exec"), names)
        elif language == "yaml":
            Path(title).write_text(body, encoding="utf-8")
        elif language == "sh":
            printed = "".join(run(line) for line in body.splitlines())
        else:
            assert [line for line in body.splitlines() if line not in printed] == []


def run(line: str) -> str:
    assert line.startswith("ammg ")
    command = [sys.executable, "-c", "from ammg.cli import main; main()"]
    given = [part.strip("'") for part in line.split()[1:]]
    done = subprocess.run([*command, *given], capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    wide = [line for line in done.stdout.splitlines() if len(line) > 80]
    assert [line for line in wide if "://" not in line and ".private" not in line] == []  # places are one line each
    return done.stdout


def test_from_a_survey_in_csv(here, shared):
    Path("testdata.csv").write_bytes((shared / "data" / "testdata.csv").read_bytes())
    follow("from_csv.md")
    assert (pl.read_csv("released.csv")["income"] >= 0).all()


def test_from_a_hospital_extract(here):
    follow("from_hospital.md")
    released = pl.read_csv("released.csv")
    assert released["admitted"].drop_nulls().str.contains(r"^2025 Q[1-4]$").all()
    assert set(released["postcode"].drop_nulls()) == {"480**"}


def test_from_business_data(here):
    follow("from_business.md")
    groups = pl.read_parquet("released.parquet").group_by("employees", "turnover", "exports").len()
    assert groups["len"].min() >= 5


def test_from_an_spss_file_with_user_missing_codes(here):
    pytest.importorskip("pyreadstat")
    follow("from_spss.md")
    assert Path("released.sav.private/secret").exists()


def test_from_a_stata_file_with_dates(here):
    pytest.importorskip("pyreadstat")
    follow("from_stata.md")
    assert np.isfinite(ammg.read("released.dta").table["wages"].to_numpy()).all()


def test_from_a_postgresql_table(here, monkeypatch):
    import sqlalchemy as sa
    from servers import engine_of, server

    url = sa.make_url(server("postgresql"))
    engine = engine_of(str(url.render_as_string(hide_password=False)))
    monkeypatch.setenv("PGPASSWORD", url.password or "hunter2")
    own = f"stays_{os.getpid()}"
    address = f"postgresql://{url.username}:${{PGPASSWORD}}@{url.host}:{url.port}/{url.database}"
    try:
        follow("from_postgresql.md", {URL: address, "clinic.stays": f"{url.database}.stays", "stays": own})
        assert "hunter2" not in "".join(path.read_text(errors="ignore") for path in here.rglob("*") if path.is_file())
    finally:
        with engine.begin() as connection:
            for table in (own, f"{own}_released", f"{own}_released_codebook"):
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {table}"))
