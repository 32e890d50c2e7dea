"""Take pictures of every page, light and dark, into docs/pages/web; `make screenshots` calls it."""

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
HEIGHT = 820


def main() -> None:
    """Two projects that went all the way, and a picture of each page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Program(Path(folder)) as program, launched() as browser:
        site = Site(program, browser, program.administrator())
        places = _prepared(site)
        for theme in THEMES:
            with site.opened(color_scheme=theme) as tab:
                tab.page.goto(f"{site.url}/login")
                _keep(tab, "login", theme)
            for who, pages in places.items():
                with site.opened(who, color_scheme=theme, viewport={"width": 1280, "height": HEIGHT}) as tab:
                    for name, path in pages.items():
                        _taken(tab, name, path, theme)


def _prepared(site: Site) -> dict[Person, dict[str, str]]:
    """People with the pages that they are shown on."""
    owner, reviewer = invited(site.boss, "anna"), invited(site.boss, "maria")
    patients, survey = (owner.made("/samples", which=which)["id"] for which in ("patients", "survey"))
    for project in (patients, survey):
        _wait(owner, project)
        owner.finished(owner.made(f"/projects/{project}/evaluations", unmasked=True)["id"])
    owner.put(f"/projects/{patients}/members", json={"name": "maria", "role": "reviewer"}).raise_for_status()
    owner.finished(owner.made(f"/projects/{patients}/evaluations")["id"])
    job = owner.finished(owner.made(f"/projects/{patients}/masked-files", name="public.csv")["id"])
    masked = job["result"]["masked_file_id"]
    review = owner.made(f"/projects/{patients}/reviews", masked_file_id=masked, statement="The paper's example.")["id"]
    reviewer.made(f"/projects/{patients}/reviews/{review}/approve")
    released = owner.finished(owner.made(f"/projects/{patients}/releases", review_id=review)["id"])
    release = released["result"]["release_id"]
    owner.made(f"/projects/{survey}/searches", trials=200)  # it goes on while the pictures are taken
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
            "wizard": f"{of_survey}/wizard",
            "result": f"{of_patients}/result",
            "release": f"{of_patients}/release",
            "released": f"{of_patients}/releases/{release}",
            "account": "/account",
        },
        site.boss: {"administration": "/administration"},
    }


def _wait(owner: Person, project: str) -> None:
    for job in owner.got(f"/projects/{project}/jobs"):
        owner.finished(job["id"])


def _taken(tab: Tab, name: str, path: str, theme: str) -> None:
    tab.goto(path)
    tab.page.wait_for_timeout(1000)  # charts draw themselves
    _keep(tab, name, theme)


def _keep(tab: Tab, name: str, theme: str) -> None:
    from PIL import Image

    place = FOLDER / f"{name}-{theme}.png"
    tab.page.screenshot(path=str(place))
    picture: Any = Image.open(place).convert("RGB").quantize(64)
    picture.save(place, optimize=True)


if __name__ == "__main__":
    main()
