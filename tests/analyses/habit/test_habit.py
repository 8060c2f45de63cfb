"""Habit in the results: only where the section is there, and refused where there is no reference."""

from pathlib import Path

import numpy as np
import pytest
from running import Tables, all_numbers, tables_of
from simulations.habit import World, simulated

from phonxling.core.sequences import PhoneSequences

TABLES = {"yoruba/habit.tsv", "yoruba/habit_contexts.tsv", "yoruba/epenthesis.tsv"}
CONFIGURATION = """\
corpora:
  english: {role: reference, recogniser: toy, gold: {path: english.tsv}, predicted: {path: english.tsv}}
  yoruba:
    recogniser: toy
    gold: {path: gold.tsv}
    predicted: {path: predicted.tsv}
    speakers: {path: speakers.tsv}
chance: {replicates: 1}
uncertainty: {resamples: 40}
"""


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("habit")
    corpus, reference, _ = simulated(World(rate=0.4, tokens=3_000, broken=0.1), np.random.default_rng(1))
    write(folder / "english.tsv", reference)
    write(folder / "gold.tsv", corpus.gold)
    write(folder / "predicted.tsv", corpus.predicted)
    speakers = zip(corpus.utterances, corpus.speakers or (), strict=True)
    lines = [f"{utterance}\t{speaker}" for utterance, speaker in speakers]
    (folder / "speakers.tsv").write_text("\n".join(["utterance\tspeaker", *lines]), encoding="utf-8")
    path = folder / "habit.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def write(path: Path, phones: PhoneSequences) -> None:
    lines = [f"{name}\t{' '.join(phones.phones_of(place))}" for place, name in enumerate(phones.utterances)]
    path.write_text("\n".join(["utterance\tphones", *lines]), encoding="utf-8")


def rows_of(tables: Tables) -> dict[tuple[str, str], dict[str, object]]:
    numbers = all_numbers(tables)
    chosen = numbers[numbers["measure"].str.startswith(("habit", "epenthesis"))]
    return {(row["measure"], row["variant"]): row for row in chosen.to_dict("records")}


def test_without_its_section_nothing_of_it_is_computed(configuration: Path) -> None:
    tables = tables_of(configuration)
    assert not rows_of(tables)
    assert not TABLES & tables.keys()


def test_the_target_alone_has_numbers_and_tables(configuration: Path) -> None:
    tables = tables_of(configuration, "habit={}")
    assert tables.keys() >= TABLES
    assert not {name.replace("yoruba", "english") for name in TABLES} & tables.keys()
    rows = rows_of(tables)
    assert {row["corpus"] for row in rows.values()} == {"yoruba"}
    share = rows["habit_share", "gold"]
    assert 0.1 < share["low"] < share["value"] < share["high"] < 0.7  # type: ignore[operator]
    assert rows["habit_share_null", "gold"]["value"] == 0
    assert rows["epenthesis_rate", "elsewhere"]["n"] > 0  # type: ignore[operator]
    errors = tables["yoruba/habit.tsv"]
    contexts = tables["yoruba/habit_contexts.tsv"]
    assert errors["tokens"].sum() == share["n"] == contexts[contexts["kind"] == "position"]["tokens"].sum()
    assert contexts.loc[0, ["kind", "share", "low", "high"]].tolist() == [
        "all",
        *map(share.get, ("value", "low", "high")),
    ]


def test_another_recogniser_is_refused(configuration: Path) -> None:
    text = configuration.read_text(encoding="utf-8").replace("    recogniser: toy", "    recogniser: other")
    other = configuration.with_name("other.yaml")
    other.write_text(text, encoding="utf-8")
    tables = tables_of(other, "habit={}")
    assert not TABLES & tables.keys()
    rows = rows_of(tables)
    assert len(rows) == 15
    assert all("another recogniser than that of the reference" in str(row["note"]) for row in rows.values())
