"""Bad input as a user meets it: one clear message, the right exit code, no traceback, nothing written."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from running import Command
from small_experiment import make_experiment

Change = Callable[[Path], None]


def rewrite(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def counterparts(folder: Path) -> None:
    (folder / "same.tsv").write_text("target\treference\nk͡p\tp\na\tœ\n", encoding="utf-8")
    rewrite("small.yaml", "information:", "expected:    {common: same.tsv}\ninformation:")(folder)


def matrices(change_of: Callable[[np.ndarray], np.ndarray], *numbers: int) -> Change:
    """Change the posteriors of utterances."""

    def change(folder: Path) -> None:
        path = folder / "yoruba/posteriors.npz"
        arrays = dict(np.load(path))
        names = [f"yoruba_{number:02d}" for number in numbers]
        np.savez_compressed(path, **{**arrays, **{name: change_of(arrays[name]) for name in names}})

    return change


CASES: dict[str, tuple[Change, int, list[str]]] = {
    "counterparts that the reference lacks": (
        counterparts,
        1,
        ["corpus yoruba: phones that the reference language never has as gold:", "same.tsv:3: 'œ'"],
    ),
    "unknown symbols": (
        rewrite("yoruba/gold.tsv", "k͡p", "kXp"),
        1,
        ["gold.tsv (gold): 1 of 8 symbols is not known", "kXp", "times, first at", "unknown: drop leaves"],
    ),
    "posteriors of another width": (
        matrices(lambda values: values[:, :5], 5),
        1,
        ["utterance 'yoruba_05' has the shape (", "expected [frames, 8], one column per label"],
    ),
    "posteriors that end too early": (
        matrices(lambda values: values[:-55], 5),
        1,
        ["utterance 'yoruba_05': intervals run to", "are frame_shift and frame_offset right?"],
    ),
    "bad frames in many utterances": (
        matrices(lambda values: 2 * values, *range(0, 24, 2)),
        1,
        [
            "12 utterances cannot be used:",
            "'yoruba_00', frame 0 does not sum to 1",
            "more such frames there",
            "… and 11 more alike: 'yoruba_02' 'yoruba_04' 'yoruba_06' 'yoruba_08' 'yoruba_10' …",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_and_nothing_written(case: str, phonxling: Command, tmp_path: Path) -> None:
    change, code, texts = CASES[case]
    make_experiment(tmp_path)
    change(tmp_path)
    found = phonxling("run", "small.yaml")
    assert found.code == code, found.stderr
    assert found.stderr.startswith(("error: ", "english, yoruba: 48 of 240 gold symbols (sil)"))
    assert found.stderr.count("error: ") == 1
    assert "Traceback" not in found.stderr
    for text in texts:
        assert text in found.stderr
    assert found.stdout == ""
    left = [path for path in (tmp_path / "results").rglob("*") if path.is_file() and ".phonxling" not in path.parts]
    assert not left  # but for finished steps of other corpora, which the next run need not do again


def short_phones(folder: Path, phones: str = "b") -> None:
    """Make some phones of the target 4 ms long, so that no centre of a frame falls into them."""
    path = folder / "yoruba/gold.tsv"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row[-1] in phones.split():
            row[2] = f"{float(row[1]) + 0.004:.4f}"
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")


def test_phones_without_a_frame_are_reported_and_refused_where_they_are_most(
    phonxling: Command, tmp_path: Path
) -> None:
    make_experiment(tmp_path)
    short_phones(tmp_path)
    reported = phonxling("check", "small.yaml")
    assert reported.code == 0
    assert "note: yoruba: gold tokens that hold the centre of no frame: b " in reported.stdout
    short_phones(tmp_path, "b t a i s")
    refused = phonxling("check", "small.yaml")
    assert refused.code == 1
    assert "of 192 gold tokens hold the centre of no frame (first in utterance 'yoruba_0" in refused.stderr
    assert phonxling("check", "small.yaml", "--set", "pairing.check_posteriors=false").code == 0


def test_check_of_good_data_says_what_became_of_the_symbols(phonxling: Command, tmp_path: Path) -> None:
    make_experiment(tmp_path)
    short = phonxling("check", "small.yaml")
    assert short.code == 0
    lines = short.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["english (reference)", "yoruba (target)"]
    silence = "48 of 240 gold symbols (sil) and 48 of 240 predicted symbols (SIL) are left out as silence"
    assert lines[2] == f"note: english, yoruba: {silence}; symbols: {{silence: keep}} counts them"
    assert lines[3:] == ["no problems found"]
    kept = phonxling("check", "small.yaml", "--set", "symbols.silence=keep")
    assert "silence" not in kept.stdout
    found = phonxling("check", "small.yaml", "--verbose")
    assert found.code == 0
    assert "gold silence: sil→– 48" in found.stdout
    assert "AA→ɑ" in found.stdout
    left = [path for path in (tmp_path / "results").rglob("*") if path.is_file() and ".phonxling" not in path.parts]
    assert not left  # but for finished steps of other corpora, which the next run need not do again


@pytest.mark.parametrize("arguments", [["run"], ["score", "a"], ["run", "x.yaml", "--workers", "0"], ["nothing"]])
def test_wrong_usage_has_its_exit_code(arguments: list[str], phonxling: Command) -> None:
    found = phonxling(*arguments)
    assert found.code == 2
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("command", ["check", "run"])
def test_an_utterance_too_long_to_align_is_refused_before_anything_is_computed(
    command: str, phonxling: Command, tmp_path: Path
) -> None:
    for name, phone in (("gold", "a "), ("predicted", "k ")):
        (tmp_path / f"{name}.tsv").write_text(f"utterance\tphones\nu1\t{phone * 110_000}\n", encoding="utf-8")
    files = "".join(f"    {name}: {{path: {name}.tsv, symbols: ipa}}\n" for name in ("gold", "predicted"))
    (tmp_path / "long.yaml").write_text(f"name: long\nseed: 1\ncorpora:\n  x:\n{files}", encoding="utf-8")
    found = phonxling(command, "long.yaml")
    assert found.code == 1
    assert "corpus x: utterance 'u1' is too long to align: 110,000 gold and 110,000 predicted phones" in found.stderr
    assert not (tmp_path / "results").exists()
