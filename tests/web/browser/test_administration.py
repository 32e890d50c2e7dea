"""Administration in the browser: people, jobs, databases, the audit log, storage."""

import sqlite3
from pathlib import Path

from browsing import Site, serious

SURVEY = "\n".join(f"{i % 90},{i % 7},{i * 37 % 1000},{i * 91 % 777}" for i in range(400))
SLOW = {
    "source": "survey.csv",
    "roles": {"age": "key", "region": "key", "income": "confidential", "rent": "confidential"},
    "limits": {"distance_linkage": 0.01},
}


def test_an_administrator_invites_closes_accounts_and_reads_the_log(site: Site) -> None:
    someone = site.person().got("/session")["name"]
    with site.opened(site.boss) as tab:
        page = tab.page
        tab.goto("/administration")
        page.get_by_label("Who it is for").fill("Jane <b>Doe</b>")
        page.get_by_role("button", name="Make a link").click()
        tab.sees("It is shown only now")
        assert f"{site.url}/welcome#ammg_l_" in page.get_by_label("One-time link").input_value()
        tab.sees("for Jane <b>Doe</b>")
        assert serious(tab) == []
        page.get_by_label(f"{someone} is active").click()
        page.get_by_role("button", name="Close the account").click()
        tab.sees(f"{someone} is no longer active.")
        page.get_by_role("tab", name="Databases").click()
        page.get_by_label("Name", exact=True).fill("warehouse")
        page.get_by_label("Address, like").fill("not an address")
        page.get_by_role("button", name="Add").click()
        tab.sees("The database URL cannot be read")
        page.get_by_role("tab", name="Audit log").click()
        tab.sees("the chain is intact")
        tab.sees("account closed")
        page.get_by_role("tab", name="System").click()
        tab.sees("Free on the disk")
        assert serious(tab) == []
        assert tab.errors == []
        assert tab.foreign == []


def test_a_database_is_defined_tried_and_a_table_of_it_read(site: Site, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "office.db") as database:
        database.execute("CREATE TABLE people (age INTEGER, region TEXT)")
        database.executemany("INSERT INTO people VALUES (?, ?)", [(20 + n % 50, "NSW"[n % 3]) for n in range(60)])
    database.close()
    person = site.person()
    project = person.made("/projects", name="From a table")["id"]
    with site.opened(site.boss) as boss, site.opened(person) as tab:
        boss.goto("/administration?tab=databases")
        boss.page.get_by_label("Name", exact=True).fill("office")
        boss.page.get_by_label("Address, like").fill(f"sqlite:///{tmp_path / 'office.db'}")
        boss.page.get_by_role("button", name="Add").click()
        boss.page.get_by_role("button", name="Test").click()
        boss.sees("'office' answers.")
        tab.goto(f"/projects/{project}/data")
        for table, said in (("", "Name a table"), ("nobody", "could not be read"), ("people", "What was recognised")):
            tab.clicks("From a database table")
            dialog = tab.page.get_by_role("dialog")
            dialog.get_by_label("Table, or schema.table").fill(table)
            assert serious(tab, "[role=dialog]") == []
            dialog.get_by_role("button", name="Read").click()
            tab.sees(said)
            if not table:
                dialog.get_by_role("button", name="Cancel").click()
                dialog.wait_for(state="detached")
        tab.page.get_by_role("cell", name="NSW"[0], exact=True).first.wait_for()
        assert str(tmp_path) not in tab.page.content()
        assert tab.errors == boss.errors == []


def test_nobody_else_sees_the_administration(site: Site) -> None:
    with site.opened(site.person()) as tab:
        assert tab.goto("/administration") == 403
        tab.sees("Only administrators may do this")
        assert tab.page.get_by_text("Make a link").count() == 0


def test_jobs_are_cancelled_by_their_project_and_by_administrators(site: Site) -> None:
    owner = site.person()
    project = owner.made("/projects", name="Slow")["id"]
    owner.uploaded(project, "survey.csv", f"age,region,income,rent\n{SURVEY}\n".encode())
    owner.made(f"/projects/{project}/versions", document=SLOW)
    searches = [owner.made(f"/projects/{project}/searches", trials=5000)["id"] for _ in range(2)]
    with site.opened(owner) as tab, site.opened(site.boss) as boss:
        tab.goto(f"/projects/{project}/result")
        tab.page.get_by_role("button", name="Only measure").click()
        tab.sees("waiting for a worker")  # both of them search
        tab.page.get_by_role("button", name="Cancel").click()
        tab.sees("was cancelled")
        boss.goto("/administration?tab=jobs")
        for number in (1, 0):
            boss.page.get_by_role("button", name="Cancel").nth(number).click()
        for job in searches:
            owner.finished(job, "cancelled")
        boss.page.get_by_role("cell", name="cancelled").nth(2).wait_for()
        assert tab.errors == boss.errors == []
