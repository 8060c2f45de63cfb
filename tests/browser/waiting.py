"""Waiting for what a page comes to: playwright's wait_for_function evaluates text, which the page's policy forbids."""

import time

from playwright.sync_api import Page

_LONGEST = 20.0  # seconds


def wait_until(page: Page, expression: str, given: object = None) -> None:
    """Wait until an expression of JavaScript is true in a page, an error after 20 seconds."""
    until = time.monotonic() + _LONGEST
    while not page.evaluate(expression, given):
        if time.monotonic() > until:
            raise TimeoutError(f"not true after {_LONGEST:.0f} s: {expression}")
        page.wait_for_timeout(50)


def settle(page: Page) -> None:
    """Wait until a page shows what its address holds, and two frames more."""
    page.wait_for_selector("html[data-ready=yes]")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def at(page: Page, address: str) -> None:
    """Go to an address of a page, and wait until it is shown."""
    page.evaluate(
        """address => new Promise(done => {
            const before = location.hash;
            addEventListener("hashchange", done, { once: true });
            location.hash = address;
            if (location.hash === before) done();
        })""",
        address,
    )
    settle(page)
