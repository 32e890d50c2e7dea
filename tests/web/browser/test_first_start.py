"""The paper's example from the first start to the risk of the unmasked file, with everything that people do wrong."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import Site, Tab
from program import Program
from served import PASSWORD, Person
from team import fresh_database, patients


@pytest.fixture
def database() -> Iterator[tuple[str, ...]]:
    """PostgreSQL where there is one: the other tests of this folder are on SQLite."""
    with ExitStack() as stack:
        try:
            url = stack.enter_context(fresh_database("postgresql"))
        except pytest.skip.Exception:
            url = ""
        yield ("--database", url) if url else ()


def test_ten_patients_from_the_first_start_over_a_killed_server_to_their_risk(
    chromium: Any, tmp_path: Path, database: tuple[str, ...]
) -> None:
    with Program(tmp_path, *database) as program:
        site = Site(program, chromium)
        with site.opened() as tab:
            _first_administrator(tab, program)
            _project(tab)
            _data(tab)
            _attributes(tab)
            boss = program.person().signed_in("boss")
            _measuring(tab, boss)
            program.process.kill()
            program.process.wait()
            with Program(tmp_path, *database, port=program.port) as again:
                _measured(tab)
                assert again.person().signed_in("boss").got("/audit/state")["intact"]
                assert again.stop() == 0
            # What was refused on purpose, and the moment without a server, are in the console of the browser.
            expected = ("WebSocket", "ERR_CONNECTION", "Failed to load resource")
            assert [one for one in tab.errors if not any(word in one for word in expected)] == []
            assert tab.foreign == []


def _first_administrator(tab: Tab, program: Program) -> None:
    page = tab.page
    link = re.search(r"(http\S+/welcome#ammg_l_\S+)", "".join(program.printed))
    assert link is not None
    page.goto(link[1])
    tab.fills("User name", "boss")
    page.get_by_label("Password", exact=True).fill("short")
    tab.fills("Password again", "other")
    tab.clicks("Create the account")
    tab.sees("The passwords differ")
    tab.fills("Password again", "short")
    tab.clicks("Create the account")
    tab.sees("12")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    tab.fills("Password again", PASSWORD)
    tab.clicks("Create the account")
    tab.sees("There is no project yet")
    tab.ready()
    page.get_by_role("button", name="Account").click()
    page.get_by_text("Sign out").click()
    page.wait_for_url("**/login")
    tab.fills("User name", "boss")
    tab.fills("Password", "not the password")
    tab.clicks("Sign in")
    tab.sees("Name or password is wrong.")
    tab.fills("Password", PASSWORD)
    tab.clicks("Sign in")
    tab.sees("There is no project yet")
    tab.ready()


def _project(tab: Tab) -> None:
    tab.clicks("New project")
    tab.clicks("Create")
    tab.sees("A project needs a name")
    tab.fills("Name", "Patients")
    tab.clicks("Create")
    tab.page.wait_for_url("**/data")
    tab.ready()
    tab.sees("There are no data yet")


def _data(tab: Tab) -> None:
    page = tab.page
    for name, content, said in (("notes.docx", b"x", "docx"), ("empty.csv", b"", "is empty")):
        page.set_input_files("input[type=file]", files=[{"name": name, "mimeType": "text/plain", "buffer": content}])
        page.get_by_role("alert").filter(has_text=said).first.wait_for()
    file = {"name": "patients.csv", "mimeType": "text/csv", "buffer": patients()}
    page.set_input_files("input[type=file]", files=[file])
    tab.sees("What was recognised in patients.csv")
    tab.sees("John Wayne")
    page.reload()
    tab.ready()
    tab.sees("What was recognised in patients.csv")
    tab.clicks("Continue to the attributes")
    page.wait_for_url("**/attributes")
    page.go_back()
    tab.sees("What was recognised in patients.csv")
    page.go_forward()
    tab.sees("Begin with a proposal")


def _attributes(tab: Tab) -> None:
    page = tab.page
    tab.ready()
    tab.clicks("Accept the proposal")
    page.get_by_label("Role of State", exact=True).wait_for()
    tab.ready()
    for name, role in (("Name", "identifier"), ("SSN", "identifier"), ("Age", "key"), ("State", "key")):
        page.get_by_label(f"Role of {name}", exact=True).select_option(role)
    page.get_by_label("Role of Diagnosis", exact=True).select_option("confidential")
    page.get_by_label("Label of Age", exact=True).fill("Age in years")
    page.keyboard.press("Tab")
    page.get_by_text(re.compile(r"\d changes? not saved")).wait_for()
    tab.clicks("Save")
    tab.sees("Saved as version 2.")
    page.get_by_role("tab", name="Hierarchies").click()
    page.get_by_label("Numbers").fill("a, b")
    tab.sees("write numbers separated by commas")
    page.get_by_label("Rule", exact=True).click()
    page.get_by_role("option", name="widths: 5, 10, 20").first.click()
    page.get_by_label("Numbers").fill("10, 20")
    tab.sees("Level 2:")
    page.get_by_role("tab", name="Edit rules").click()
    page.get_by_label("Rule", exact=True).fill("Ages > 3")
    tab.sees("There is no attribute 'Ages'. Did you mean 'Age'?")
    page.get_by_label("Rule", exact=True).fill("0 <= Age <= 120")
    page.get_by_role("button", name="Add the rule").click()
    tab.sees("Saved as version 3.")
    page.get_by_role("tab", name="Intruder").click()
    tab.sees("knows Age and State")
    page.get_by_label("Probability that a target is in the file").fill("2")
    tab.sees("The probability must be above 0 and at most 1")


def _measuring(tab: Tab, boss: Person) -> None:
    """Begun, and loaded again while it goes on."""
    at = urlsplit(tab.page.url).path.removesuffix("/attributes")
    document = boss.got(f"{at}/version")["document"]
    boss.made(f"{at}/versions", document=document | {"measures": ["frequency"]})
    tab.page.reload()
    tab.ready()
    tab.page.get_by_role("tab", name="Risk of the unmasked file").click()
    tab.sees("It has not been measured yet.")
    tab.clicks("Measure")
    tab.page.get_by_text("It has not been measured yet.").wait_for(state="detached")
    tab.page.reload()
    tab.ready()


def _measured(tab: Tab) -> None:
    """The page finds the new server by itself, and the job goes on there, unless it had ended before."""
    tab.sees("Rarest combinations")
    tab.ready()
    tab.page.get_by_role("progressbar", name="frequency").wait_for()
    tab.page.get_by_role("tab", name="Attributes", exact=True).click()
    assert tab.page.get_by_label("Label of Age", exact=True).input_value() == "Age in years"
