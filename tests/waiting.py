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
