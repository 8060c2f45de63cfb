"""The page on inputs by URL: its list of parameters is the one in use."""

import re
from pathlib import Path

from phonxling.load.remote import HARMLESS

PAGE = (Path(__file__).resolve().parent.parent / "docs/scale.md").read_text(encoding="utf-8")


def test_the_harmless_parameters_are_those_of_the_page() -> None:
    sentence = re.search(r"So are parameters other than (.*?)\.\s", PAGE, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", sentence[1].casefold())) == HARMLESS
