"""Where speakers are unknown, or one has most of the tokens, compare gives differences, and no p, q or verdict."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from compared_results import finish, invoke, row, table, write
from running import all_numbers, tables_of
from support import speakers_file

from phonxling.console import headline
from phonxling.core.estimate import SPEAKERS_UNKNOWN
from phonxling.report.findings import cautions, findings, numbers_alone
from phonxling.tables.files import write_table

TEXT = """\
name: {name}
corpora: {{{corpora}}}
chance: {{models: [constant], replicates: 2}}
uncertainty: {{resamples: 100{more}}}
"""
SENTENCE = (
    "Speakers unknown: each utterance counts as another speaker’s, so intervals are too narrow where a speaker has "
    "several."
)
TABLES = ("comparison.tsv", "phones.tsv", "features.tsv", "cells.tsv")


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two corpora of one process, of six speakers each who differ much; no id tells of them."""
    folder = tmp_path_factory.mktemp("hidden")
    generator = np.random.default_rng(8)
    for name in ("a", "b"):
        names = [f"{name}{number}" for number in range(90)]
        heard: dict[str, list[list[str]]] = {"gold": [], "predicted": [], "again": []}
        for number in range(90):
            right = 1 / (1 + np.exp(-1.0 - np.random.default_rng([ord(name), number % 6]).normal()))
            gold = generator.choice(list("ptkaiu"), 10)
            for kind, lines in heard.items():
                lines.append(gold.tolist() if kind == "gold" else _heard(gold, right, generator))
        for kind, lines in heard.items():
            write(folder / f"{name}-{kind}.tsv", names, lines)
        speakers = {one: f"{name}-s{number % 6}" for number, one in enumerate(names)}
        speakers_file(folder / f"{name}-speakers.tsv", speakers)
    return folder


def _heard(gold: np.ndarray, right: float, generator: np.random.Generator) -> list[str]:
    return [phone if generator.random() < right else str(generator.choice(list("ptkaiu"))) for phone in gold]


def text(name: str, *parts: str, more: str = "") -> str:
    corpora = ", ".join(
        f"{part}{heard[0]}: {{gold: {part}-gold.tsv, predicted: {part}-{heard}.tsv, recogniser: r}}"
        for part, heard in (one.split("-") for one in parts)
    )
    return TEXT.format(name=name, corpora=corpora, more=more)


@pytest.fixture(scope="module")
def results(hidden: Path) -> Callable[..., Path]:
    return lambda name, *parts, more="": finish(hidden, name, text(name, *parts, more=more))


def test_without_speakers_nothing_is_tested_between_corpora(hidden: Path, results: Callable[..., Path]) -> None:
    found = invoke(
        results("first", "a-predicted"), results("second", "b-predicted", "a-again"), "--output", hidden / "c"
    )
    assert found.exit_code == 0, found.output
    for name in TABLES:
        rows = table(hidden / "c" / name)
        assert len(rows)
        assert rows[["p", "q"]].isna().all(axis=None), name
        assert (rows["comparisons"] == 0).all()
    assert rows["difference_low"].notna().any()
    notes = row(hidden / "c", "per", "first:ap", "second:bp", "unpaired bootstrap")["note"]
    assert "no test, because speakers are unknown" in notes
    assert SPEAKERS_UNKNOWN in notes
    assert SENTENCE in found.stdout.splitlines()
    assert "No test, because speakers are unknown" in found.stdout
    assert not any("randomisation" in test for test in table(hidden / "c" / "comparison.tsv")["test"])


def test_declared_utterances_are_tested(hidden: Path, results: Callable[..., Path]) -> None:
    declared = [results(f"declared-{name}", f"{name}-predicted", more=", cluster: utterance") for name in "ab"]
    assert invoke(*declared, "--output", hidden / "d").exit_code == 0
    found = row(hidden / "d", "per", "declared-a", "declared-b", "unpaired bootstrap")
    assert 0 <= found["p"] <= 1
    assert SPEAKERS_UNKNOWN not in found["note"]


def test_a_run_has_the_sentence_and_no_test_between_its_corpora(hidden: Path) -> None:
    config = hidden / "both.yaml"
    config.write_text(text("both", "a-predicted", "b-predicted"), encoding="utf-8")
    tables = tables_of(config)
    rows = all_numbers(tables).set_index(["corpus", "measure", "variant"]).sort_index()
    for measure, variant in (("per", ""), ("wper", ""), ("skill_wper", "best"), ("conditional_entropy", "")):
        assert SPEAKERS_UNKNOWN in str(rows.loc[("ap", measure, variant), "note"])
    for name, found in tables.items():
        write_table(hidden / "both", name, found)
    assert headline(hidden / "both").count(SENTENCE) == 2  # the terminal: each corpus
    numbers = numbers_alone(hidden / "both")["ap"]
    assert SENTENCE in str(cautions(numbers))  # the page's card
    assert SENTENCE in [str(one) for one in findings(numbers)]  # and its sentences
    declared = tables_of(config, "uncertainty.cluster=utterance")
    assert not all_numbers(declared)["note"].str.contains(SPEAKERS_UNKNOWN, regex=False).any()


def test_a_speaker_with_most_of_the_tokens_leaves_nothing_tested(hidden: Path) -> None:
    """Twelve speakers, of whom one has 60 % of the utterances: the sentence names him, and no test is made."""
    names = [f"a{number}" for number in range(90)]
    of = ["loud" if place < 54 else f"s{place % 11}" for place in range(90)]
    speakers_file(hidden / "unequal.tsv", dict(zip(names, of, strict=True)))
    said = text("unequal", "a-predicted").replace("recogniser: r", "recogniser: r, speakers: unequal.tsv")
    other = text("plain", "a-again").replace("recogniser: r", "recogniser: r, speakers: a-speakers.tsv")
    unequal = finish(hidden, "unequal", said)
    notes = table(unequal / "summary.tsv").set_index(["measure", "variant"])["note"]
    assert "unequal clusters: speaker loud has 60 % of the gold tokens" in notes["wper", ""]
    assert "descriptive: the interval rests on 2.6 effective speakers only" in notes["skill_wper", "best"]
    six = finish(hidden, "plain", other)
    assert invoke(unequal, six, "--output", hidden / "e", "--paired", "no").exit_code == 0
    for name in TABLES:
        assert table(hidden / "e" / name)["p"].isna().all()
    note = row(hidden / "e", "per", "unequal", "plain", "unpaired bootstrap")["note"]
    assert "no test: unequal has 2.6 effective speakers only, and a test needs 5" in note
    assert "speaker loud has 60 %" in note
