"""Boundary measures: R-values that another program prints, and rows of a run whose times are known."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from running import measured, tables_of
from small_experiment import make_experiment

from phonxling.analyses.tiers import r_value

# precision, recall and R-value in percent, as kamperh/vqwordseg prints them for its systems (results.md, log.md)
PRINTED = [
    (66.42, 75.77, 72.44),
    (70.54, 71.14, 75.06),
    (55.72, 74.68, 57.80),
    (72.27, 28.67, 49.40),
    (16.37, 62.36, -154.34),
]


@pytest.mark.parametrize(("precision", "recall", "printed"), PRINTED)
def test_r_values_of_published_systems(precision: float, recall: float, printed: float) -> None:
    gold, hits = 100_000.0, 1_000 * recall
    found = r_value(np.array(hits), np.array(gold), np.array(100 * hits / precision))
    assert 100 * float(found) == pytest.approx(printed, abs=0.06)


@pytest.mark.slow
def test_rows_of_a_run_where_a_third_of_the_boundaries_moved(tmp_path: Path) -> None:
    """Boundaries every 0.1 s; every third predicted one is 30 ms late, and one phone is cut in two."""
    config = make_experiment(tmp_path, utterances=12)
    gold, predicted = ["utterance\tstart\tend\tphone"], ["utterance\tstart\tend\tphone"]
    for place in range(12):
        times = np.arange(8) / 10
        moved = times + 0.03 * (np.arange(8) % 3 == 1)
        heard = np.sort([*moved, 0.65])
        for lines, edges, phone in ((gold, times, "b"), (predicted, heard, "B")):
            spans = pairwise(edges.tolist())
            lines += [f"yoruba_{place:02d}\t{start:.3f}\t{end:.3f}\t{phone}" for start, end in spans]
    for name, lines in (("gold", gold), ("predicted", predicted)):
        (tmp_path / "yoruba" / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = ["corpora.yoruba.posteriors=null", "chance.models=[constant]"]
    rows = tables_of(config, *settings)["summary"]
    own = rows[rows["corpus"] == "yoruba"].set_index("measure")
    # inner boundaries: gold .1 to .6; predicted .13 .2 .3 .43 .5 .6 .65: four of six met
    assert own.loc["boundary_f1", "value"] == pytest.approx(8 / 13)
    over = 7 / 6 - 1
    wanted = 1 - (np.hypot(1 / 3, over) + abs((-1 / 3 - over) / np.sqrt(2))) / 2
    assert own.loc["r_value", "value"] == pytest.approx(wanted)
    assert own.loc["r_value", "note"].startswith("72 gold boundaries, 84 predicted, 48 met")
    wide = tables_of(config, *settings, "boundaries.tolerance=0.03")
    assert measured(wide, "yoruba", "boundary_f1")["value"].tolist() == pytest.approx([12 / 13])
