"""Runs axe-core on a page in Chromium, light, dark and narrow, and lists what it finds.

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


def main(report: Path, axe: Path) -> int:
    """Print the violations of each setting; return 1 when one is serious."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found = [(setting, each) for setting in SETTINGS for each in violations(browser, report, axe, *setting)]
        browser.close()
    for (scheme, width), each in found:
        places = "; ".join(node["target"][0] for node in each["nodes"][:3])
        print(f"{scheme}, {width} pixels: {each['impact']}: {each['help']} ({len(each['nodes'])}: {places})")
    serious = sum(each["impact"] in {"serious", "critical"} for _, each in found)
    print(f"{len(SETTINGS)} settings, {len(found)} violations, {serious} of them serious")
    return int(serious > 0)


def violations(browser: Browser, report: Path, axe: Path, scheme: str, width: int) -> Iterator[dict]:
    """Yield axe's violations with a cell opened and the details unfolded."""
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(report.resolve().as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    page.locator("#matrix td").nth(1).click()
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.add_script_tag(path=axe)
    yield from page.evaluate(f"axe.run(document, {RULES})")["violations"]
    context.close()


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
