"""The page on formats: its examples load, and its table is right."""

import re
from pathlib import Path

import pytest
from support import symbols_by_utterance, write

from phonxling.load.formats import BUILT_IN, load_transcript

PAGE = (Path(__file__).resolve().parent.parent / "docs/formats.md").read_text(encoding="utf-8")
EXAMPLES = {name: text for name, text in re.findall(r"```([\w-]+)\n(.*?)```", PAGE, re.DOTALL) if name in BUILT_IN}


def test_every_format_has_an_example() -> None:
    assert set(EXAMPLES) == set(BUILT_IN) - {"parquet"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_loads(name: str, tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "u1.x", EXAMPLES[name]), name)
    assert symbols_by_utterance(read)["u1-1" if name == "cha" else "u1"] == ["k͡p", "a"]
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line)
    if read.start is None:
        assert row.split("|")[4].strip() in {"no", "when given"}
    else:
        assert row.split("|")[4].strip() in {"yes", "when given", "mostly"}
        assert read.end is not None
        assert (read.start[:2].tolist(), read.end[:2].tolist()) == ([0, 0.12], [0.12, 0.3])


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_table_names_endings_and_options(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line)
    for ending in BUILT_IN[name].endings:
        assert f"`{ending}`" in row.lower()
    assert set(re.findall(r"`(columns|tier)`", row)) == BUILT_IN[name].takes


def test_the_loader_of_another_package_loads(tmp_path: Path) -> None:
    scope: dict[str, object] = {}
    found = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    exec(compile(found[1], "formats.md", "exec"), scope)  # noqa: S102 - our own text
    load = scope["load"]
    assert callable(load)
    assert symbols_by_utterance(load(write(tmp_path / "x.dashed", "u1: a-b\n"), None)) == {"u1": ["a", "b"]}
