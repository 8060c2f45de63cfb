"""docs/architecture.md: the files that it names exist, and the lines that it quotes stand in them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
STEPS = re.findall(r"  (phonxling/\S+\.py) +(\w+(?:, \w+)*)  ", PAGE)


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"(?:phonxling|tests|docs|scripts)/[\w./-]*\w", PAGE)
    assert len(named) > 40
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(("file", "lines"), QUOTED)
def test_lines_that_are_quoted_stand_in_their_file(file: str, lines: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines.splitlines() if line not in text] == []


def test_every_way_to_add_something_has_an_example_in_the_fewest_files() -> None:
    ways = re.split(r"^### … ", PAGE, flags=re.MULTILINE)[1:]
    assert {way.split("\n")[0]: way.count("\n```text ") for way in ways} == {
        **dict.fromkeys(["a measure of the confusions", "a column", "an analysis of all corpora together"], 2),
        **dict.fromkeys(["a figure", "a format of transcripts", "a chance model", "a setting"], 2),
        "an optional analysis": 4,
    }


def test_each_step_of_the_picture_is_defined_where_it_says() -> None:
    assert len(STEPS) == 12
    for file, names in STEPS:
        text = (ROOT / file).read_text(encoding="utf-8")
        for name in names.split(", "):
            assert re.search(rf"^(def {name}\(|{name}\b.* = )", text, re.MULTILINE), f"{file} has no {name}"


def test_every_folder_is_on_the_map() -> None:
    folders = {path.parent.name for path in (ROOT / "phonxling").glob("*/__init__.py")}
    assert folders == {path.split("/")[1] for path in re.findall(r"`(phonxling/\w+)`", PAGE)}
