"""Take pictures of every page, light and dark, into docs/pages/web; `make screenshots` calls it.

`python docs/screenshots.py FOLDER WIDTH` takes them into another folder, or at another width of the window.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pages" / "web"
sys.path[:0] = [str(ROOT / "tests" / place) for place in ("web", "web/browser", "store")]

from browsing import Site, Tab, launched  # noqa: E402
from program import Program  # noqa: E402
from served import Person, invited  # noqa: E402

THEMES = ("light", "dark")
WIDTH, HEIGHT = 1280, 820
QUICK = {
    "measures": ["frequency", "k_anonymity", "target_unit", "il1s"],
    "limits": {"frequency": 0.6},
    "search": {"methods": ["global_recoding", "univariate_microaggregation"], "loss": "cell_loss"},
}
"""So that the pictures are taken within a minute."""
SHOWN = {
    "projects": "Ten patients",
    "data": "What is odd",
    "attributes": "household_income",
    "hierarchies": "Level 2",
    "rules": "Write a rule",
    "intruder": "knows",
    "risk": "Rarest combinations",
    "methods": "of the values changed",
    "form": "About this method",
    "wizard": "Loss ",
    "result": "In short",
    "distributions": "Correlations after masking",
    "records": "All 8 records",
    "compare": "Risk against loss",
    "release": "People of this project",
    "released": "SHA-256",
    "account": "Where you are signed in",
    "administration": "Invite",
    "audit": "the chain is intact",
    "system": "Free on the disk",
}
"""Pages with a text that is there when they are complete."""


def main(folder: Path, width: int) -> None:
    """Two projects that went all the way, and a picture of each page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, Program(Path(data)) as program, launched() as browser:
        site = Site(program, browser, program.administrator())
        places = _prepared(site)
        for theme in THEMES:
            size = {"viewport": {"width": width, "height": HEIGHT}, "color_scheme": theme}
            with site.opened(**size) as tab:
                for name in ("login", "welcome"):
                    tab.page.goto(f"{site.url}/{name}")
                    _keep(tab, folder / f"{name}-{theme}.png")
            for who, pages in places.items():
                with site.opened(who, **size) as tab:
                    for name, path in pages.items():
                        _open(tab, name, path)
                        _keep(tab, folder / f"{name}-{theme}.png")


def _prepared(site: Site) -> dict[Person, dict[str, str]]:
    """People with the pages that they are shown on."""
    owner, reviewer = invited(site.boss, "anna"), invited(site.boss, "maria")
    patients, survey = (owner.made("/samples", which=which)["id"] for which in ("patients", "survey"))
    for project in (patients, survey):
        for job in owner.got(f"/projects/{project}/jobs"):
            owner.finished(job["id"])
    document = owner.got(f"/projects/{survey}/version")["document"]
    owner.made(f"/projects/{survey}/versions", document=document | QUICK, note="quick to measure and to search")
    owner.finished(owner.made(f"/projects/{survey}/evaluations", unmasked=True)["id"])
    owner.made(f"/projects/{survey}/searches", trials=30)  # it may go on while the pictures are taken
    owner.put(f"/projects/{patients}/members", json={"name": "maria", "role": "reviewer"}).raise_for_status()
    owner.finished(owner.made(f"/projects/{patients}/previews")["id"])
    owner.finished(owner.made(f"/projects/{patients}/evaluations")["id"])
    job = owner.finished(owner.made(f"/projects/{patients}/masked-files", name="public.csv")["id"])
    masked = job["result"]["masked_file_id"]
    review = owner.made(f"/projects/{patients}/reviews", masked_file_id=masked, statement="The paper's example.")["id"]
    reviewer.made(f"/projects/{patients}/reviews/{review}/approve")
    released = owner.finished(owner.made(f"/projects/{patients}/releases", review_id=review)["id"])
    release = released["result"]["release_id"]
    of_patients, of_survey = f"/projects/{patients}", f"/projects/{survey}"
    return {
        owner: {
            "projects": "/",
            "data": f"{of_survey}/data",
            "attributes": f"{of_survey}/attributes",
            "hierarchies": f"{of_survey}/attributes?tab=hierarchies",
            "rules": f"{of_survey}/attributes?tab=rules",
            "intruder": f"{of_survey}/attributes?tab=scenario",
            "risk": f"{of_survey}/attributes?tab=risk",
            "methods": f"{of_patients}/methods",
            "form": f"{of_patients}/methods",
            "wizard": f"{of_survey}/wizard",
            "result": f"{of_patients}/result",
            "distributions": f"{of_patients}/result?tab=pictures",
            "records": f"{of_patients}/result?tab=records",
            "compare": f"{of_patients}/result?tab=compare",
            "release": f"{of_patients}/release",
            "released": f"{of_patients}/releases/{release}",
            "account": "/account",
        },
        site.boss: {
            "administration": "/administration",
            "audit": "/administration?tab=audit",
            "system": "/administration?tab=system",
        },
    }


def _open(tab: Tab, name: str, path: str) -> None:
    tab.goto(path)
    if name == "form":
        tab.clicks("Edit step 1")
    tab.sees(SHOWN[name])


def _keep(tab: Tab, place: Path) -> None:
    from PIL import Image

    before, now = b"", tab.page.screenshot(path=str(place))
    while now != before:  # charts draw themselves
        tab.page.wait_for_timeout(300)
        before, now = now, tab.page.screenshot(path=str(place))
    picture: Any = Image.open(place).convert("RGB").quantize(128)
    picture.save(place, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, int(sys.argv[2]) if len(sys.argv) > 2 else WIDTH)
