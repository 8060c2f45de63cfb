"""px.run and px.check of data in memory: the tables and the page of the same data in files."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from running import Command
from support import speakers_file, transcript

import phonxling as px

GOLD = {f"u{number}": text for number, text in enumerate(["p a t a", "k a n i", "t u m i a", "s a k i"] * 3)}
HEARD = {name: text.replace("t", "d").replace("u m", "u n o") for name, text in GOLD.items()}
SPEAKERS = {name: f"s{number % 6}" for number, name in enumerate(GOLD)}
LABELS = ["p", "a", "d", "k", "n", "i", "u", "m", "s", "o"]
SMALL = {
    "information": {"permutations": 20},
    "chance": {"replicates": 2},
    "figures": {"kinds": ["rates"], "formats": ["svg"]},
}


def frames() -> dict[str, Any]:
    generator = np.random.default_rng(0)
    return {name: generator.dirichlet(np.ones(len(LABELS)), size=30) for name in GOLD}


def in_memory() -> dict[str, Any]:
    table = pd.DataFrame({"id": [*GOLD], "said": [*GOLD.values()]})
    return {
        "gold": {"data": table, "columns": {"phones": "said"}},
        "predicted": HEARD,
        "speakers": SPEAKERS,
        "posteriors": {"data": frames(), "labels": LABELS, "frame_shift": 0.01},
    }


def in_files(folder: Path) -> dict[str, Any]:
    transcript(folder / "gold.tsv", GOLD)
    transcript(folder / "predicted.tsv", HEARD)
    speakers_file(folder / "speakers.tsv", SPEAKERS)
    np.savez(folder / "posteriors.npz", phones=np.array(LABELS), frame_shift_s=0.01, **frames())
    files = ("gold.tsv", "predicted.tsv", "speakers.tsv", "posteriors.npz")
    return {file.partition(".")[0]: str(folder / file) for file in files}


@pytest.mark.slow
def test_tables_and_page_are_those_of_the_same_data_in_files(tmp_path: Path, phonxling: Command) -> None:
    def run(name: str, corpus: dict[str, Any]) -> tuple[px.Results, list[str]]:
        said: list[str] = []
        config = {"corpora": {"yoruba": corpus}, **SMALL}
        return px.run(config, tmp_path / name, messages=said.append), said

    held, _ = run("held", in_memory())
    files, _ = run("files", in_files(tmp_path))
    assert held.tables == files.tables
    for name in held.tables:
        pd.testing.assert_frame_equal(held.table(name), files.table(name))
    assert (held.folder / "report.html").is_file()
    inputs = {f"corpora.yoruba.{name} (in memory)" for name in ("gold", "predicted", "speakers", "posteriors")}
    assert {*held.manifest["inputs"]} == inputs
    told = phonxling("verify", str(held.folder), "--recompute").stdout
    assert "4 inputs were in memory and cannot be read again" in told
    _, again = run("held", in_memory())
    assert any("nothing is computed or drawn again" in message for message in again)
    changed, _ = run("held", {**in_memory(), "predicted": {**HEARD, "u0": "p a"}})
    assert changed["yoruba"]["per"] != files["yoruba"]["per"]


def test_lists_are_checked_and_named_by_their_corpus() -> None:
    (note,) = px.check({"corpora": {"two": {"gold": [*GOLD.values()], "predicted": [*HEARD.values()]}}})
    assert (note.corpus, note.kind) == ("two", "note")
    (note,) = px.check({"corpora": {"two": {"gold": ["p a", "t %"], "predicted": ["p a", "t"]}}})
    assert (note.corpus, note.kind, note.text.startswith("gold: 1 of 4 symbols is not known")) == ("two", "error", True)
    (note,) = px.check({"corpora": {"two": {"gold": ["p a", "t"], "predicted": {"u1": "p a"}}}})
    assert "gold has no ids and predicted has" in note.text
    speakers = {"data": SPEAKERS, "groups": ["l1"]}
    with pytest.raises(px.ConfigurationError, match="speakers: groups cannot be given for data in memory"):
        px.run({"corpora": {"two": {"gold": GOLD, "predicted": HEARD, "speakers": speakers}}})
    without = {"gold": GOLD, "posteriors": {"data": frames(), "frame_shift": 0.01}}
    with pytest.raises(px.ConfigurationError, match="posteriors: labels is needed for posteriors in memory"):
        px.run({"corpora": {"two": without}})
