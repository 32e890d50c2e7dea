"""`ammg report` writes the evidence, whether or not limits are met."""

import json
from pathlib import Path


def test_a_public_report_is_written_beside_the_project(run, project: Path) -> None:
    ended = run("report", project)
    assert ended.code == 0, ended.err
    page = (project.parent / "project.report.html").read_text(encoding="utf-8")
    assert "Public version" in page
    assert "patients.csv" not in page
    assert "public report: " in ended.out


def test_an_internal_report_goes_where_one_says(run, project: Path) -> None:
    ended = run("report", project, "--internal", "--output", project.parent / "panel.html", "--json")
    assert json.loads(ended.out)["written"] == {"internal report": str(project.parent / "panel.html")}
    assert "patients.csv" in (project.parent / "panel.html").read_text(encoding="utf-8")


def test_a_broken_limit_is_reported_with_exit_code_1(run, project: Path) -> None:
    limited = project.read_text(encoding="utf-8") + "limits: {il1s: 0}"
    project.write_text(limited, encoding="utf-8")
    ended = run("report", project)
    assert ended.code == 1, ended.err
    assert "should not be released as it is" in (project.parent / "project.report.html").read_text(encoding="utf-8")


def test_a_report_that_is_no_page_is_refused_before_anything_is_done(run, project: Path) -> None:
    ended = run("report", project, "--output", project.parent / "report.pdf")
    assert ended.code == 2
    assert "give it the ending .html" in ended.err
