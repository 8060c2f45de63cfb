"""Tables that were changed after a run: each change is one error that names file, row and column."""

import shutil
from pathlib import Path

import pytest
from running import command

from phonxling.core.errors import DataError
from phonxling.tables.files import check_tables, declared_columns, declared_table, marked

CORPORA = ("english", "yoruba")


@pytest.fixture(scope="module")
def tables(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a run alone, to be changed and put back one at a time."""
    out, results = tmp_path_factory.mktemp("tables"), small_run / "results"
    for path in (*results.glob("*.tsv"), *(path for name in CORPORA for path in (results / name).glob("*.tsv"))):
        (out / path.relative_to(results)).parent.mkdir(exist_ok=True)
        shutil.copyfile(path, out / path.relative_to(results))
    return out


def changes(path: Path, file: str) -> dict[str, tuple[list[list[str]], str]]:
    """Return changed rows of a table, the header first, by kind of change, and what is said of each."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    table = declared_table(file)
    if table is None or not table.on_page or len(rows) < 2:
        return {}
    declared = {column.column: column for column in declared_columns() if column.table == table.table}
    found = {}
    needed = [name for name in rows[0] if name in declared and "optional" not in declared[name].marks]
    gone = needed[len(file) % len(needed)]
    place = rows[0].index(gone)
    if len(rows[0]) > 1:
        cut = rf"{path.name}:2: has {len(rows[0]) - 1} cells, and the header {len(rows[0])}"
        found["a cell gone"] = [rows[0], rows[1][:-1], *rows[2:]], cut
    found["a column gone"] = [row[:place] + row[place + 1 :] for row in rows], rf"column '{gone}' is missing"
    if keys := marked(table, "key"):
        found["rows doubled"] = [*rows, rows[1]], rf"{path.name}:{len(rows) + 1}: a second row of {keys[0]} "
    numbers = [name for name in needed if declared[name].type != "text"]
    for name, text in [(numbers[0], "1e999"), (numbers[-1], "much")] if numbers else []:
        place = rows[0].index(name)
        told = rf"{path.name}:2: column '{name}' should hold a (whole )?number, not {text}"
        found[f"{text} in {name}"] = [rows[0], [*rows[1][:place], text, *rows[1][place + 1 :]], *rows[2:]], told
    for name in marked(table, "phone"):
        place = rows[0].index(name)
        told = rf"{path.name}:2: column '{name}' has zzz, which is no phone of (english|yoruba) in symbols\.tsv"
        found[f"a phone of none in {name}"] = (
            [rows[0], [*rows[1][:place], "zzz", *rows[1][place + 1 :]], *rows[2:]],
            told,
        )
    return found


def test_every_change_of_every_table_is_named(tables: Path, tmp_path: Path) -> None:
    """Of a table that stands beside symbols.tsv alone, so that no other needs to be read for each change."""
    check_tables(tables, CORPORA)  # as they were written, nothing is wrong
    tried = 0
    for path in sorted(tables.rglob("*.tsv")):
        file = path.relative_to(tables)
        for kind, (rows, told) in changes(path, file.as_posix()).items():
            (tmp_path / file.parent).mkdir(exist_ok=True)
            shutil.copyfile(tables / "symbols.tsv", tmp_path / "symbols.tsv")
            (tmp_path / file).write_text("\n".join(map("\t".join, rows)) + "\n", encoding="utf-8")
            with pytest.raises(DataError, match=told):
                pytest.fail(f"{path.name}, {kind}: {check_tables(tmp_path, CORPORA)}")
            (tmp_path / file).unlink()
            tried += 1
    assert tried > 150


@pytest.mark.parametrize(
    ("file", "column", "text", "told"),
    [
        (
            "yoruba/alignments.tsv",
            "gold",
            "zzz",
            "alignments.tsv:2: column 'gold' has zzz, which is no phone of yoruba",
        ),
        ("yoruba/alignments.tsv", "cost", "1e999", "alignments.tsv:2: column 'cost' should hold a number, not 1e999"),
        ("yoruba/alignments.tsv", "", "", "yoruba/alignments.tsv: is gone"),
        ("symbols.tsv", "count", "inf", "symbols.tsv:2: column 'count' should hold a whole number, not inf"),
        ("symbols.tsv", "corpus", "zzz", "symbols.tsv:2: column 'corpus' has zzz, which is no corpus of these results"),
        ("summary.tsv", "signature", "", "summary.tsv:2: has 10 cells, and the header 11"),
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


def test_what_no_check_foresees_names_the_tables_that_were_changed(small_run: Path, tmp_path: Path) -> None:
    """A confusion of phones that phones.tsv lacks: the figures cannot be drawn, and the manifest is put back."""
    results = Path(shutil.copytree(small_run / "results", tmp_path / "results"))
    path = results / "yoruba/phones.tsv"
    head, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([head, *(row for row in rows if row.startswith("predicted"))]), encoding="utf-8")
    code, said = command("report", "--quiet", "--figures", "entropy", results)
    assert code == 1
    assert "yoruba/phones.tsv" in said
    assert (results / "manifest.json").exists()
    assert "yoruba/phones.tsv: was changed after it was written" in command("verify", "--quiet", results)[1]
