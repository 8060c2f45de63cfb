"""Where speakers are unknown, or one has most of the tokens, two corpora have differences, and no p, q or verdict."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from compared_results import finish, invoke, row, table, write
from running import tables_of
from support import speakers_file

from phonxling.report.findings import findings, numbers_alone

TEXT = """\
name: {name}
corpora: {{{corpora}}}
chance: {{models: [constant], replicates: 2}}
uncertainty: {{level: 0.95{more}}}
figures: {{formats: [svg]}}
report: {{html: false}}
"""
SENTENCE = "Speakers unknown: intervals are too narrow if one speaker has several utterances."
TABLES = ("differences.tsv", "phones.tsv", "features.tsv", "confusions.tsv")


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


def test_without_speakers_two_corpora_are_not_tested_and_two_systems_are(
    hidden: Path, results: Callable[..., Path]
) -> None:
    found = invoke(
        results("first", "a-predicted"), results("second", "b-predicted", "a-again"), "--output", hidden / "c"
    )
    assert found.exit_code == 0, found.output
    for name in TABLES:
        rows = table(hidden / "c" / name)
        assert len(rows)
        same = (rows["item"] == "first:ap") & (rows["other"] == "second:aa")
        assert (rows.loc[same, "status"] != "no-speakers").all(), name
        assert rows.loc[~same, "q"].isna().all(), name
    assert rows.loc[~same, "low"].notna().any()
    apart, systems = (row(hidden / "c", "per", "first:ap", other) for other in ("second:bp", "second:aa"))
    assert (apart["test"], apart["status"]) == ("none", "no-speakers")
    assert (systems["test"], systems["status"], 0 <= systems["p"] <= 1) == ("paired", "these-speakers-alone", True)


def test_declared_utterances_are_tested(hidden: Path, results: Callable[..., Path]) -> None:
    declared = [results(f"declared-{name}", f"{name}-predicted", more=", cluster: utterance") for name in "ab"]
    assert invoke(*declared, "--output", hidden / "d").exit_code == 0
    found = row(hidden / "d", "per", "declared-a", "declared-b")
    assert (found["test"], 0 <= found["p"] <= 1) == ("unpaired", True)


def test_a_run_has_the_sentence_and_no_test_between_its_corpora(hidden: Path) -> None:
    both = finish(hidden, "both", text("both", "a-predicted", "b-predicted"))
    rows = table(both / "summary.tsv").set_index(["corpus", "measure", "variant"]).sort_index()
    for measure, variant in (("per", ""), ("wper", ""), ("skill_wper", "best"), ("conditional_entropy", "")):
        assert rows.loc[("ap", measure, variant), "status"] == "no-speakers"
    letters = table(both / "languages.tsv").query("measure.str.startswith('skill')")
    assert {*zip(letters["letters"], letters["status"], strict=True)} == {("", "no-speakers")}
    assert SENTENCE in [str(one) for one in findings(numbers_alone(both)["ap"])]
    declared = tables_of(hidden / "both.yaml", "uncertainty.cluster=utterance")
    assert not (declared["summary"]["status"] == "no-speakers").any()


def test_a_speaker_with_most_of_the_tokens_leaves_nothing_tested(hidden: Path) -> None:
    """Twelve speakers, of whom one has 60 % of the utterances: the sentence names him, and no test is made."""
    speakers_file(hidden / "unequal.tsv", {f"a{n}": "loud" if n < 54 else f"s{n % 11}" for n in range(90)})
    given = text("unequal", "a-predicted").replace("recogniser: r", "recogniser: r, speakers: unequal.tsv")
    other = text("plain", "a-again").replace("recogniser: r", "recogniser: r, speakers: a-speakers.tsv")
    unequal = finish(hidden, "unequal", given)
    rows = table(unequal / "summary.tsv").set_index(["measure", "variant"])
    for key in (("wper", ""), ("skill_wper", "best"), ("mutual_information", "")):
        assert rows.loc[key, "status"] == "these-speakers-alone"
    assert "of these 12 speakers alone; speaker loud has 60 % of the gold tokens" in rows.loc[("wper", ""), "note"]
    six = finish(hidden, "plain", other)
    assert invoke(unequal, six, "--output", hidden / "e", "--paired", "no").exit_code == 0
    for name in TABLES:
        assert table(hidden / "e" / name)["q"].isna().all()
    assert row(hidden / "e", "per", "unequal", "plain")["status"] == "these-speakers-alone"
