"""Tables that were changed after a run: each change is one error that names file, row and column."""

import shutil
from pathlib import Path

import pytest
from running import command


@pytest.mark.parametrize(
    ("file", "column", "text", "told"),
    [
        ("alignments.tsv", "cost", "1e999", "alignments.tsv:2: column 'cost' should hold a number, not 1e999"),
        ("alignments.tsv", "", "", "alignments.tsv: is gone"),
        ("summary.tsv", "corpus", "zzz", "summary.tsv:2: column 'corpus' has zzz, not a corpus"),
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


def test_a_changed_setting_is_not_written_again_as_if_it_were_whole(small_run: Path, tmp_path: Path) -> None:
    results = Path(shutil.copytree(small_run / "results", tmp_path / "results"))
    manifest = (results / "manifest.json").read_text(encoding="utf-8")
    (results / "manifest.json").write_text(manifest.replace('"seed": ', '"seed": 1'), encoding="utf-8")
    for asked in ("report", "verify"):
        code, said = command(asked, "--quiet", results)
        assert code == 1
        assert "manifest.json: was changed after it was written" in said
