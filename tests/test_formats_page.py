"""The page on formats: its examples load, and its table is right."""

import re
from pathlib import Path

import numpy as np
import pytest
from documentation import ROOT, blocks, run_python
from support import symbols_by_utterance, write

from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.load.formats import BUILT_IN, load_transcript
from phonxling.load.posteriors import FORMATS, format_names

PATH = ROOT / "docs/formats.md"
PAGE = PATH.read_text(encoding="utf-8")
EXAMPLES = {name: text for name, text in re.findall(r"```([\w-]+)\n(.*?)```", PAGE, re.DOTALL) if name in BUILT_IN}


def test_every_format_has_an_example() -> None:
    assert set(EXAMPLES) == set(BUILT_IN) - {"parquet", "arrow"}


def row_of(name: str) -> str:
    """Return the line of a format in the table."""
    return next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_loads(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "u1.x", EXAMPLES[name])
    read = load_transcript(path, name, side="gold")
    assert symbols_by_utterance(read)[{"cha": "u1-1", "lines": "1-of-2"}.get(name, "u1")] == ["k͡p", "a"]
    row = row_of(name)
    if read.start is None:
        assert row.split("|")[4].strip() in {"no", "when given"}
    else:
        assert row.split("|")[4].strip() in {"yes", "when given", "mostly"}
        assert (read.start[:2].tolist(), read.end[:2].tolist()) == ([0, 0.12], [0.12, 0.3])


def test_the_table_names_endings_and_options() -> None:
    for name, form in BUILT_IN.items():
        row = row_of(name)
        assert ("often" in row.split("|")[2]) == form.shared
        assert [ending for ending in form.endings if f"`{ending}`" not in row.lower()] == []
        assert set(re.findall(r"`(columns|tier|where)`", row)) == form.takes


def test_the_posteriors_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    (example,) = (block for block in blocks(PATH) if block.language == "python")
    run_python(example, scope)
    for name, rows in (("first", [[0.1, 0.9], [0.8, 0.2]]), ("second", [[0.05, 0.45], [0.7, 0.2]])):
        found = scope[name]
        assert isinstance(found, Posteriorgrams)
        assert (found.utterances, found.inventory.phones, found.frame_shift) == (("u1",), ("a", "k͡p"), 0.01)
        np.testing.assert_allclose(found.frames("u1"), rows, rtol=1e-6)


def test_the_table_names_every_format_of_posteriors_and_its_endings() -> None:
    table = PAGE[PAGE.index("## Posteriors") : PAGE.index("All but npz")]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    named = {name: re.findall(r"`(.+?)`", row[2]) for row in rows for name in re.findall(r"`(.+?)`", row[1])}
    assert set(named) == set(format_names())
    known = {(form, ending) for ending, form in FORMATS.items()} | {("npy-directory", ".npy")}
    assert {(form, ending) for form, endings in named.items() for ending in endings} == known
