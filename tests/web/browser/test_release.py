"""The paper's example from an upload to its release by two people, as they see it in the browser."""

import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

from browsing import Site, Tab, serious
from served import Person
from team import patients

PROJECT = "Patients <b>of</b> the paper"


def test_two_people_bring_the_papers_example_to_its_release(site: Site, tmp_path: Path) -> None:
    person, reviewer = site.person(), site.person()
    with site.opened(person) as owner, site.opened(reviewer) as panel:
        at = _described(owner)
        assert panel.goto(f"{at}/release") == 404  # no member: there is no such project
        panel.errors.clear()
        _chosen(owner, at)
        _judged(person, at)
        _masked(owner, at)
        _looked_at(owner)
        _submitted(owner, at, reviewer.got("/session")["name"])
        panel.goto(f"{at}/release")
        _approved(panel)
        _released(owner, at, tmp_path)
        for tab in (owner, panel):
            assert tab.errors == []
            assert tab.foreign == []


def _described(owner: Tab) -> str:
    """Ten patients with their roles."""
    page = owner.page
    owner.goto("/")
    owner.clicks("New project")
    owner.fills("Name", PROJECT)
    owner.clicks("Create")
    page.wait_for_url("**/data")
    owner.ready()
    file = {"name": "patients.csv", "mimeType": "text/csv", "buffer": patients()}
    page.set_input_files("input[type=file]", files=[file])
    owner.sees("What was recognised in patients.csv")
    owner.sees(PROJECT)  # as text
    owner.clicks("Continue to the attributes")
    page.wait_for_url("**/attributes")
    owner.ready()
    owner.clicks("Accept the proposal")
    page.get_by_label("Role of State", exact=True).wait_for()
    owner.ready()
    roles = {"Name": "identifier", "SSN": "identifier", "Age": "key", "State": "key"}
    roles |= dict.fromkeys(("Diagnosis", "Income", "Billing"), "confidential")
    for name, role in roles.items():
        page.get_by_label(f"Role of {name}", exact=True).select_option(role)
    page.get_by_label("Label of Age", exact=True).fill("Age in years")
    page.keyboard.press("Tab")
    page.get_by_text(re.compile(r"\d changes? not saved")).wait_for()
    owner.clicks("Save")
    owner.sees("Saved as version 2.")
    return urlsplit(page.url).path.removesuffix("/attributes")


def _chosen(owner: Tab, at: str) -> None:
    """The two methods of the paper."""
    page = owner.page
    owner.goto(f"{at}/methods")
    for words, name in (("univariate microaggregation", "Univariate microaggregation"), ("sampling", "Sampling")):
        owner.clicks("Add a method")
        page.get_by_label("Search").fill(words)
        page.get_by_role("listitem").filter(has_text=re.compile(rf"^{name}")).first.click()
        form = page.get_by_role("dialog").filter(has_text="About this method")
        form.wait_for()
        if name == "Sampling":
            form.get_by_label("Fraction", exact=True).fill("0.8")
        else:
            form.get_by_label("Columns", exact=True).click()
            page.get_by_role("option").filter(has_text=re.compile("^Age$")).click()
            page.keyboard.press("Escape")
            form.get_by_label("k", exact=True).fill("2")
        form.get_by_role("button", name="Add").click()
        owner.sees(f"added {name.lower()}")


def _judged(person: Person, at: str) -> None:
    """Measures, and a limit that no masking keeps, so that people have something to write down."""
    document = person.got(f"{at}/version")["document"]
    steps = [{"univariate_microaggregation": {"columns": ["Age"], "k": 2}}, "sampling"]  # 0.8 is its default
    assert document["methods"] == steps
    wanted = {"measures": ["frequency", "suda", "il1s"], "limits": {"il1s": 0.001}}
    person.made(f"{at}/versions", document=document | wanted)


def _masked(owner: Tab, at: str) -> None:
    """Limits are broken at first, so that no file is kept; then a reason is given, and the page is loaded again."""
    page = owner.page
    owner.goto(f"{at}/result")
    owner.sees("Nothing has been masked yet")
    page.get_by_label("Name of the masked file").fill("")
    page.get_by_role("button", name="Make the masked file", exact=True).click()
    owner.sees("Give it a name")
    page.get_by_label("Name of the masked file").fill("public.csv")
    page.get_by_role("button", name="Make the masked file", exact=True).click()
    owner.sees("No file was kept, because limits are not met")
    page.get_by_label("Reason, if the file may be made").fill("Ten made-up patients.")
    page.get_by_role("button", name="Make the masked file", exact=True).click()
    page.get_by_role("button", name="Cancel").wait_for()  # it has begun
    page.reload()
    page.get_by_role("link", name="Open the public report").wait_for()
    owner.ready()


