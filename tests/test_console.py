"""Tables in the terminal: none is wider than it, and every letter of a name is shown."""

import pytest

from phonxling import console
from phonxling.console import Bar, _table


@pytest.mark.parametrize("name", ["x" * 3000, "of the north " * 230, "עברית" * 600, "a\u0301\u0323" * 1000])
def test_a_name_without_end_goes_on_in_the_next_line(name: str) -> None:
    lines = _table(["corpus", "wPER", "PER"], [[name, *["0.2756 [0.2313, 0.3283]"] * 2]]).splitlines()
    shown = "".join(line.split("│")[1].strip() for line in lines if line.startswith("│"))
    assert shown.replace(" ", "") == name.replace(" ", "")
    assert "0.2756 [0.2313, 0.3283]" in lines[3]


def test_a_pipe_gets_no_bar_even_where_colour_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Bar(quiet=False) as bar:
        bar.step("aligning")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("width", "names"), [(160, [True, True, True]), (80, [True, True, False]), (40, [True, False, False])]
)
def test_a_narrow_terminal_keeps_the_headline_and_then_what_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch, width: int, names: list[bool]
) -> None:
    """wPER comes before skill, PER and the rest; numbers lose their limits before they lose their place."""
    monkeypatch.setattr(console, "_columns", lambda: width)
    columns = {
        name: [name, "0.163 [0.147, 0.180]"]
        for name in ("wper", "chance_wper", "skill_wper", "per", "conditional_entropy")
    }
    shown = console._choose_columns(["corpus", "yoruba"], columns)
    heads = [column[0] for column in shown]
    assert heads == [name for name in columns if name in heads]
    assert ["wper" in heads, "skill_wper" in heads, "conditional_entropy" in heads] == names
    assert shown[0][1] == "0.163 [0.147, 0.180]"
    assert sum(max(map(len, column)) + 3 for column in shown) <= width - 10
