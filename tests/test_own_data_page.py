"""The page on `score`: its command prints what the page shows."""

import re
from pathlib import Path

import pytest
from running import printed

from phonxling.analyses.measures import scored

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/own_data.md").read_text(encoding="utf-8")


def test_the_command_prints_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ((command, shown),) = re.findall(r"```sh\n(phonxling score data/.*?)```\n+```text\n(.*?)```", PAGE, re.DOTALL)
    assert printed(*command.split()[1:]).rsplit("|v:", 1)[0] == shown.rsplit("|v:", 1)[0]  # but for the version


def test_the_table_has_every_row_that_can_be_shown() -> None:
    table = PAGE[PAGE.index("| row | what it is |") : PAGE.index("`--json` prints")]
    names = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `")))
    assert set(names) == {one.name for one in scored()}
