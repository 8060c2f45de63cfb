"""Tables as files: what is written and read back, and columns that are declared."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gate import compare_folders, make_experiments, run_tables
from made_languages import make as make_languages

from phonxling.core.errors import DataError
from phonxling.core.files import write_parts
from phonxling.tables import files as store
from phonxling.tables.files import (
    Lines,
    column_names,
    columns_of,
    declared_columns,
    declared_table,
    read_once,
    read_rows,
    read_table,
    read_utterance,
    table_bytes,
    table_digest,
    write_table,
)

TABLE = pd.DataFrame(
    {
        "predicted": ["u1", 'say "no"', "", "ɛ̃́", "=1+1"],
        "count": [3, 0, 12, 7, 1],
        "share": [0.1, np.nan, np.inf, -np.inf, 1 / 3],
    }
)
WHOLE = (
    TABLE.reindex(columns=column_names("contexts"))
    .astype(dict.fromkeys(["kind", "context", "gold"], str))
    .assign(kind="y", context=list("abcde"), gold="x", share_anywhere=0.5)
)
TEXT = 'predicted\tcount\tshare\nu1\t3\t0.1\nsay "no"\t0\t\n\t12\tinf\nɛ̃́\t7\t-inf\n=1+1\t1\t0.3333333333333333\n'


def test_the_rows_of_one_utterance_are_read_as_the_whole_table_is(tmp_path: Path) -> None:
    names = ["u", "u", "u 1", "u 1", "uu", "ɛ̃́"]
    rows = pd.DataFrame({"utterance": names, "position": [1, 2, 1, 2, 1, 1], "gold": ["a", '"', "", "∅", "b", "ɛ"]})
    rows = rows.assign(predicted="a", operation="correct", cost=0.0, right=1, speaker="")
    write_table(tmp_path, "x/alignments.tsv", rows.assign(gold_start=[0.1, np.nan, 0.2, 0.3, 0.4, 0.5]))
    whole = read_table(tmp_path, "x/alignments.tsv")
    for name in [*dict.fromkeys(names), "none of them"]:
        own = read_utterance(tmp_path, "x/alignments.tsv", name)
        pd.testing.assert_frame_equal(own, whole[whole["utterance"] == name].reset_index(drop=True), check_dtype=False)
    with pytest.raises(DataError, match=r"missing\.tsv: cannot be read as a table of results"):
        read_utterance(tmp_path, "x/missing.tsv", "u")


@pytest.mark.parametrize("rows", [1, 2, 5, 100])
def test_the_number_of_rows_at_one_time_changes_nothing(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_ROWS", rows)
    assert table_bytes(TABLE).decode() == TEXT
    assert table_bytes(TABLE[:0]).decode() == "predicted\tcount\tshare\n"


def test_lines_are_written_as_they_are_and_read_as_a_table(tmp_path: Path) -> None:
    text = table_bytes(WHOLE).decode()
    lines = Lines(lambda: iter(text.splitlines(keepends=True)))
    write_table(tmp_path, "x/contexts.tsv", lines)
    assert (tmp_path / "x" / "contexts.tsv").read_bytes() == table_bytes(lines) == text.encode()
    read = read_table(tmp_path, "x/contexts.tsv")
    pd.testing.assert_frame_equal(read, WHOLE.astype({"count": float}), check_dtype=False)
    assert str(read_rows(tmp_path, "x/contexts.tsv")) == str(read.to_dict("records"))  # as text, nan is nan


@pytest.mark.parametrize("most", [2, 100])
def test_a_table_that_is_remembered_is_as_it_was_read(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_FEW", most)
    write_table(tmp_path, "x/contexts.tsv", WHOLE)
    with read_once():
        first = read_table(tmp_path, "x/contexts.tsv")
        whole = first.copy()
        first["predicted"], first.loc[0, "count"] = "changed", 9.0
        pd.testing.assert_frame_equal(read_table(tmp_path, "x/contexts.tsv"), whole)
        write_table(tmp_path, "x/contexts.tsv", WHOLE[:1])
        assert len(read_table(tmp_path, "x/contexts.tsv")) == (5 if most > len(TABLE) else 1)
    assert len(read_table(tmp_path, "x/contexts.tsv")) == 1


@pytest.mark.parametrize(
    "text", ["", "predicted\tcount\nu1\n", "predicted\tcount\nu1\tmany\n", "predicted\tx\nu1\t1\n"]
)
def test_rows_of_what_is_no_table_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "contexts.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"contexts\.tsv:(2: has 1 cells| cannot be read as| column)"):
        read_rows(tmp_path, "x/contexts.tsv")


def test_the_digest_is_that_of_the_file() -> None:
    assert table_digest(TABLE) == hashlib.sha256(TEXT.encode()).hexdigest()


def test_an_error_on_the_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    path = tmp_path / "x.tsv"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(ValueError, match="no more"):
        write_parts(path, parts())
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("x.tsv", "before")]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"x\.tsv: cannot be written: (Not a directory|File exists)"):
        write_parts(tmp_path / "file" / "x.tsv", [b""])


@pytest.mark.parametrize("broken", ["a\nb", "a\r\nb", "a\tb", "a\rb", "a\n\n\tb"])
@pytest.mark.parametrize("kind", ["str", "object"])
def test_tabs_and_line_ends_within_a_text_become_a_space(broken: str, kind: str) -> None:
    table = pd.DataFrame({"note": pd.Series([broken, 'c "d"'], dtype=kind), "value": [1.0, 2.0]})
    assert table_bytes(table).decode() == 'note\tvalue\na b\t1.0\nc "d"\t2.0\n'


def test_what_is_missing_stays_missing_beside_a_broken_text() -> None:
    table = pd.DataFrame({"note": pd.Series(["a\nb", None, 3], dtype=object), "value": [1, 2, 3]})
    assert table_bytes(table).decode() == "note\tvalue\na b\t1\n\t2\n3\t3\n"


@pytest.mark.slow
def test_every_declared_column_is_written_by_some_run(tmp_path: Path) -> None:
    made = make_experiments(tmp_path / "made")
    make_languages(tmp_path / "made_languages", languages=16, utterances=20, phones=12)
    for configuration in [*made, tmp_path / "made_languages" / "made.yaml"]:
        run_tables(configuration, tmp_path / configuration.stem.replace("made", "languages"))
    compare_folders([tmp_path / made[0].stem], tmp_path / "compared")
    written = set()
    for path in tmp_path.glob("[!m]*/**/*.tsv"):
        table = declared_table(path.relative_to(tmp_path).as_posix().partition("/")[2])
        header = path.read_text(encoding="utf-8").partition("\n")[0].split("\t")
        written |= {(table.table, column.column) for column in columns_of(table, header).values()}
    declared = {(column.table, column.column) for column in declared_columns()}
    assert written == declared
