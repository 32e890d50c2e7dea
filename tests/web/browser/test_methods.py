"""The page of the methods: steps added, changed, moved, switched off and removed, and the way back."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import PATIENCE, Site, Tab, serious
from playwright.sync_api import expect

RECORDS = "age,region,income\n" + "".join(
    f"{20 + i * 7 % 60},{'NSW'[i % 3]},{1000 + i * 37 % 997}\n" for i in range(60)
)
PROJECT = {
    "source": "survey.csv",
    "roles": {"age": "key", "region": "key", "income": "confidential"},
    "kinds": {"region": "nominal"},
    "methods": [{"rounding": {"columns": ["income"], "base": 100}}],
    "measures": ["k_anonymity", "il1s"],
    "limits": {"k_anonymity": 0.5},
}


@pytest.fixture(scope="module")
def project(site: Site) -> Any:
    """A small survey of its own, and its owner."""
    owner = site.person()
    made = owner.made("/projects", name="Survey & <b>more</b>")["id"]
    owner.uploaded(made, "survey.csv", RECORDS.encode())
    return owner, made


@pytest.fixture
def tab(site: Site, project: Any) -> Iterator[Tab]:
    """The page with one step."""
    owner, made = project
    owner.made(f"/projects/{made}/versions", document=PROJECT, note="one step")
    with site.opened(owner) as tab:
        tab.goto(f"/projects/{made}/methods")
        yield tab
        assert tab.errors == []
        assert tab.foreign == []


def steps(project: Any) -> list[str]:
    """The names of the steps that the current version has."""
    owner, made = project
    found = owner.got(f"/projects/{made}/version")["document"]["methods"]
    return [next(iter(step)) if isinstance(step, dict) else step for step in found]


def add(tab: Tab, words: str, name: str) -> Any:
    """Choose a method in the menu; the form that opens."""
    tab.clicks("Add a method")
    tab.page.get_by_label("Search").fill(words)
    tab.page.get_by_role("listitem").filter(has_text=re.compile(rf"^{name}")).first.click()
    form = tab.page.get_by_role("dialog").filter(has_text="About this method")
    form.wait_for()
    return form


def test_a_step_is_added_changed_moved_switched_off_and_removed_and_one_goes_back(tab: Tab, project: Any) -> None:
    page = tab.page
    assert page.get_by_text("Survey & <b>more</b>").is_visible()  # as text
    form = add(tab, "rank swap", "Rank swapping")
    save = form.get_by_role("button", name="Add")
    p = form.get_by_label("p", exact=True)
    p.fill("0")
    form.get_by_text("Should be greater than 0 (it is 0).").wait_for()
    expect(save).to_be_disabled(timeout=PATIENCE)
    p.fill("ten")
    form.get_by_text("valid number").wait_for()
    p.fill("10")
    form.get_by_label("Columns", exact=True).click()
    offered = page.get_by_role("option")
    offered.first.wait_for()
    assert sorted(offered.all_inner_texts()) == ["age", "income"]  # a region has no ranks
    offered.filter(has_text="age").click()
    page.keyboard.press("Escape")
    form.get_by_text("More settings").click()
    form.get_by_label("Where").fill("agee > 30")
    form.get_by_text("Did you mean 'age'?").wait_for()
    form.get_by_label("Where").fill("age > 30")
    form.get_by_text("Did you mean").wait_for(state="hidden")
    assert serious(tab, "[role=dialog]") == []
    save.click()
    tab.sees("added rank swapping")
    assert steps(project) == ["rounding", "rank_swapping"]
    tab.sees("columns: age, p: 10, where: age > 30")

    tab.clicks("Move step 2, Rank swapping up")
    tab.sees("moved step 2, rank swapping to place 1")
    tab.clicks("Edit step 1, Rank swapping")
    form = page.get_by_role("dialog").filter(has_text="About this method")
    form.get_by_label("p", exact=True).fill("20")
    form.get_by_role("button", name="Save").click()
    tab.sees("changed step 1, rank swapping")
    tab.clicks("Switch step 2, Rounding off")
    tab.sees("switched step 2, rounding off")
    owner, made = project
    methods = owner.got(f"/projects/{made}/version")["document"]["methods"]
    assert methods[0]["rank_swapping"] == {"columns": ["age"], "where": "age > 30", "p": 20}
    assert methods[1] == {"rounding": {"columns": ["income"], "base": 100}, "skip": True}

    page.reload()
    tab.ready()
    tab.clicks("Remove step 1, Rank swapping")
    tab.sees("removed step 1, rank swapping")
    assert steps(project) == ["rounding"]
    page.get_by_role("tab", name="As Python").click()
    page.get_by_label("Python program").get_by_text("import ammg").wait_for()
    page.get_by_role("tab", name="History").click()
    page.get_by_role("listitem").filter(has_text="moved step 2").get_by_role("button").click()
    page.get_by_text("is the current one").wait_for()
    assert steps(project) == ["rank_swapping", "rounding"]
    assert serious(tab) == []


def test_steps_are_dragged_and_a_version_made_elsewhere_is_not_overwritten(tab: Tab, project: Any) -> None:
    owner, made = project
    document = {**PROJECT, "methods": [{"sampling": {"fraction": 0.5}}, "rounding"]}
    current = owner.made(f"/projects/{made}/versions", document=document)["number"]
    tab.page.reload()
    tab.ready()
    handles = tab.page.locator(".ammg-handle")
    start, end = handles.nth(1).bounding_box(), handles.nth(0).bounding_box()
    tab.page.mouse.move(start["x"] + 5, start["y"] + 5)
    tab.page.mouse.down()
    for share in (0.3, 0.6, 1.0, 1.2):
        tab.page.mouse.move(end["x"] + 5, start["y"] + share * (end["y"] - start["y"]))
        tab.page.wait_for_timeout(50)
    tab.page.mouse.up()
    tab.sees("moved step 2, rounding to place 1")
    assert steps(project) == ["rounding", "sampling"]
    owner.made(f"/projects/{made}/versions", document=PROJECT, note="in another tab")
    tab.clicks("Remove step 2, Sampling")
    tab.sees(f"Version {current + 2} is now the current one")
    assert steps(project) == ["rounding"]


def test_risk_and_loss_are_measured_and_a_sample_is_previewed(tab: Tab, project: Any) -> None:
    tab.page.get_by_role("button", name=re.compile("^Measure version")).click()
    tab.page.get_by_role("button", name="Measure again").wait_for()
    panel = tab.page.get_by_role("complementary", name="Risk and loss")
    panel.get_by_text("k anonymity").wait_for()
    panel.get_by_role("img", name="limit exceeded").wait_for()
    tab.clicks("Preview on a sample")
    tab.page.reload()  # in the middle
    tab.ready()
    tab.sees("60 records of 60; 60 records after the steps.")
    tab.page.get_by_text(re.compile(r"\d+ → \d+00$")).first.wait_for()
    tab.clicks("Switch step 1, Rounding off")
    tab.sees("These are the figures of version")
    assert serious(tab) == []


def test_a_reviewer_sees_the_steps_and_changes_nothing(site: Site, project: Any) -> None:
    owner, made = project
    owner.made(f"/projects/{made}/versions", document=PROJECT)
    reviewer = site.person()
    name = reviewer.got("/session")["name"]
    assert owner.put(f"/projects/{made}/members", json={"name": name, "role": "reviewer"}).status_code == 200
    with site.opened(reviewer) as tab:
        tab.goto(f"/projects/{made}/methods")
        tab.sees("columns: income, base: 100")
        for words in ("Add a method", "Remove step 1", "Preview on a sample", "Measure"):
            assert tab.page.get_by_role("button", name=words).count() == 0
        tab.goto(f"/projects/{made}/wizard")
        tab.sees("start searches")
        assert tab.errors == []