def _looked_at(owner: Tab) -> None:
    page = owner.page
    page.get_by_text(re.compile("il1s .* at most 0.001: broken")).first.wait_for()
    owner.sees("The masked file holds 8 records")
    page.locator(".ammg-measure-row").first.click()
    owner.sees("expected reidentifications")
    owner.sees("Records by size of their equivalence class")
    assert serious(owner) == []
    page.get_by_role("tab", name="Masked records").click()
    owner.sees("All 8 records")
    assert page.locator(".ammg-records tbody tr").count() == 8
    heads = [text.replace("arrow_upward", "") for text in page.locator(".ammg-records th").all_inner_texts()]
    assert heads == ["Age", "State", "Diagnosis", "Income", "Billing"]
    page.get_by_role("tab", name="Distributions").click()
    owner.sees("Correlations before masking")
    page.get_by_role("tab", name="Compare").click()
    owner.sees("Risk against loss")
    assert page.locator("figure svg").last.is_visible()
    page.get_by_role("tab", name="Records at risk").click()
    owner.sees("Only for you as the owner")
    page.reload()  # the address knows which tab was open
    owner.ready()
    owner.sees("Only for you as the owner")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the public report").click()
    opened.value.wait_for_load_state()
    assert "In short" in opened.value.inner_text("body") or "8 records" in opened.value.inner_text("body")
    opened.value.close()


def _submitted(owner: Tab, at: str, reviewer: str) -> None:
    page = owner.page
    owner.goto(f"{at}/release")
    page.get_by_label("User name").fill("nobody-there")
    page.get_by_role("button", name="Add").click()
    owner.sees("There is no user 'nobody-there'")
    page.get_by_label("User name").fill(reviewer)
    page.get_by_role("button", name="Add").click()
    owner.sees(f"{reviewer} is reviewer of this project.")
    page.get_by_role("button", name="Submit for review").click()
    owner.sees("Checks or limits fail: write why the file may be released.")
    page.get_by_label("What the reviewer should know").fill("Please look at <i>Age</i>.")
    page.get_by_label("Reason for releasing it").fill("Ten made-up patients.")
    page.get_by_role("button", name="Submit for review").click()
    owner.sees("waits for a reviewer")


def _approved(panel: Tab) -> None:
    page = panel.page
    panel.sees("Please look at <i>Age</i>.")
    panel.sees("Limits not met:")
    page.get_by_label("Comment").fill("Seen.")
    page.get_by_role("button", name="Comment").click()
    page.locator(".ammg-comment").get_by_text("Seen.").wait_for()
    page.get_by_role("button", name="Approve").click()
    panel.sees("write why it may be released")
    assert serious(panel) == []
    page.get_by_label(re.compile("Reason")).fill("Nobody lives in it.")
    page.get_by_role("button", name="Approve").click()
    page.get_by_text(re.compile("Approved by")).first.wait_for()


def _released(owner: Tab, at: str, folder: Path) -> None:
    page = owner.page
    owner.goto(f"{at}/release")
    page.get_by_role("button", name="Release", exact=True).click()
    page.wait_for_url("**/releases/*")
    owner.ready()
    owner.sees("The SHA-256 checksum proves")
    assert serious(owner) == []
    with page.expect_download() as begun:
        page.get_by_role("link", name="Download public.csv", exact=True).click()
    begun.value.save_as(folder / "public.csv")
    content = (folder / "public.csv").read_bytes()
    assert len(content.splitlines()) == 9
    assert page.get_by_text(hashlib.sha256(content).hexdigest()).is_visible()
    page.get_by_role("button", name="Withdraw the release").click()
    owner.sees("Give the reason for the withdrawal")
    page.get_by_label("Reason").fill("A test.")
    page.get_by_role("button", name="Withdraw the release").click()
    owner.sees("Only its owner can still download it")
    page.go_back()
    owner.ready()
    owner.sees("withdrawn")
