"""The wizard: questions with wrong answers, a search that is watched, and a recipe that is adopted."""

import re
from secrets import token_hex
from typing import Any

import pytest
from browsing import PATIENCE, Site, Tab, serious
from playwright.sync_api import expect
from test_methods import PROJECT, RECORDS

LONG = {"steps": 4}
QUICK = {"methods": ["rounding", "univariate_microaggregation"], "steps": 1}


@pytest.fixture
def project(site: Site) -> Any:
    """A small survey of its own, and its owner; another one when a test is tried again."""
    owner = site.person()
    made = owner.made("/projects", name=f"Small survey {token_hex(4)}")["id"]
    owner.uploaded(made, "survey.csv", RECORDS.encode())
    document = {name: part for name, part in PROJECT.items() if name not in ("methods", "limits")}
    owner.made(f"/projects/{made}/versions", document=document | {"search": LONG})
    return owner, made


def current(project: Any) -> dict[str, Any]:
    owner, made = project
    found: dict[str, Any] = owner.got(f"/projects/{made}/version")
    return found


def search(tab: Tab) -> Any:
    return tab.page.get_by_role("button", name="Search", exact=True)


def test_after_wrong_answers_a_search_is_watched_cancelled_and_adopted_from(site: Site, project: Any) -> None:
    owner, made = project
    with site.opened(owner) as tab:
        tab.goto(f"/projects/{made}/wizard")
        tab.sees("A search needs a limit on at least one risk")
        expect(search(tab)).to_be_disabled(timeout=PATIENCE)
        _answered(tab)
        search(tab).click()
        tab.sees("Searching")
        tab.page.reload()  # in the middle
        tab.ready()
        assert tab.page.get_by_label("Recipes to try").input_value() == "100000"
        frontier = tab.page.get_by_role("img", name=re.compile("Risk and loss of the recipes"))
        frontier.wait_for()  # while it runs
        other = tab.other()
        other.goto(f"/projects/{made}/wizard")
        tab.clicks("Cancel")
        for one in (tab, other):
            one.sees("The search was cancelled")
        tab.page.get_by_role("button", name="Cancel").wait_for(state="detached")
        before = current(project)["number"]
        tab.page.get_by_label(re.compile("^Adopt")).first.click()
        tab.sees(f"Version {before + 1} has this recipe and is the current one.")
        assert current(project)["note"].startswith("adopted from a search")
        assert current(project)["document"]["methods"]
        other.goto(f"/projects/{made}/methods")
        other.page.go_back()
        other.sees("The search was cancelled")
        assert tab.errors == other.errors == []


def _answered(tab: Tab) -> None:
    """Every question, wrong at first."""
    page = tab.page
    page.get_by_text("Public use file").click()
    tab.sees("Anybody may get the file.")
    tab.sees("El Emam")
    page.get_by_label("Must survive, one per line").fill("mean incom within 50 %")
    tab.sees("Did you mean 'income'?")
    page.get_by_label("Must survive, one per line").fill("mean income about the same")
    tab.sees("cannot be read")
    page.get_by_label("Must survive, one per line").fill("mean income within 50 %")
    page.get_by_label("Recipes to try").fill("many")
    tab.sees("valid integer")
    page.get_by_label("Recipes to try").fill("100000")
    page.get_by_label("Columns that no step may mask").click()
    page.get_by_role("option", name="region").click()
    page.keyboard.press("Escape")
    page.get_by_text("Only my own limits").click()
    tab.clicks("Add a limit")
    tab.sees("Limit 1: choose a measure.")
    assert serious(tab) == []
    page.get_by_label("Measure of limit 1").fill("k anon")
    page.get_by_role("option", name="K anonymity").click()
    page.get_by_label("Greatest value of limit 1").fill("half")
    tab.sees("Limit 1: ")
    page.get_by_label("Greatest value of limit 1").fill("0.5")
    expect(search(tab)).to_be_enabled(timeout=PATIENCE)


def test_a_finished_search_has_a_choice_and_another_point_can_be_adopted(site: Site, project: Any) -> None:
    owner, made = project
    owner.made(f"/projects/{made}/versions", document={**PROJECT, "search": QUICK})
    with site.opened(owner) as tab:
        tab.goto(f"/projects/{made}/wizard")
        page = tab.page
        page.get_by_text("Safe laboratory").click()
        page.get_by_label("Recipes to try").fill("4")
        search(tab).click()
        tab.sees("the current one")
        found = current(project)
        assert found["note"].startswith("found by a search")
        assert found["has_secret"]
        page.get_by_role("img", name=re.compile("Risk and loss of the recipes")).wait_for()
        adopt = page.get_by_label(re.compile("^Adopt"))
        if adopt.count():  # what else is on the frontier depends on the secret
            adopt.first.click()
            tab.sees("has this recipe and is the current one")
            assert current(project)["number"] == found["number"] + 1
        assert tab.errors == []
