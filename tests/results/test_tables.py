"""Tables as files: what is written and read back, of one corpus and of all."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from gate import compare_folders, make_experiments, run_tables
from made_languages import write_languages

from phonxling.core.errors import DataError
from phonxling.core.files import write_parts
from phonxling.results import tables as store

CELLS = ["u1", 'say "no"', "", "ɛ̃́", "=1+1"]
NUMBERS = [0.1, np.nan, np.inf, -np.inf, 1 / 3]
ROWS = zip(CELLS, "xxxxx", CELLS, [3, 0, 12, 7, 1], NUMBERS, strict=True)
TABLE = store.table_of("contexts", ROWS)
TWO = store.ByCorpus((("eng", TABLE), ("yor", TABLE[1:3])))
TEXT = "".join(
    f"{line}\n"
    for line in (
        "corpus\tcontext\tgold\tpredicted\tcount\tshare_of_gold",
        "eng\tu1\tx\tu1\t3\t0.1",
        'eng\tsay "no"\tx\tsay "no"\t0\t',
        "eng\t\tx\t\t12\tinf",
        "eng\tɛ̃́\tx\tɛ̃́\t7\t-inf",
        "eng\t=1+1\tx\t=1+1\t1\t0.3333333333333333",
        'yor\tsay "no"\tx\tsay "no"\t0\t',
        "yor\t\tx\t\t12\tinf",
    )
)


def pairs(names: list[str]) -> str:
    """Return lines of alignments of these utterances, a pair each."""
    return "".join(f'{name}\t\t1\ta\t"\tsubstitution\t0.5\t0.1\t\t\t\t\n' for name in names)


def written(table: store.WholeTable, folder: Path) -> str:
    """Return the file of a table."""
    store.write_table(folder, "contexts", table)
    return (folder / "contexts.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize("rows", [2, 100])
def test_the_rows_of_a_corpus_stand_together_however_many_are_text_at_one_time(
    rows: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "_ROWS", rows)
    assert written(TWO, tmp_path) == TEXT
    lines = [line.partition("\t")[2] for line in TEXT.splitlines(keepends=True) if line.startswith("eng")]
    streamed = store.ByCorpus((("eng", store.StreamedTable(lambda: iter(lines))), TWO.parts[1]))
    assert written(streamed, tmp_path) == TEXT
    assert written(store.ByCorpus(()), tmp_path) == TEXT.partition("\n")[0] + "\n"


def test_a_table_is_read_whole_or_of_one_corpus(tmp_path: Path) -> None:
    store.write_table(tmp_path, "contexts", TWO)
    whole = store.read_table(tmp_path, "contexts")
    assert whole["corpus"].tolist() == ["eng"] * 5 + ["yor"] * 2
    pd.testing.assert_frame_equal(
        store.read_table(tmp_path, "contexts", "eng"), TABLE.astype({"count": float}), check_dtype=False
    )
    with store.read_once():
        for corpus in ("eng", "yor", "none"):
            own = whole[whole["corpus"] == corpus].drop(columns="corpus").reset_index(drop=True)
            pd.testing.assert_frame_equal(store.read_table(tmp_path, "contexts", corpus), own)
            store.read_table(tmp_path, "contexts")  # is remembered, and gives the same
            pd.testing.assert_frame_equal(store.read_table(tmp_path, "contexts", corpus), own)
    assert str(store.read_rows(tmp_path, "contexts")) == str(whole.to_dict("records"))  # as text, nan is nan
    assert store.read_rows(tmp_path, "contexts", "yor") == [
        {**row, "share_of_gold": pytest.approx(row["share_of_gold"], nan_ok=True)}
        for row in store.read_table(tmp_path, "contexts", "yor").to_dict("records")
    ]
    parts = store.table_parts(tmp_path, "contexts", "yor", ["predicted", "count"])
    assert [part.to_numpy().tolist() for part in parts] == [[['say "no"', 0.0], ["", 12.0]]]


def test_a_table_without_rows_is_no_file_and_read_as_empty(tmp_path: Path) -> None:
    assert not store.has_table(tmp_path, "map")
    assert (store.read_rows(tmp_path, "map"), len(store.table_if_any(tmp_path, "map"))) == ([], 0)
    assert store.table_if_any(tmp_path, "map", "eng").columns.tolist() == store.column_names("map")[1:]
    with pytest.raises(DataError, match=r"map\.tsv: cannot be read as a table of results"):
        store.read_table(tmp_path, "map")


def test_the_rows_of_one_utterance_are_read_as_the_whole_table_is(tmp_path: Path) -> None:
    names = ["u", "u", "u 1", "u 1", "uu", "ɛ̃́"]
    parts = tuple(
        (corpus, store.StreamedTable(lambda: iter([pairs(names[:3]), pairs(names[3:])]))) for corpus in ("x", "xy")
    )
    store.write_table(tmp_path, "alignments", store.ByCorpus(parts))
    whole = store.read_table(tmp_path, "alignments", "x")
    assert whole["utterance"].tolist() == names
    for name in [*dict.fromkeys(names), "none of them"]:
        own = store.read_utterance(tmp_path, "x", name)
        pd.testing.assert_frame_equal(own, whole[whole["utterance"] == name].reset_index(drop=True), check_dtype=False)


@pytest.mark.parametrize("most", [2, 100])
def test_a_table_that_is_remembered_is_as_it_was_read(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_SMALL_TABLE", most)
    store.write_table(tmp_path, "contexts", TWO)
    with store.read_once():
        first = store.read_table(tmp_path, "contexts")
        whole = first.copy()
        first["predicted"], first.loc[0, "count"] = "changed", 9.0
        pd.testing.assert_frame_equal(store.read_table(tmp_path, "contexts"), whole)
        store.write_table(tmp_path, "contexts", store.ByCorpus(TWO.parts[1:]))
        assert len(store.read_table(tmp_path, "contexts")) == (7 if most > len(whole) else 2)
    assert len(store.read_table(tmp_path, "contexts")) == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda _: "", r"column 'corpus' is missing"),
        (lambda text: f"{text}yor\t\tx\t\t1\t0.5\n", r":9: a second row of corpus yor, context"),
        (lambda text: text.replace("\t12\tinf", ""), r":4: has 4 cells, and the header 6"),
        (lambda text: text.replace("0.1", "1e999"), r":2: column 'share_of_gold' should hold a number, not 1e999"),
        (lambda text: text.replace("\t3\t", "\t3.5\t"), r":2: column 'count' should hold a whole number, not 3\.5"),
        (lambda text: text.replace("context\tgold", "gold\tcontext"), r": its columns are others than corpus, context"),
        (lambda text: text.replace("\tgold", "\tmood"), r"column 'gold' is missing"),
    ],
)
def test_a_table_that_was_changed_is_refused(changed: Callable[[str], str], message: str, tmp_path: Path) -> None:
    (tmp_path / "contexts.tsv").write_text(changed(TEXT), encoding="utf-8")
    for read in (store.read_table, store.read_rows):
        with pytest.raises(DataError, match=r"contexts\.tsv(: )?" + message):
            read(tmp_path, "contexts")


def test_a_column_that_is_not_declared_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="contexts: column 'mood' is not declared"):
        store.write_table(tmp_path, "contexts", store.ByCorpus((("eng", TABLE.assign(mood="low")),)))
    with pytest.raises(DataError, match="contexts: column 'mood' is not declared"):
        store.table_of("contexts", [{"mood": "low"}])
    with pytest.raises(DataError, match="moods: this version of phonxling writes no such table"):
        store.write_table(tmp_path, "moods", TABLE)
    assert list(tmp_path.iterdir()) == []


def test_the_digest_is_that_of_the_file() -> None:
    assert store.table_digest("contexts", TWO) == hashlib.sha256(TEXT.encode()).hexdigest()


def test_an_error_on_the_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    path = tmp_path / "x.tsv"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(ValueError, match="no more"):
        write_parts(path, parts())
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("x.tsv", "before")]


@pytest.mark.parametrize("broken", ["a\r\nb", "a\n\n\tb"])
@pytest.mark.parametrize("kind", ["str", "object"])
def test_tabs_and_line_ends_within_a_text_become_a_space(broken: str, kind: str, tmp_path: Path) -> None:
    table = TABLE[:2].assign(predicted=pd.Series([broken, 'c "d"'], dtype=kind), gold=["x", None])
    lines = written(store.ByCorpus((("eng", table),)), tmp_path).split("\n")
    assert lines[1:] == ["eng\tu1\tx\ta b\t3\t0.1", 'eng\tsay "no"\t\tc "d"\t0\t', ""]


@pytest.mark.slow
def test_every_declared_table_is_written_by_some_run(tmp_path: Path) -> None:
    made = make_experiments(tmp_path / "made")
    write_languages(tmp_path / "made_languages", languages=16, utterances=20, phones=12)
    for configuration in [*made, tmp_path / "made_languages" / "made.yaml"]:
        run_tables(configuration, tmp_path / configuration.stem.replace("made", "languages"))
    compare_folders([tmp_path / made[0].stem], tmp_path / "compared")
    written = {
        name
        for folder in tmp_path.glob("[!m]*")
        for name in store.tables_of("comparison" if folder.name == "compared" else "results")
        if len(store.table_if_any(folder, name))
    }
    assert written == {table.table for table in store.declared_tables()}
