"""summary.tsv and details.tsv: which numbers stand where, each once, in cells that R reads as they are."""

from pathlib import Path

import pandas as pd
import pytest

from phonxling.analyses.measures import (
    Section,
    above_chance,
    headline,
    measure,
    measures,
    number_tables,
    row_of,
    summarised,
)
from phonxling.core.estimate import Estimate
from phonxling.tables.files import read_numbers, read_table, table_bytes


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


def summary_of(results: Path, corpus: str) -> pd.DataFrame:
    rows = read_table(results, "summary.tsv")
    return rows[rows["corpus"] == corpus]


def test_r_counts_lines_as_it_does() -> None:
    assert lines_of_r("a\tb\n1\t2\n3\t4\n") == 2
    assert lines_of_r("a\tb\n1\talways 'e'\n3\t4\n") == 2
    assert lines_of_r("a\tb\n1\tthe tokens' labels\n3\t4\n5\tthe speakers' own\n") == 1


@pytest.mark.parametrize("name", ["summary.tsv", "details.tsv", "measures.tsv", "columns.tsv"])
def test_r_reads_as_many_rows_as_are_written(small_run: Path, name: str) -> None:
    text = (small_run / "results" / name).read_text(encoding="utf-8")
    assert lines_of_r(text) == len(read_table(small_run / "results", name)) > 10


def test_what_a_note_quotes_of_the_data_is_quoted_in_typographic_marks() -> None:
    rows = [row_of("per", 0.5, 10, "", "always 't\"'"), row_of("wper", Estimate(0.5, note="speaker O'Brien"), 10)]
    table = number_tables([Section("yoruba", rows)])["summary.tsv"]
    assert table["note"].tolist() == ["always ’t”’", "speaker O’Brien"]
    assert lines_of_r(table_bytes(table).decode()) == 2


def test_each_number_stands_once_and_those_marked_stand_in_the_summary(small_run: Path) -> None:
    numbers = read_numbers(small_run / "results")
    assert not numbers.duplicated(["corpus", "measure", "variant"]).any()
    tables = {file: read_table(small_run / "results", f"{file}.tsv") for file in ("summary", "details")}
    names = {file: set(zip(rows["measure"], rows["variant"], strict=True)) for file, rows in tables.items()}
    assert names["summary"] <= summarised()
    assert not names["details"] & summarised()
    assert ("wper", "") in names["summary"]
    assert {("chance_wper", "unigram"), ("conditional_entropy", "ml"), ("accuracy", "")} <= names["details"]


@pytest.mark.parametrize("corpus", ["english", "yoruba"])
def test_a_summary_is_short_and_no_two_numbers_have_one_interval(small_run: Path, corpus: str) -> None:
    rows = summary_of(small_run / "results", corpus)
    assert 30 < len(rows) <= 45
    details = read_table(small_run / "results", "details.tsv")
    assert 60 < (details["corpus"] == corpus).sum() <= 90
    intervals = rows.loc[rows["low"].notna(), ["value", "low", "high"]].drop_duplicates()
    assert not intervals.duplicated(["low", "high"]).any()
    assert {"posterior_mutual_information", "decision_mutual_information", "speakers"} <= set(rows["measure"])
    assert not {"accuracy", "perplexity", "wper_macro"} & set(rows["measure"])


def test_each_measure_and_variant_is_declared_once_with_all_that_readers_need() -> None:
    rows = [(one.name, one.variant) for one in measures()]
    assert len(rows) == len(set(rows))
    assert all(one.unit and one.kind and one.title and one.formula and one.reading for one in measures())
    assert {one.table for one in measures()} == {"summary", "details"}
    assert {one.table for one in headline()} == {"summary"}
    assert [int(one.headline) for one in headline()] == list(range(1, len(headline()) + 1))
    for made in (one for one in measures() if one.of):
        base = measure(made.of)
        assert made.formula != base.formula or made.name == base.name


def test_what_rows_and_columns_mean_stands_beside_the_numbers(small_run: Path) -> None:
    results = small_run / "results"
    meant, columns = read_table(results, "measures.tsv"), read_table(results, "columns.tsv")
    assert set(summary_of(results, "yoruba")["measure"]) <= set(meant["measure"])
    explained = set(zip(columns["table"], columns["column"], strict=True))
    for file in ("summary", "details", "measures", "columns", "symbols"):
        assert {(file, column) for column in read_table(results, f"{file}.tsv")} <= explained


def test_claims_are_held_back_where_a_skill_is_known_and_nothing_is_above_0() -> None:
    low, high, none = Estimate(0.1, -0.1, 0.3), Estimate(0.1, 0.05, 0.2), Estimate(float("nan"))
    names = [(name, "best") for name in ("skill_wper", "skill_per", "mutual_information_excess")]
    rows = (), (none, none), (low, none, high), (none, high), (low,), (low, high), (none, Estimate(-0.1), low)
    found = [above_chance(dict(zip(names, row, strict=False))) for row in rows]
    assert found == [True, True, True, True, False, False, False]
