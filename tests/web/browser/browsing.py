"""People in a browser: each has a context of their own, and every page is watched for errors."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from program import Program
from served import PASSWORD, Person, invited

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 90_000
"""Milliseconds: the machine may be busy with other tests."""
_numbers = count(1)


@contextmanager
def launched() -> Iterator[Any]:
    """Chromium; LookupError where there is none."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        raise LookupError("there is no chromium to open pages with")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@dataclass
class Site:
    """The server, and the browser that opens it."""

    program: Program
    browser: Any
    boss: Person | None = None
    people: list[Person] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.program.api.removesuffix("/api/v1")

    def person(self, name: str = "") -> Person:
        """Somebody new, signed in at the API."""
        assert self.boss is not None
        return invited(self.boss, name or f"person{next(_numbers)}")

    @contextmanager
    def opened(self, person: Person | None = None, **options: Any) -> Iterator["Tab"]:
        """A tab in a browser of one's own, with the session of a person."""
        given = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
        context = self.browser.new_context(**given)
        context.set_default_timeout(PATIENCE)
        if person is not None:
            cookie = {"name": "ammg_session", "value": person.cookies["ammg_session"], "url": self.url}
            context.add_cookies([{**cookie, "httpOnly": True, "sameSite": "Strict"}])
        tab = Tab(self, context.new_page())
        try:
            yield tab
        except BaseException:
            tab.explain()
            raise
        finally:
            context.close()


class Tab:
    """One page, with everything that went wrong in it."""

    def __init__(self, site: Site, page: Any) -> None:
        self.site, self.page = site, page
        self.errors: list[str] = []
        self.foreign: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.site.url, "data:", "blob:", self.site.url.replace("http", "ws", 1))):
            self.foreign.append(request.url)

    def goto(self, path: str) -> int:
        """Open a page and wait until its socket is there; returns the status."""
        answer = self.page.goto(f"{self.site.url}{path}")
        self.ready()
        return int(answer.status)

    def ready(self) -> None:
        """Wait until events reach the server."""
        self.page.wait_for_function("window.did_handshake === true")

    def other(self) -> "Tab":
        """Another tab of the same person."""
        return Tab(self.site, self.page.context.new_page())

    def sees(self, text: str) -> None:
        """Wait until a text is visible."""
        self.page.get_by_text(text).first.wait_for(state="visible")

    def clicks(self, name: str) -> None:
        """Press a button by its name."""
        self.page.get_by_role("button", name=name).first.click()

    def fills(self, label: str, value: str) -> None:
        """Type into a field by its label."""
        self.page.get_by_label(label).first.fill(value)

    def explain(self) -> None:
        """What a failing test needs to know: address, errors, text, and a picture."""
        place = Path(tempfile.gettempdir()) / "ammg-browser-failure.png"
        self.page.screenshot(path=place, full_page=True)
        text = self.page.inner_text("body")[:2000]
        print(f"{self.page.url}\n{self.errors}\n{place}\n{text}")  # noqa: T201

    def screenshot(self, path: str) -> None:
        self.page.screenshot(path=path)


# Colours and dialogs fade in; axe would see them half way.
_CALM = """async () => {
  for (let calm = 0; calm < 6; calm++) {
    await new Promise(requestAnimationFrame);
    if (document.getAnimations().some(one => one instanceof CSSTransition)) calm = 0;
  }
}"""


# axe loses count of what lies behind a dialog: it looks at one that stands in the flow of the page.
_FLAT = """is_flat => {
  const styles = [[".q-dialog__backdrop", "display: none"], [".q-dialog, .q-dialog__inner", "position: static"]];
  for (const [found, style] of styles)
    for (const one of document.querySelectorAll(found)) one.style.cssText = is_flat ? style : "";
}"""


def serious(tab: Tab, within: str | None = None, *, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds serious or critical, one line each: on the page, or within an element such as a dialog."""
    from axe_playwright_python.sync_playwright import Axe

    tab.page.evaluate(_CALM)
    tab.page.evaluate(_FLAT, True)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = Axe().run(tab.page, within, options=options).response["violations"]
    tab.page.evaluate(_FLAT, False)
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


# Pages without a session have no framework, and follow the system by their style sheet alone.
_IS_DARK = "!document.body.className.includes('body--') || document.body.classList.contains('body--dark')"


def serious_in_both(tab: Tab, within: str | None = None) -> list[str]:
    """The same in light and in dark; the themes differ in nothing but their colours."""
    light = serious(tab, within)
    tab.page.emulate_media(color_scheme="dark")
    tab.page.wait_for_function(_IS_DARK)
    dark = serious(tab, within, rules=("color-contrast",))
    tab.page.emulate_media(color_scheme="light")
    return [*light, *(f"dark: {one}" for one in dark)]


__all__ = ["PASSWORD", "Site", "Tab", "serious", "serious_in_both"]
