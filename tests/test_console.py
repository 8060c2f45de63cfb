"""Tables in the terminal: none is wider than it, and every letter of a name is shown."""

import pytest

from phonxling import console
from phonxling.console import _table


@pytest.mark.parametrize("name", ["x" * 3000, "of the north " * 230, "עברית" * 600])
def test_a_name_without_end_goes_on_in_the_next_line(name: str) -> None:
    lines = _table(["corpus", "wPER", "PER"], [[name, *["0.2756 [0.2313, 0.3283]"] * 2]]).splitlines()
    shown = "".join(line.split("│")[1].strip() for line in lines if line.startswith("│"))
    assert shown.replace(" ", "") == name.replace(" ", "")
    assert "0.2756 [0.2313, 0.3283]" in lines[3]


@pytest.mark.parametrize(
    ("width", "names"), [(160, [True, True, True]), (80, [True, True, False]), (40, [True, False, False])]
)
def test_a_narrow_terminal_keeps_the_headline_and_then_what_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch, width: int, names: list[bool]
) -> None:
    """wPER comes before skill, PER and the rest; numbers lose their limits before they lose their place."""
    monkeypatch.setattr(console, "_columns", lambda: width)
    every = ("wper", "chance_wper", "skill_wper", "per", "conditional_entropy")
    shown = console._choose_columns(["corpus", "yoruba"], {name: [name, "0.163 [0.147, 0.180]"] for name in every})
    heads = [column[0] for column in shown]
    assert heads == [name for name in every if name in heads]
    assert [name in heads for name in ("wper", "skill_wper", "conditional_entropy")] == names
    assert shown[0][1] == "0.163 [0.147, 0.180]"
    assert sum(max(map(len, column)) + 3 for column in shown) <= width - 10
