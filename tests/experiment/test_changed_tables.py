"""Tables that were changed after a run: each change is one error that names file, row and column."""

import shutil
from pathlib import Path

import pytest
from running import command

from phonxling.core.errors import DataError
from phonxling.results.tables import check_tables, columns_of, declared_tables

CORPORA = ("english", "yoruba")


@pytest.fixture(scope="module")
def tables(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a run alone, to be changed and put back one at a time."""
    out = tmp_path_factory.mktemp("tables")
    for path in (small_run / "results").glob("*.tsv"):
        shutil.copyfile(path, out / path.name)
    return out


def changes(path: Path) -> dict[str, tuple[list[list[str]], str]]:
    """Return changed rows of a table, the header first, by kind of change, and what is said of each."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    head, first, *others = rows
    declared = columns_of(path.stem)
    place = len(path.stem) % len(head)
    found = {
        "a cell gone": ([head, first[:-1], *others], rf":2: has {len(head) - 1} cells, and the header {len(head)}"),
        "a column gone": ([row[:place] + row[place + 1 :] for row in rows], rf"column '{head[place]}' is missing"),
        "rows doubled": ([*rows, first], rf":{len(rows) + 1}: a second row of "),
    }
    for column in [one for one in declared if one.type != "text"][:2]:
        for text in ("1e999", "much"):
            cells = [text if name == column.column else cell for name, cell in zip(head, first, strict=True)]
            told = rf":2: column '{column.column}' should hold a (whole )?number, not {text}"
            found[f"{text} in {column.column}"] = [head, cells, *others], told
    if head[0] == "corpus":
        told = rf":{len(rows) + 1}: column 'corpus' has zzz, not a corpus"
        found["another corpus"] = [*rows, ["zzz", *first[1:]]], told
    return found


def test_every_change_of_every_table_is_named(tables: Path, tmp_path: Path) -> None:
    check_tables(tables, CORPORA)  # as they were written, nothing is wrong
    tried = 0
    for path in sorted(tables.glob("*.tsv")):
        if path.stem not in {table.table for table in declared_tables() if table.on_page}:
            continue
        for kind, (rows, told) in changes(path).items():
            (tmp_path / path.name).write_text("\n".join(map("\t".join, rows)) + "\n", encoding="utf-8")
            with pytest.raises(DataError, match=rf"{path.name}(: )?{told}"):
                pytest.fail(f"{path.name}, {kind}: {check_tables(tmp_path, CORPORA)}")
            (tmp_path / path.name).unlink()
            tried += 1
    assert tried > 90


@pytest.mark.parametrize(
    ("file", "column", "text", "told"),
    [
        ("alignments.tsv", "cost", "1e999", "alignments.tsv:2: column 'cost' should hold a number, not 1e999"),
        ("alignments.tsv", "", "", "alignments.tsv: is gone"),
        ("summary.tsv", "note", "", "summary.tsv:2: has 9 cells, and the header 10"),
    ],
)
def test_long_tables_are_read_where_they_were_changed(
    small_run: Path, tmp_path: Path, file: str, column: str, text: str, told: str
) -> None:
    """And what a row lacks, or a corpus that is none, is named with its row."""
    results = Path(shutil.copytree(small_run / "results", tmp_path / "results"))
    head, first, *rows = (results / file).read_text(encoding="utf-8").splitlines()
    cells = first.split("\t")
    if column and text:
        cells[head.split("\t").index(column)] = text
    changed = "\t".join(cells if text else cells[:-1])
    (results / file).write_text("\n".join([head, changed, *rows]) + "\n", encoding="utf-8")
    if not column:
        (results / file).unlink()
    code, said = command("report", "--quiet", results)
    assert code == 1
    assert told in said
    assert (results / "manifest.json").exists()
    assert f"{file}: " in command("verify", "--quiet", results)[1]
