"""Alignments compared with gold ones: shares worked by hand, and the script from end to end."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from alignment_quality.agreement import evaluate_alignments, named_costs
from alignment_quality.cognate_steps import cognate_steps
from alignment_quality.psa import load_psa
from support import write
from typer.testing import CliRunner

from phonxling.cli import app
from phonxling.core.errors import ConfigurationError

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "evaluate_alignment.py"
Script = Callable[..., tuple[int, str, str]]
# Under unit costs with sclite's ties: pair 1 has two best alignments, of which the path is not the gold one; pair 2
# has one, the gold; pair 3 has one, another than the gold.
THREE = (
    "THREE\nties\nL\ta\t-\nR\ta\ta\n\nplain\nL\tk\ta\tt\nR\tk\ta\tt\n\nother\nL\tp\t-\to\nR\t-\tp\to\n"
)  # fmt: skip


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]) -> Script:
    """The script's exit code, standard output and standard error for some arguments."""
    spec = importlib.util.spec_from_file_location("evaluate_alignment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = module.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run


def test_shares_worked_by_hand(tmp_path: Path) -> None:
    found = evaluate_alignments([load_psa(write(tmp_path / "a.psa", THREE))], named_costs("unit"))
    (file,) = found.files
    assert (file.pairs, file.path, file.fractional) == (3, 1, Fraction(1, 2) + 1)
    assert found.without_features == {}


def test_gaps_that_are_late_are_part_of_what_is_best(tmp_path: Path) -> None:
    found = evaluate_alignments([load_psa(write(tmp_path / "a.psa", THREE))], named_costs("cognate"))
    assert (found.files[0].path, found.files[0].fractional) == (2, 2)


def test_neighbouring_gaps_in_another_order_are_the_same_alignment(tmp_path: Path) -> None:
    either = "N\nx\nL\tk\t-\ta\nR\tk\tk\t-\n\nx\nL\tk\ta\t-\nR\tk\t-\tk\n"
    found = evaluate_alignments([load_psa(write(tmp_path / "a.psa", either))], named_costs("cognate"))
    assert (found.files[0].path, found.files[0].fractional) == (2, 2)


def test_files_add_up_by_their_pairs(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.psa", THREE), write(tmp_path / "b.psa", "B\nx\nL\ta\nR\to\n")]
    whole = evaluate_alignments([load_psa(path) for path in files], named_costs("unit")).overall
    assert (whole.pairs, whole.path, whole.fractional) == (4, 2, Fraction(5, 2))
    with pytest.raises(ValueError, match="no file"):
        evaluate_alignments([], named_costs("unit"))


def test_symbols_without_features_are_counted_and_align(tmp_path: Path) -> None:
    text = "N\nx\nL\t℘\ta\t²¹\t_\nR\t℘\ta\t⁵⁵\t_\n"
    found = evaluate_alignments([load_psa(write(tmp_path / "a.psa", text))], named_costs("cognate"))
    assert found.without_features == {"℘": 2}
    assert found.files[0].path == 1


@pytest.mark.slow
def test_the_script_ends_with_the_line_of_all_files(tmp_path: Path) -> None:
    path = write(tmp_path / "a.psa", THREE.replace("k\ta\tt\n", "k\ta\t℘\n"))
    command = [sys.executable, str(SCRIPT), str(path), "--costs", "unit"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own script
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[-1] == "overall 3 pairs, path 33.33 %, fractional 50.00 %"
    assert "THREE" in found.stdout
    assert "1 symbol without features (tokens): ℘ (2)" in found.stdout


def test_the_script_takes_the_costs_for_cognates_by_default(tmp_path: Path, script: Script) -> None:
    code, out, err = script(write(tmp_path / "a.psa", THREE))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "overall 3 pairs, path 66.67 %, fractional 66.67 %"


def test_the_script_shows_each_step(tmp_path: Path, script: Script) -> None:
    code, out, _ = script(write(tmp_path / "a.psa", THREE), "--steps")
    assert code == 0
    assert all(name in out for name in cognate_steps())


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        ("N\nx\nL\ta\tb\nR\ta\n", (), 1, "a.psa:4: the row has 1 columns, but the row above it 2"),
        ("", (), 1, "a.psa:1: the file holds no aligned pair"),
        (THREE, ("--costs", "cognates"), 2, "no costs are called 'cognates'"),
        (THREE, ("--gap", "0.3"), 2, "the costs 'cognate' have their own deletion and insertion"),
    ],
)
def test_the_script_says_what_is_wrong_in_one_message(
    tmp_path: Path, script: Script, text: str, options: tuple[str, ...], code: int, message: str
) -> None:
    exit_code, out, err = script(write(tmp_path / "a.psa", text), *options)
    assert (exit_code, out) == (code, "")
    assert message in err


def test_the_example_of_the_documentation_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (SCRIPT.parent.parent / "docs" / "cognate.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    exec(compile(example, "cognate.md", "exec"), {})  # noqa: S102 - our own text
    assert capsys.readouterr().out.strip() == example.splitlines()[-1].removeprefix("# ")


def test_the_script_names_a_missing_file(tmp_path: Path, script: Script) -> None:
    code, _, err = script(tmp_path / "none.psa")
    assert code == 1
    assert err.startswith(f"{tmp_path / 'none.psa'}: cannot be read: no such file")


@pytest.mark.parametrize("option", ["--insertion=0.5", "--deletion=1"])
def test_gap_costs_of_ones_own_are_refused_by_name(tmp_path: Path, option: str) -> None:
    gold = write(tmp_path / "gold.tsv", "utterance\tphones\nu1\tt a\n")
    arguments = ["score", str(gold), str(gold), "--costs", "cognate", option]
    with pytest.raises(ConfigurationError, match=r"--(insertion|deletion): the costs cognate bring their own"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_score_aligns_with_the_costs_and_has_no_weighted_rate(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.tsv", "utterance\tphones\nu1\tt a p u k a\n")
    predicted = write(tmp_path / "predicted.tsv", "utterance\tphones\nu1\td o k e\n")
    arguments = ["score", str(gold), str(predicted), "--costs", "cognate"]
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert (found["substitution_rate"], found["deletion_rate"], found["wper"]) == (3 / 6, 2 / 6, None)
    assert "costs:cognate|" in found["signature"]
    assert "ties:late" in found["signature"]
    shown = CliRunner().invoke(app, [*arguments, "--show", "1"], catch_exceptions=False).output.splitlines()
    assert [line.split()[1:] for line in shown[1:3]] == [["t", "a", "p", "u", "k", "a"], ["d", "o", "∅", "∅", "k", "e"]]
