"""Every format through the command line, and what is wrong with a path as a user meets it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Command
from support import write

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
