"""Every format through the command line, and what is wrong with a path as a user meets it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from running import Command
from small_experiment import make_experiment
from support import write

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_corpora
from phonxling.experiment.pipeline import input_files

GOLD = {"u1": ["p", "a", "t"], "u2": ["b", "i"]}
HEARD = {"u1": ["p", "a"], "u2": ["p", "i"]}
Corpus = dict[str, list[str]]


def lines(path: Path, corpus: Corpus, form: str, head: str = "") -> Path:
    return write(path, head + "".join(form.format(name, " ".join(row)) for name, row in corpus.items()))


def spans(row: list[str], unit: int) -> list[tuple[int, int, str]]:
    return [(place * unit, (place + 1) * unit, phone) for place, phone in enumerate(row)]


def as_textgrid(folder: Path, corpus: Corpus) -> Path:
    for name, row in corpus.items():
        labels = " ".join(f'{start} {end} "{phone}"' for start, end, phone in spans(row, 1))
        tiers = f'2 "IntervalTier" "words" 0 9 1 0 9 "x" "IntervalTier" "phones" 0 9 {len(row)} {labels}'
        write(folder / f"{name}.TextGrid", f'"ooTextFile" "TextGrid" 0 9 <exists> {tiers}')
    return folder


SAVE: dict[str, Callable[[Path, Corpus], Path]] = {
    "tsv": lambda path, corpus: lines(path.with_suffix(".tsv"), corpus, "{0}\t{1}\n", "utterance\tphones\n"),
    "kaldi-text": lambda path, corpus: lines(path / "text", corpus, "{0} {1}\n"),
    "mlf": lambda path, corpus: write(
        path.with_suffix(".mlf"),
        "#!MLF!#\n" + "".join(f'"*/{name}.lab"\n' + "\n".join(row) + "\n.\n" for name, row in corpus.items()),
    ),
    "textgrid": as_textgrid,
}


@pytest.mark.parametrize("form", SAVE)
def test_every_format_gives_the_same_rates(form: str, tmp_path: Path, phonxling: Command) -> None:
    gold, heard = SAVE[form](tmp_path / "gold", GOLD), SAVE["tsv"](tmp_path / "heard", HEARD)
    tier = ["--tier", "phones;"] if form == "textgrid" else []
    found = phonxling("score", gold, heard, "--json", *tier)
    assert found.code == 0, found.stderr
    rates = json.loads(found.stdout)
    assert (rates["utterances"], rates["gold_tokens"]) == (2, 5)
    assert (rates["substitution_rate"], rates["deletion_rate"]) == (1 / 5, 1 / 5)
    assert rates["per"] == pytest.approx(0.4)


def test_chat_against_itself(tmp_path: Path, phonxling: Command) -> None:
    body = "*CHI:\tdog .\n%mod:\td ɔ ɡ\n%pho:\td ɔ\n"
    path = write(tmp_path / "anna.cha", f"@UTF8\n@Begin\n{body}@End\n")
    found = phonxling("score", path, path, "--tier", "mod;pho", "--json")
    assert found.code == 0, found.stderr
    rates = json.loads(found.stdout)
    assert (rates["gold_tokens"], rates["per"], rates["deletion_rate"]) == (3, 1 / 3, 1 / 3)


def to_textgrids(folder: Path) -> None:
    """Write an experiment's gold, a TSV of intervals, as TextGrids instead, silences as empty labels."""
    rows = [line.split("\t") for line in (folder / "gold.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    for name in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == name]
        labels = "\n".join(f'{start} {end} "{"" if phone == "sil" else phone}"' for _, start, end, phone in own)
        text = f'"ooTextFile" "TextGrid" 0 9 <exists> 1\n"IntervalTier" "phones" 0 9 {len(own)}\n{labels}\n'
        write(folder / "grids" / f"{name}.TextGrid", text)


def test_textgrids_are_the_segments_that_the_table_was(tmp_path: Path) -> None:
    config = make_experiment(tmp_path, utterances=4)
    first = load_corpora(load_configuration(config))
    for corpus in ("english", "yoruba"):
        to_textgrids(tmp_path / corpus)
        write(tmp_path / corpus / "grids/sound.wav", "RIFF")
    write(config, config.read_text(encoding="utf-8").replace("gold.tsv", "grids"))
    experiment = load_configuration(config)
    for before, after in zip(first, load_corpora(experiment), strict=True):
        assert after.segments.utterances == before.segments.utterances
        for name in ("codes", "offsets", "start", "end"):
            np.testing.assert_array_equal(getattr(after.segments, name), getattr(before.segments, name))
        assert [(row.action, row.count) for row in after.audits["gold"]] == [
            (row.action, row.count) for row in before.audits["gold"]
        ]  # an empty label is silence, and counted
    read = [file.relative_to(tmp_path).as_posix() for file in input_files(experiment)]
    assert "yoruba/grids/yoruba_00.TextGrid" in read
    assert "yoruba/grids/sound.wav" not in read
