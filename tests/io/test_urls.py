"""Passwords of databases are shown nowhere, and a URL may name an environment variable instead."""

from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.io.urls import filled_in, hidden, with_variable
from ammg.projects.init import init_project

SHOWN = [
    ("postgresql://me:hunter2@host/db?table=t", "postgresql://me:***@host/db?table=t"),
    ("postgresql+psycopg://me:hunter2@host:5432/db", "postgresql+psycopg://me:***@host:5432/db"),
    ("mysql://me:p@ss/w?rd@host/db", "mysql://me:***@host/db"),
    ("mysql://:hunter2@host/db", "mysql://:***@host/db"),
    ("mysql://host/db?user=me&passwd=hunter2&charset=utf8", "mysql://host/db?user=me&passwd=***&charset=utf8"),
    ("'postgresql://me:hunter2@host' cannot be read", "'postgresql://me:***@host' cannot be read"),
    ("postgresql://me@host/db?query=SELECT mail FROM t WHERE a = ':x@y'", None),
    ("postgresql://me:${PGPASSWORD}@host/db", None),
    ("postgresql:///?service=study&table=t", None),
    ("sqlite:////data/r.db?table=t", None),
    ("C:/data/a.csv", None),
    ("a file: me:x@y", None),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN)
def test_what_is_shown_has_no_password(text: str, shown: str | None) -> None:
    assert hidden(text) == (shown or text)


def test_what_is_written_names_a_variable_and_connects_with_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    written = with_variable("postgresql://me:hunter2@host/db", "AMMG_SOURCE_PASSWORD")
    assert written == "postgresql://me:${AMMG_SOURCE_PASSWORD}@host/db"
    with pytest.raises(InputError, match=r"Environment variable 'AMMG_SOURCE_PASSWORD', .*, is not set"):
        filled_in(written)
    monkeypatch.setenv("AMMG_SOURCE_PASSWORD", "p@ss/w%rd")
    assert filled_in(written) == "postgresql://me:p%40ss%2Fw%25rd@host/db"


def test_a_project_reads_from_a_url_that_names_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = ammg.Microdata(pl.DataFrame({"x": [1, 2, 3]}))
    ammg.io.database.Database().write(data.table, data.schema, "sqlite:///a b.db?table=t")
    monkeypatch.setenv("STUDY", "a b.db")
    with pytest.raises(InputError, match="does not exist"):
        ammg.read("sqlite:///${STUDY}2?table=t")
    monkeypatch.setenv("TABLE", "t")
    assert len(ammg.read("sqlite:///a b.db?table=${TABLE}")) == 3


@pytest.mark.filterwarnings("ignore:Query string argument")  # SQLite has no passwords
def test_a_new_project_does_not_hold_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = ammg.Microdata(pl.DataFrame({"x": range(50)}))
    ammg.io.database.Database().write(data.table, data.schema, "sqlite:///r.db?table=t")
    init_project("sqlite:///r.db?table=t&password=hunter2")
    text = (tmp_path / "project.yaml").read_text()
    assert "hunter2" not in text
    assert "password=${AMMG_SOURCE_PASSWORD}" in text


def test_an_unescaped_at_sign_is_named_without_showing_the_password() -> None:
    with pytest.raises(InputError, match="write it as %40") as refused:
        ammg.read("postgresql://me:hunt@er2@host/db?table=t")
    assert "er2" not in str(refused.value)
