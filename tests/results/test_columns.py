"""The declared tables and columns: whole, without doubles, and documented."""

import re
from pathlib import Path

from phonxling.analyses.measures import measures

ROOT = Path(__file__).resolve().parents[2]


def test_each_measure_stands_on_the_page_of_one_family() -> None:
    families = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "measures").glob("*.md"))
    named = " ".join(re.findall(r"<!-- generated: measures (.*) -->", families)).split()
    assert sorted(named) == sorted({one.name for one in measures()})
