"""Confidences of a CTM file under sclite's costs, from the command line, by hand."""

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phonxling.cli import app

STM = "u1 1 s1 0.0 1.0 <O,F> sil aa b\nu2 1 s2 0.0 1.0 <O,M> iy s\n"
CTM = """\
u1 1 0.00 0.10 SIL 1.00
u1 1 0.10 0.10 AA 0.80
u1 1 0.10 0.10 D 0.40
u2 1 0.00 0.10 IY 0.90
u2 1 0.10 0.10 S 0.70
u2 1 0.20 0.10 T 0.30
"""


@pytest.mark.parametrize(("silence", "phones"), [("keep", 6), ("drop", 5)])
def test_insertions_count_and_silence_counts_when_it_is_kept(tmp_path: Path, silence: str, phones: int) -> None:
    (tmp_path / "gold.stm").write_text(STM, encoding="utf-8")
    (tmp_path / "heard.ctm").write_text(CTM, encoding="utf-8")
    command = ["score", str(tmp_path / "gold.stm"), str(tmp_path / "heard.ctm"), "--costs", "sclite", "--json"]
    command += ["--symbols", "timit39,timit39", "--silence", silence]
    found = CliRunner().invoke(app, command, catch_exceptions=False)
    assert found.exit_code == 0
    right = [math.log2(a) for a in (0.8, 0.9, 0.7)] + [math.log2(1 - 1e-7)] * (silence == "keep")
    wrong = [math.log2(1 - a) for a in (0.4, 0.3)]  # a substitution and an insertion
    hits = len(right)
    baseline = -hits * math.log2(hits / phones) - 2 * math.log2(2 / phones)
    assert json.loads(found.stdout)["nce"] == pytest.approx((baseline + sum(right) + sum(wrong)) / baseline, rel=1e-9)
