"""Nothing that only the original or the secret holds is in what everybody may read."""

from pathlib import Path

import pytest

import ammg
from ammg.draws import Secret
from ammg.projects.mask import mask_project
from ammg.testing.samples import PLANTED, sample

SECRET = Secret(bytes.fromhex("5ec2e7" + "ab" * 29))

PROJECT = """
source: confidential/register-of-names.parquet
roles: {name: identifier, age: key, born: key, education: key, region: key, income: confidential,
  savings: confidential, visits: confidential, weight: weight, zone: stratum}
kinds: {education: ordinal}
scenario: {targets: [3, 40, 77]}
methods:
  - global_recoding: {columns: [born], period: year}
  - global_recoding: {columns: [age], groups: 4}
  - rare_category_recoding: {columns: [region], keep: 3}
  - top_coding: {columns: [income, savings, visits], share: 0.05}
  - additive_noise: {columns: [savings], where: "name != 'Ysolde Quarrington'"}
  - correlated_noise: {columns: [income]}
  - identifier_removal
measures: [frequency, distance_linkage, suda, unsafe_combinations, worst_case, rank_interval_disclosure, cell_loss,
  il1s, il1, il2]
target: public.csv
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canaries")
    (folder / "confidential").mkdir()
    sample("planted").table.write_parquet(folder / "confidential" / "register-of-names.parquet")
    (folder / "project.yaml").write_text(PROJECT, encoding="utf-8")
    project, data = ammg.Project.open(folder / "project.yaml")
    mask_project(project, data, secret=SECRET, force="a test")
    return folder


def canaries() -> set[str]:
    """Every planted value in the ways it may be written, names in parts, and the secret."""
    found = {SECRET.key.hex(), "5ec2e7", "Ysolde", "Quarrington"}
    for _, value in PLANTED.values():
        found.add(str(value))
        if isinstance(value, int):
            found |= {f"{value:,}", f"{value:.6g}", f"{value:.4g}", f"{value:_}", str(value)[:7], f"{value:.3e}"}
    return found


@pytest.mark.parametrize("name", ["public.csv.report.html", "public.csv.summary.md"])
def test_no_planted_value_and_no_secret_is_in_what_everybody_may_read(folder: Path, name: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert [canary for canary in sorted(canaries()) if canary in text] == []


@pytest.mark.parametrize("private", ["register-of-names", "confidential/", "secret_file", "targets", "source:"])
def test_the_public_report_does_not_say_where_the_data_are_nor_whom_they_are_about(folder: Path, private: str) -> None:
    text = (folder / "public.csv.report.html").read_text(encoding="utf-8")
    assert private not in text
    assert "a condition that is not published" in text


def test_the_internal_report_is_private_and_tells_more(folder: Path) -> None:
    page = folder / "public.csv.private" / "report.html"
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text(encoding="utf-8")
    assert "register-of-names" in text
    assert SECRET.key.hex() not in text
    assert "The riskiest combinations" in text


def test_the_test_can_fail(folder: Path) -> None:
    assert "Ysolde Quarrington" in (folder / "public.csv.private" / "report.html").read_text(encoding="utf-8")
