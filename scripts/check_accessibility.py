"""Runs axe-core on a page in Chromium, light, dark and narrow, in each of its states, and lists what it finds.

Usage: python scripts/check_accessibility.py REPORT.html AXE.min.js   (scripts/check_accessibility.sh fetches axe-core)
Exit code 1 when a violation is serious or critical.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SETTINGS = (("light", 1200), ("dark", 1200), ("light", 360))
RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"


# What is clicked before axe runs, where the page has it; "" is the page as it opens.
STATES = {
    "as it opens": "",
    "a confusion": ".card .chip",
    "errors": ".card a[href*=errors]",
    "a cell": "#matrix td:nth-of-type(2)",
    "a phone": "#phone-chart a",
    "an unknown address": "#unknown",
    "unfolded": "summary",
}


def main(report: Path, axe: Path) -> int:
    """Print the violations of each state in each setting; return 1 when one is serious."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = [
            ((*setting, state), each)
            for setting in SETTINGS
            for state in STATES
            for each in violations(browser, report, axe, *setting, state)
        ]
        browser.close()
    for (scheme, width, state), each in found:
        places = "; ".join(node["target"][0] for node in each["nodes"][:3])
        print(f"{scheme}, {width} pixels, {state}: {each['impact']}: {each['help']} ({len(each['nodes'])}: {places})")
    serious = sum(each["impact"] in {"serious", "critical"} for _, each in found)
    print(f"{len(SETTINGS)} settings, {len(STATES)} states, {len(found)} violations, {serious} of them serious")
    return int(serious > 0)


def violations(browser: Browser, report: Path, axe: Path, scheme: str, width: int, state: str) -> Iterator[dict]:
    """Yield axe's violations in a state; nothing where the page has no such state."""
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(report.resolve().as_uri() + "#corpus=unknown" * (state == "an unknown address"))
    page.wait_for_selector("html[data-ready=yes]")
    chosen = page.locator(STATES[state] or "body").first
    if not chosen.count() or not chosen.is_visible():
        context.close()
        return
    if state == "unfolded":
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    elif state not in {"as it opens", "an unknown address"}:
        chosen.click()
    page.wait_for_timeout(300)
    page.add_script_tag(path=axe)
    yield from page.evaluate(f"axe.run(document, {RULES})")["violations"]
    context.close()


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
