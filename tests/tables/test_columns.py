"""The declared columns: whole, without doubles, and what is written, read and documented."""

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from phonxling.analyses.measures import measures
from phonxling.core.errors import DataError
from phonxling.settings.files import section_of
from phonxling.settings.models import Experiment
from phonxling.tables.files import column_names, declared_columns, declared_tables, read_table, write_table

ROOT = Path(__file__).resolve().parents[2]


def test_each_column_is_declared_once_with_a_type_and_a_meaning() -> None:
    assert {column.type for column in declared_columns()} == {"text", "whole", "number"}
    assert max(Counter((column.table, column.column) for column in declared_columns()).values()) == 1
    assert all(column.meaning.endswith(".") for column in declared_columns())
    assert not [column for column in declared_columns() if column.type == "text" and column.unit]


def test_each_table_has_columns_and_stands_somewhere() -> None:
    names = [table.table for table in declared_tables()]
    assert list(dict.fromkeys(column.table for column in declared_columns())) == names
    assert {table.folder for table in declared_tables()} == {"results", "corpus", "comparison"}
    assert {table.marks for table in declared_tables()} == {"page", "page optional", ""}
    marks = {mark for column in declared_columns() for mark in column.marks.split()}
    assert marks == {"key", "phone", "optional"}


def test_each_measure_stands_on_the_page_of_one_family() -> None:
    families = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "measures").glob("*.md"))
    named = " ".join(re.findall(r"```{measures}\n(.*?)```", families, re.DOTALL)).split()
    assert sorted(named) == sorted({one.name for one in measures()})


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("x/confusions.tsv", r"confusions\.tsv: column 'mood' is not declared"),
        ("x/moods.tsv", r"moods\.tsv: this version of phonxling writes no such table"),
        ("confusions.tsv", r"confusions\.tsv: this version of phonxling writes no such table"),
    ],
)
def test_what_is_not_declared_is_neither_written_nor_read(file: str, message: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"gold": ["a"], "mood": ["low"]})
    with pytest.raises(DataError, match=message):
        write_table(tmp_path, file, table)
    assert not (tmp_path / file).exists()
    (tmp_path / file).parent.mkdir(exist_ok=True)
    table.to_csv(tmp_path / file, sep="\t", index=False)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path, file)


def test_columns_of_numbers_hold_numbers(tmp_path: Path) -> None:
    rows = [dict.fromkeys(column_names("comparison/ranking"), "1") | {"value": text} for text in ("", "much", "1e999")]
    for place in (1, 2):
        pd.DataFrame([rows[0] | {"item": "2"}, rows[place]]).to_csv(tmp_path / "ranking.tsv", sep="\t", index=False)
        with pytest.raises(
            DataError, match=rf"ranking\.tsv:3: column 'value' should hold a number, not {rows[place]['value']}"
        ):
            read_table(tmp_path, "ranking.tsv")
    pd.DataFrame(rows[:1]).to_csv(tmp_path / "ranking.tsv", sep="\t", index=False)
    read = read_table(tmp_path, "ranking.tsv")
    assert read["item"].tolist() == ["1"]
    assert read["value"].isna().all()


def test_tables_on_request_name_the_section_that_they_need() -> None:
    fields = Experiment.model_fields
    sections = {name for name in fields if section_of(fields[name]) is not None}
    absent = {name for name in sections if not fields[name].is_required() and fields[name].default is None}
    assert {table.section for table in declared_tables()} == absent | {""}
