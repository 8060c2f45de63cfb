"""The page on costs: its example is a table, and its names are those of the configuration."""

import re
from fractions import Fraction
from pathlib import Path
from typing import get_args

from support import write

import phonxling as px
from phonxling.configuration.models import GivenName

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "costs.md").read_text(encoding="utf-8")


def test_the_example_is_a_table_of_costs(tmp_path: Path) -> None:
    found = re.search(r"```tsv\n(.*?)```", PAGE, re.DOTALL)
    costs = px.feature_costs(["a", "k͡p"], ["a", "ɑ"], write(tmp_path / "costs.tsv", found[1]))
    assert (costs.cost("a", "ɑ"), costs.cost("a", None), costs.cost(None, "a")) == (Fraction(1, 10), Fraction(1, 3), 1)


def test_every_name_has_a_row() -> None:
    assert [name for name in get_args(GivenName) if f"\n| `{name}` |" not in PAGE] == []
