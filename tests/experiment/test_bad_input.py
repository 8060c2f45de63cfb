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


def matrices(change_of: Callable[[np.ndarray], np.ndarray], *numbers: int) -> Change:
    """Change the posteriors of utterances."""

    def change(folder: Path) -> None:
        path = folder / "yoruba/posteriors.npz"
        arrays = dict(np.load(path))
        names = [f"yoruba_{number:02d}" for number in numbers]
        np.savez_compressed(path, **{**arrays, **{name: change_of(arrays[name]) for name in names}})

    return change


CASES: dict[str, tuple[Change, list[str]]] = {
    "unknown symbols": (
        rewrite("yoruba/gold.tsv", "k͡p", "kXp"),
        ["gold.tsv (gold): 1 of 8 symbols is not known", "kXp", "unknown: drop"],
    ),
    "a misspelt folder": (
        rewrite("small.yaml", "yoruba/", "yorubaa/"),
        ["files are not there:", "gold.tsv: cannot", "predicted.tsv: cannot", "did you mean yoruba?"],
    ),
    "posteriors that end too early": (
        matrices(lambda values: values[:-55], 5),
        ["utterance 'yoruba_05': intervals run to", "frame_shift and frame_offset"],
    ),
    "bad frames in many utterances": (
        matrices(lambda values: 2 * values, *range(0, 24, 2)),
        ["12 utterances cannot be used:", "'yoruba_00', frame 0 does not sum to 1", "and 11 more alike"],
    ),
}


def written(folder: Path) -> list[Path]:
    """Return what a run left but for finished steps of other corpora, which the next run need not do again."""
    results = (folder / "results").rglob("*")
    return [path for path in results if path.is_file() and ".phonxling" not in path.parts]


@pytest.mark.parametrize("case", CASES)
def test_one_clear_message_and_nothing_written(case: str, phonxling: Command, tmp_path: Path) -> None:
    change, texts = CASES[case]
    make_experiment(tmp_path)
    change(tmp_path)
    found = phonxling("run", "small.yaml")
    assert (found.code, found.stdout) == (1, "")
    assert found.stderr.count("error: ") == 1
    assert "Traceback" not in found.stderr
    for text in texts:
        assert text in found.stderr
    assert not written(tmp_path)


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
    found = phonxling("check", "small.yaml", "--verbose")
    assert found.code == 0
    assert "gold silence: sil→– 48" in found.stdout
    assert "AA→ɑ" in found.stdout
    assert found.stdout.splitlines()[-1] == "no problems found"
    assert not written(tmp_path)


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
