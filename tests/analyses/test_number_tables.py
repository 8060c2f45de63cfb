"""The summary: each number once, of a declared measure, in cells that R reads."""

from pathlib import Path

import pytest

from phonxling.analyses.measures import above_chance, headline, json_key, measures, number_rows, row_of
from phonxling.core.estimate import Estimate
from phonxling.results.tables import read_table, table_of, write_table


def lines_of_r(text: str) -> int:
    """Return how many lines R's read.table finds below the header: by default ' and \" quote, even across lines."""
    lines, quote = 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            lines += letter == "\n"
    return lines - 1


@pytest.mark.parametrize("name", ["summary", "confusions"])
def test_r_reads_as_many_rows_as_are_written(small_run: Path, name: str) -> None:
    text = (small_run / "results" / f"{name}.tsv").read_text(encoding="utf-8")
    assert lines_of_r(text) == len(read_table(small_run / "results", name)) > 10


def test_what_a_note_quotes_of_the_data_is_quoted_in_typographic_marks(tmp_path: Path) -> None:
    rows = [row_of("per", 0.5, 10, "", "always 't\"'"), row_of("wper", Estimate(0.5, note="speaker O'Brien"), 10)]
    table = table_of("summary", number_rows("yoruba", rows), corpora=True)
    assert table["note"].tolist() == ["always ’t”’", "speaker O’Brien"]
    write_table(tmp_path, "summary", table)
    assert lines_of_r((tmp_path / "summary.tsv").read_text(encoding="utf-8")) == 2


def test_each_number_stands_once_and_is_of_a_declared_measure(small_run: Path) -> None:
    rows = read_table(small_run / "results", "summary")
    assert not rows.duplicated(["corpus", "measure", "variant"]).any()
    names, declared = set(zip(rows["measure"], rows["variant"], strict=True)), {(m.name, m.variant) for m in measures()}
    assert {("wper", ""), ("chance_wper", "unigram"), ("conditional_entropy", "ml"), ("wper_excess", "common")} <= names
    models = {"constant", "uniform", "unigram", "bigram", "shuffled", "ml"}
    assert {variant for _, variant in names - declared} <= models


def test_each_measure_and_variant_is_declared_once_with_all_that_readers_need() -> None:
    rows = [json_key(one.name, one.variant) for one in measures()]
    assert len(rows) == len(set(rows))
    assert all(one.unit and one.kind and one.title and one.formula and one.reading for one in measures())
    assert [int(one.headline) for one in headline()] == list(range(1, len(headline()) + 1))


def test_claims_are_held_back_where_a_skill_is_known_and_nothing_is_above_0() -> None:
    low, high, none = Estimate(0.1, -0.1, 0.3), Estimate(0.1, 0.05, 0.2), Estimate(float("nan"))
    names = [(name, "best") for name in ("skill_wper", "skill_per", "mutual_information_excess")]
    rows = (), (none, none), (low, none, high), (none, high), (low,), (low, high), (none, Estimate(-0.1), low)
    found = [above_chance(dict(zip(names, row, strict=False))) for row in rows]
    assert found == [True, True, True, True, False, False, False]
