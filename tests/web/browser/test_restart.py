"""A server on PostgreSQL that is killed and started again while somebody looks at a page."""

from pathlib import Path
from typing import Any

from browsing import Site
from program import Program
from team import PAPER, fresh_database, patients


def test_a_page_and_its_job_outlive_a_killed_server(chromium: Any, tmp_path: Path) -> None:
    with fresh_database("postgresql") as url, Program(tmp_path, "--database", url) as program:
        boss = program.administrator()
        project = boss.made("/projects", name="Outlived")["id"]
        boss.uploaded(project, "patients.csv", patients())
        boss.made(f"/projects/{project}/versions", document=PAPER)
        with Site(program, chromium, boss).opened(boss) as tab:
            tab.goto(f"/projects/{project}/result")
            tab.page.get_by_role("button", name="Make the masked file", exact=True).click()
            tab.sees("Making the masked file")
            program.process.kill()
            program.process.wait()
            with Program(tmp_path, "--database", url, port=program.port) as again:
                tab.sees(
                    "The masked file holds 8 records"
                )  # the page came back by itself, before or after the job's end
                assert again.person().signed_in("admin").got("/audit/state")["intact"]
                assert tab.foreign == []
