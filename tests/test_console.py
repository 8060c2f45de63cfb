"""Tables in the terminal: none is wider than it, and every letter of a name is shown."""

import pytest

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
