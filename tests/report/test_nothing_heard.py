"""A recogniser that says e six times in ten, whatever is said: nothing claims anything of the language."""

from pathlib import Path

import pandas as pd
import pytest
from misleading import confuses, guesses, likes_e, make_corpus, told_numbers
from running import write_tables_of

from phonxling.core.estimate import Estimate
from phonxling.draw.style import FigureOptions
from phonxling.experiment.results import stored_results
from phonxling.load.resources import corpus_titles
from phonxling.report.findings import PARTS, display_titles, findings, stored_parts
from phonxling.report.first_screen import cards
from phonxling.report.numbers import Numbers
from phonxling.results.tables import read_table

SETTINGS = """\
contrasts: auto
chance: {replicates: 5}
report: {html: false}
"""
AT_CHANCE = ("likes", "random", "three")  # the last of three speakers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a reference, two recognisers at chance, one above it, and one at chance of few speakers."""
    folder = tmp_path_factory.mktemp("silent")
    recognisers = {"home": confuses(0.1), "likes": likes_e, "random": guesses, "good": confuses(0.3)}
    corpora = [make_corpus(folder / name, one, utterances=120) for name, one in recognisers.items()]
    corpora.append(make_corpus(folder / "three", likes_e, utterances=120, speakers=3))
    text = "".join(corpora).replace("  home: {", "  home: {role: reference, ")
    (folder / "c.yaml").write_text(f"corpora:\n{text}{SETTINGS}", encoding="utf-8")
    write_tables_of(folder / "c.yaml", folder / "results")
    return folder


@pytest.fixture(scope="module")
def numbers(folder: Path) -> dict[str, Numbers]:
    return told_numbers(folder, "home")


def read(folder: Path, corpus: str, name: str) -> pd.DataFrame:
    return read_table(folder / "results", name, corpus)


@pytest.mark.parametrize("corpus", AT_CHANCE)
def test_no_contrast_has_a_type_at_chance(folder: Path, corpus: str) -> None:
    table = read(folder, corpus, "contrasts")
    assert len(table) == 105
    assert table["js"].notna().all()
    assert set(table["type"]) == {""}


def test_no_table_tests_what_only_one_above_chance_could_show(folder: Path) -> None:
    for corpus in AT_CHANCE:
        assert read(folder, corpus, "expected")["q"].isna().all(), corpus
        assert "expected" not in {*read(folder, corpus, "errors")["reason"]}
        rows = read(folder, corpus, "summary").set_index("measure")
        for name in ("error_share", "expected_level_p"):
            assert rows.loc[[name], "value"].isna().all()
            assert set(rows.loc[[name], "status"]) == {"not-above-chance"}
    assert read(folder, "good", "expected")["q"].notna().any()


def test_no_sentence_of_any_part_says_more_than_that(folder: Path, numbers: dict[str, Numbers]) -> None:
    parts = stored_parts(folder / "results", numbers, PARTS)
    assert "contrasts" in {part.name for part, _ in parts}
    for _, sentences in parts:
        for corpus in {*sentences} & {*AT_CHANCE}:
            (said,) = map(str, sentences[corpus])
            assert said.startswith(
                "Neither the rate nor the information shows that the answers depend on what was said."
            )
    (contrasts,) = (sentences for part, sentences in parts if part.name == "contrasts")
    assert {*contrasts} >= {*AT_CHANCE}
    assert len(contrasts["good"]) > 1
    for corpus in AT_CHANCE:
        told = "\n".join(map(str, findings(numbers[corpus])))
        assert "Neither the rate nor the information shows" in told
        for claim in (" → ", "single-category", "of all errors", "leads one to expect over", "cells tested"):
            assert claim not in told, corpus
    for card in cards(numbers):
        if card["title"].text in AT_CHANCE:
            assert (card["errors"], card["worst"], card["beyond"]) == ([], [], None)


def test_figures_say_that_it_is_not_above_chance(folder: Path, numbers: dict[str, Numbers]) -> None:
    corpora = {name: {"role": "reference" if name == "home" else "target"} for name in numbers}
    titles = display_titles(corpora, numbers)
    assert (titles["likes"], titles["good"]) == ("likes (not above chance)", "good")
    settings, options = {"corpora": corpora, "map": {"method": "umap"}}, FigureOptions()
    stored = stored_results(folder / "results", settings, options, corpora=["likes"], tables=["confusions"])
    assert stored.title("likes") == titles["likes"]


@pytest.mark.parametrize(
    ("skill", "deleted", "renamed", "said"),
    [
        (Estimate(-0.018, -0.07, 0.03), 0.1, Estimate(0.1, 0.05, 0.15), True),  # worse than one phone, but not surely
        (Estimate(-0.1, -0.2, -0.05), 0.1, Estimate(0.1, -0.05, 0.25), False),  # other names are no better than chance
        (Estimate(0.01, -0.02, 0.04), 0.1, Estimate(0.1, 0.05, 0.15), False),
        (Estimate(-0.018, -0.07, 0.03), 0.9, Estimate(0.1, 0.05, 0.15), False),  # most were deleted
    ],
)
def test_a_map_of_symbols_is_advised_only_where_it_is_right_more_often_than_by_chance(
    skill: Estimate, deleted: float, renamed: Estimate, said: bool
) -> None:
    rows = {
        ("wper", ""): Estimate(0.287, 0.28, 0.29),
        ("chance_wper", "best"): Estimate(0.282),
        ("skill_wper", "best"): skill,
        ("deletion_rate", ""): Estimate(deleted),
        ("mutual_information_excess", "best"): Estimate(0.3, 0.2, 0.4),
        ("one_to_one_accuracy", ""): Estimate(0.2, 0.15, 0.25),
        ("one_to_one_accuracy_excess", "best"): renamed,
    }
    numbers = Numbers(by_name=rows, name="yoruba")
    (card,) = cards({"yoruba": numbers})
    for text in ("\n".join(map(str, findings(numbers))), str(card["cautions"])):
        assert ("map the symbols" in text) == said


def test_a_corpus_is_called_by_its_title_else_its_language() -> None:
    yoruba = {"language": "yor"}
    for first, second, titles in (
        (yoruba, {}, ["Yoruba", "b"]),
        ({"title": "Yoruba"}, yoruba, ["Yoruba (a)", "Yoruba (b)"]),
        ({"title": "Read", **yoruba}, yoruba, ["Read", "Yoruba"]),
    ):
        assert [*corpus_titles({"a": first, "b": second}).values()] == titles
