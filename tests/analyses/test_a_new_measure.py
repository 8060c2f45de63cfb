"""What a new measure costs: a function of counts, a line in a list, rows in measures.tsv; then it is everywhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from running import read_tsv
from small_experiment import make_experiment

from phonxling.results.tables import read_table

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = '''

def _hit_rate(counts: Counts) -> Floats:
    """Return the share of the tokens that were not deleted which are right, [R]."""
    return np.asarray(counts.pairs[counts.same].sum(axis=0) / np.maximum(counts.pairs.sum(axis=(0, 1)), 1.0))
'''
ENTRY = 'Statistic(name="hit_rate", of=_hit_rate, high=1.0), '
ROWS = (
    "hit_rate\t\tratio\t\tvalue\thigher\t18\tyes\t\thits\tHits among pairs\tright / pairs\tAt most 1.\n"
    "hit_rate_excess\tbest\tratio\thit_rate\texcess\thigher\t\t\t\t\tHits above chance\thits − chance\t0 at chance\n"
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the new measure: two files changed, eight lines."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("phonxling", "scripts", "docs"):
        shutil.copytree(ROOT / folder, copy / folder)  # with what is compiled
    statistics = copy / "phonxling" / "analyses" / "statistics.py"
    head, end, tail = statistics.read_text(encoding="utf-8").partition("\nSTATISTICS = (")
    assert end
    statistics.write_text(head + FUNCTION + end + ENTRY + tail, encoding="utf-8")
    with (copy / "phonxling" / "analyses" / "measures.tsv").open("a", encoding="utf-8") as table:
        table.write(ROWS)
    lines = [line for text in (FUNCTION, ENTRY, ROWS) for line in text.splitlines() if line.strip()]
    assert len(lines) <= 12
    return copy


def run(package: Path, *command: str | Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *command], env=environment, cwd=package, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_summary_the_page_the_papers_tables_compare_and_the_documentation_have_it(package: Path) -> None:
    folder = package / "results"
    run(package, "-m", "phonxling", "run", make_experiment(package / "data"), "--output", folder, "--workers=1")
    assert "Hits among pairs" in (folder / "report.html").read_text(encoding="utf-8")
    assert "Hits among pairs" in (folder / "paper" / "summary.tex").read_text(encoding="utf-8")
    summary = read_tsv(folder / "summary.tsv")
    for corpus in ("english", "yoruba"):
        own = summary[summary["corpus"] == corpus].set_index(["measure", "variant"])
        value = own.loc[("hit_rate", "")]
        assert 0 < float(value["low"]) < float(value["value"]) < float(value["high"]) <= 1
        confusions = read_table(folder, "confusions", corpus)
        pairs = confusions[(confusions["gold"] != "∅") & (confusions["predicted"] != "∅")]
        right = pairs.loc[pairs["gold"] == pairs["predicted"], "count"].sum()
        assert float(value["value"]) == pytest.approx(right / pairs["count"].sum())
        excess = own.loc[("hit_rate_excess", "best")]
        assert 0 < float(excess["low"]) < float(excess["value"]) < float(value["value"])

    run(package, "-m", "phonxling", "compare", folder, "--output", package / "compared")
    compared = pd.read_csv(package / "compared" / "differences.tsv", sep="\t", quoting=3)
    (row,) = compared[compared["measure"] == "hit_rate"].to_dict("records")
    assert row["value"] - row["other_value"] == pytest.approx(row["difference"])
    assert row["low"] < row["difference"] < row["high"]
    assert 0 <= row["p"] <= 1
