"""A browser, and a server as its users start it: one process for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, Site, launched
from program import Program

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser, its socket and a server on a busy machine: what fails once is tried twice more."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; a page in it is a few milliseconds, starting it is a second."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium to open pages with")
    pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with an administrator; tests make their own people and projects in it."""
    with Program(tmp_path_factory.mktemp("site")) as program:
        yield Site(program, chromium, program.administrator())
