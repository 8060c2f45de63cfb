"""A page of a small experiment in real Chromium; every test fails on a console error or a request elsewhere."""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

QUIET = (
    "--no-sandbox",  # Chromium refuses its sandbox to root
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def results(small_run: Path) -> Path:
    """Return the folder of a small experiment's results."""
    return small_run / "results"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.fail("no chromium: install it, or name it in CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield opened
        opened.close()


class Opener:
    """Opens pages, and keeps what they complain of."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._contexts: list[BrowserContext] = []

    def __call__(self, path: Path, at: str = "", **options: object) -> Page:
        context = self._browser.new_context(**options)  # type: ignore[arg-type]
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri() + at)
        page.wait_for_selector("html[data-ready=yes]", timeout=20_000)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _told(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    opener = Opener(browser)
    yield opener
    opener.close()
    assert opener.complaints == []
    assert [url for url in opener.requests if not url.startswith(("file:", "blob:"))] == []


@pytest.fixture
def report(results: Path, open_page: Opener) -> Callable[..., Page]:
    """Open the page of the small experiment, at an address."""
    return partial(open_page, results / "report.html")
