"""What the page's script reads of times and confidences is what alignments.tsv says, to a hundredth."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page

COLUMNS = {
    "goldStart": "gold_start",
    "goldEnd": "gold_end",
    "predictedStart": "predicted_start",
    "predictedEnd": "predicted_end",
    "confidence": "confidence",
}
READ = """async () => {
  SCRIPT
  const read = await readAlignments(page.corpora.at(-1).alignments);
  const arrays = Object.entries(read).filter(([, value]) => ArrayBuffer.isView(value));
  return { forced: read.forced, ...Object.fromEntries(arrays.map(([name, value]) => [name, Array.from(value)])) };
}"""


def test_the_script_reads_the_times_and_confidences_of_the_table(results: Path, open_page: Callable[..., Page]) -> None:
    script = (files("phonxling.report") / "assets" / "scripts" / "data.js").read_text(encoding="utf-8")
    read = open_page(results / "report.html").evaluate(READ.replace("SCRIPT", script.replace("export ", "")))
    rows = pd.read_csv(results / "yoruba/alignments.tsv", sep="\t", usecols=list(COLUMNS.values()), quoting=3)
    assert read["forced"] is False
    assert rows.notna().any(axis=None)
    for name, column in COLUMNS.items():
        np.testing.assert_allclose(np.array(read[name], dtype=float), rows[column], atol=0.00501)
