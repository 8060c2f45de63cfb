"""The declared tables and columns: whole, without doubles, and documented."""

import re
from collections import Counter
from pathlib import Path

from phonxling.analyses.measures import measures
from phonxling.configuration.models import Experiment
from phonxling.results.tables import declared_columns, declared_tables, tables_of

ROOT = Path(__file__).resolve().parents[2]


def test_each_column_is_declared_once_with_a_type_and_a_label() -> None:
    assert {column.type for column in declared_columns()} == {"text", "whole", "number"}
    assert max(Counter((column.table, column.column) for column in declared_columns()).values()) == 1
    assert not [column for column in declared_columns() if column.meaning.endswith(".")]
    assert not [column for column in declared_columns() if column.type == "text" and column.unit]
    assert {column.marks for column in declared_columns()} == {"key", ""}


def test_each_table_has_columns_and_stands_somewhere() -> None:
    names = [table.table for table in declared_tables()]
    assert {*names} == {column.table for column in declared_columns()}
    assert {table.folder for table in declared_tables()} == {"results", "comparison"}
    first = {name: next(one.column for one in declared_columns() if one.table == name) for name in tables_of("results")}
    assert {name for name, column in first.items() if column != "corpus"} == {"language_groups"}
    assert {table.section for table in declared_tables()} <= {*Experiment.model_fields, ""}


def test_each_measure_stands_on_the_page_of_one_family() -> None:
    families = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "measures").glob("*.md"))
    named = " ".join(re.findall(r"<!-- generated: measures (.*) -->", families)).split()
    assert sorted(named) == sorted({one.name for one in measures()})
