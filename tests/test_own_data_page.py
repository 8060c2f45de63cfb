"""Pages on `score`: each command prints what the page shows below it."""

import re
from pathlib import Path

import pytest
from documentation import prepare
from running import printed

from phonxling.analyses.measures import scored_measures

DOCS = Path(__file__).resolve().parent.parent / "docs"
SHOWN = re.compile(r"^```sh\n(phonxling score .*)\n```\n\n```text\n((?:.*\n)*?)```$", re.MULTILINE)


@pytest.mark.parametrize(("page", "number"), [("own_data", 1), ("other_tools", 3)])
def test_commands_print_what_stands_below_them(
    page: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(DOCS / f"{page}.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    found = SHOWN.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    assert len(found) == number
    for command, shown in found:  # a signature's version may differ
        assert without_version(printed(*command.split()[1:])) == without_version(shown)


def without_version(text: str) -> str:
    return re.sub(r"\|v:[^|]+", "", text.strip())


def test_the_table_has_every_row_that_can_be_shown() -> None:
    page = (DOCS / "own_data.md").read_text(encoding="utf-8")
    table = page[page.index("| row | what it is |") : page.index("`--json` prints")]
    names = re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `")))
    assert set(names) == {one.name for one in scored_measures()}
