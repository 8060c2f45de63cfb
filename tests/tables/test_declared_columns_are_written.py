"""Runs with everything switched on write every declared column: what no run writes is not declared."""

import re
from pathlib import Path

import pytest
from gate.made import make_experiments
from gate.running import compare_folders, run_tables
from made_languages import make as make_languages

import phonxling as px
from phonxling.tables.files import columns_of, declared_columns, declared_table, write_table

UNUSED = {"scoring_costs"}  # the made experiments learn costs of alignment alone


@pytest.mark.slow
def test_every_declared_column_is_written_by_some_run(tmp_path: Path) -> None:
    made = make_experiments(tmp_path / "made")
    make_languages(tmp_path / "made_languages", languages=16, utterances=20, phones=12)
    for configuration in [*made, tmp_path / "made_languages" / "made.yaml"]:
        text = configuration.read_text(encoding="utf-8")
        configuration.write_text(re.sub(r"resamples: \d+", "resamples: 20", text), encoding="utf-8")
        run_tables(configuration, tmp_path / configuration.stem.replace("made", "languages"))
    compare_folders([tmp_path / made[0].stem], tmp_path / "compared")
    write_table(tmp_path / "planned", "plan.tsv", px.plan(tmp_path / made[0].stem).table)
    written = set()
    for path in tmp_path.glob("[!m]*/**/*.tsv"):
        table = declared_table(path.relative_to(tmp_path).as_posix().partition("/")[2])
        assert table is not None
        header = path.read_text(encoding="utf-8").partition("\n")[0].split("\t")
        written |= {(table.table, column.column) for column in columns_of(table, header).values()}
    declared = {(column.table, column.column) for column in declared_columns() if column.table not in UNUSED}
    assert written == declared
