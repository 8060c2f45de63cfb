"""Made results and their tables, and waiting for what a page comes to.

playwright's wait_for_function evaluates text, which the page's policy forbids.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page

from phonxling.configuration.reading import load_configuration
from phonxling.core.work import SERIAL, SilentProgress
from phonxling.experiment.pipeline import run
from phonxling.report.page import write_page
from phonxling.results.folder import read_manifest

Opener = Callable[..., Page]

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


def table(folder: Path, name: str, corpus: str = "") -> pd.DataFrame:
    """Return a table, or a corpus' rows of it, as a reader of the file has it: a column with an empty field is text."""
    rows = pd.read_csv(folder / f"{name}.tsv", sep="\t", dtype=str, keep_default_na=False, quoting=3)
    if corpus:
        rows = rows[rows["corpus"] == corpus].drop(columns="corpus").reset_index(drop=True)
    return rows.apply(_in_numbers)


def _in_numbers(column: "pd.Series[str]") -> pd.Series:
    try:
        return column if column.eq("").any() else pd.to_numeric(column)
    except ValueError:
        return column


def copied(results: Path, folder: Path, change: Callable[[str], str] = str) -> Path:
    """Return a copy of the stored tables, each changed, with a page of them."""
    for path in results.rglob("*"):
        if path.suffix in {".tsv", ".json"}:
            copy = folder / path.relative_to(results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def page_of(folder: Path) -> Path:
    """Return a page that is written anew of results."""
    return write_page(folder, read_manifest(folder))


def ran(folder: Path, configuration: Path) -> Path:
    """Return the results of an experiment."""
    run(load_configuration(configuration), folder / "results", SERIAL, SilentProgress())
    return folder / "results"
