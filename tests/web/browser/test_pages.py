"""Pages as such: HTML is text, two tabs, narrow windows, many attributes, and what axe-core says."""

import io

import polars as pl
import pytest
from browsing import Site, serious_in_both
from served import Person

EVIL = "<img src=x onerror=alert(1)>"
MADE = (
    "{}/methods",
    "{}/wizard",
    "{}/release",
    *(f"{{}}/result?tab={tab}" for tab in ("pictures", "records", "compare")),
)
MINE = ("/", "/account", "{}/data", *(f"{{}}/attributes?tab={tab}" for tab in ("attributes", "hierarchies", "rules")))
DIALOGS = {
    "/": ("New project", "Try a sample"),
    "{}/data": ("Remove patients.csv",),
    "{}/methods": ("Add a method",),
}
"""Buttons that open a dialog, by page."""


@pytest.fixture(scope="module")
def sample(site: Site) -> tuple[Person, str]:
    """A person with the paper's example."""
    person = site.person()
    project = person.made("/samples", which="patients")["id"]
    for job in person.got(f"/projects/{project}/jobs"):
        person.finished(job["id"])
    person.finished(person.made(f"/projects/{project}/evaluations", unmasked=True)["id"])
    return person, f"/projects/{project}"


def test_axe_finds_nothing_serious_in_light_and_dark(site: Site, sample: tuple[Person, str]) -> None:
    person, project = sample
    found = {}
    with site.opened() as tab:
        for path in ("/login", "/welcome"):
            tab.page.goto(f"{site.url}{path}")
            found[path] = serious_in_both(tab)
    with site.opened(person) as tab:
        for path in (*MINE, "{}/attributes?tab=scenario", "{}/attributes?tab=risk", "/nothing"):
            tab.goto(path.format(project))
            found[path] = serious_in_both(tab)
        for path, buttons in DIALOGS.items():
            tab.goto(path.format(project))
            for button in buttons:
                tab.clicks(button)
                tab.page.get_by_role("dialog").wait_for()
                found[f"{path}: {button}"] = serious_in_both(tab, "[role=dialog]")
                tab.page.keyboard.press("Escape")
                tab.page.get_by_role("dialog").wait_for(state="detached")
        assert tab.foreign == []
    assert {path: problems for path, problems in found.items() if problems} == {}


def test_nothing_is_cut_at_900_pixels(site: Site, sample: tuple[Person, str]) -> None:
    person, project = sample
    with site.opened(person, viewport={"width": 900, "height": 700}) as tab:
        for path in MINE:
            tab.goto(path.format(project))
            assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_html_in_names_and_labels_is_text(site: Site) -> None:
    person = site.person()
    project = person.made("/projects", name=EVIL, description=EVIL)["id"]
    content = pl.DataFrame({EVIL: ["a", "b", EVIL], "age": [1, 2, 3]}).write_csv().encode()
    person.uploaded(project, "a&b.csv", content)
    document = {"source": "a&b.csv", "roles": {EVIL: "key", "age": "key"}, "labels": {"age": EVIL}}
    methods = [{"rounding": {"columns": ["age"], "base": 2}}]
    person.made(f"/projects/{project}/versions", document={**document, "methods": methods, "measures": ["frequency"]})
    person.finished(person.made(f"/projects/{project}/masked-files", name="c&d.csv", force=EVIL)["id"])
    with site.opened(person) as tab:
        tab.page.on("dialog", lambda dialog: tab.errors.append(f"ran: {dialog.message}"))
        for path in (*MINE, *MADE):
            tab.goto(path.format(f"/projects/{project}"))
            assert tab.page.locator("img[src=x]").count() == 0, path
        tab.goto(f"/projects/{project}/attributes")
        assert tab.page.get_by_label("Label of age", exact=True).input_value() == EVIL
        tab.sees(EVIL)
        assert tab.errors == []


def test_the_second_of_two_tabs_that_save_is_told_about_the_first(site: Site, sample: tuple[Person, str]) -> None:
    person, project = sample
    with site.opened(person) as first:
        second = first.other()
        for tab, role in ((first, "confidential"), (second, "other")):
            tab.goto(f"{project}/attributes")
            tab.page.get_by_label("Role of State", exact=True).select_option(role)
            tab.sees("1 change not saved")
        first.page.get_by_role("tab", name="Intruder").click()
        first.sees("knows Age and State")
        first.page.get_by_role("tab", name="Attributes", exact=True).click()
        first.sees("1 change not saved")
        first.clicks("Save")
        first.sees("Saved as version 2.")
        second.clicks("Save")
        second.sees("Version 2 is now the current one")
        asked: list[str] = []
        second.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        second.goto(project)  # the address of a project is that of its data
        second.sees("What was recognised in patients.csv")
        assert asked == ["beforeunload"]


def test_what_somebody_types_outlives_an_answer_of_the_server(site: Site, sample: tuple[Person, str]) -> None:
    person, project = sample
    with site.opened(person) as tab:
        tab.goto(f"{project}/attributes")
        label = tab.page.get_by_label("Label of Age", exact=True)
        label.focus()
        tab.page.keyboard.type("Age ")
        tab.page.get_by_label("Role of Income", exact=True).evaluate(
            "one => { one.value = 'other'; one.dispatchEvent(new Event('change')) }"
        )
        tab.sees("1 change not saved")
        tab.page.keyboard.type("in years")
        assert label.input_value() == "Age in years"


def test_projects_are_found_by_words_and_state_and_foreign_ones_do_not_exist(
    site: Site, sample: tuple[Person, str]
) -> None:
    person, project = sample
    person.made("/projects", name="Fishery census")
    with site.opened(person) as tab:
        tab.goto("/")
        tab.fills("Search projects", "fish")
        tab.page.get_by_text("Ten patients").wait_for(state="detached")
        tab.sees("Fishery census")
    with site.opened(site.person()) as tab:
        assert tab.goto(f"{project}/data") == 404
        tab.sees("There is no such project.")


def test_of_many_attributes_the_browser_draws_those_in_sight(site: Site) -> None:
    person = site.person()
    project = person.made("/projects", name="wide")["id"]
    content = io.BytesIO()
    pl.DataFrame({f"v{n}": [n, n + 1, n + 2] for n in range(500)}).write_parquet(content)
    data_set = person.uploaded(project, "wide.parquet", content.getvalue())["id"]
    person.made(f"/projects/{project}/versions/proposal", data_set_id=data_set)
    with site.opened(person) as tab:
        tab.goto(f"/projects/{project}/attributes")
        tab.page.get_by_label("Role of v0", exact=True).wait_for()
        assert tab.page.locator("select.ammg-select").count() < 300
        tab.fills("Search attributes", "v499")
        tab.page.get_by_label("Role of v499", exact=True).wait_for()
        tab.goto(f"/projects/{project}/data")
        tab.sees("1 to 40")
