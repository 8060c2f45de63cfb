"""The table of the documentation: its script prints what the estimators do."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_script_prints_bias_and_error_of_every_estimator() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "estimator_bias.py"), "10"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout  # noqa: S603
    header, _, first = printed.splitlines()[:3]
    names = [cell.strip() for cell in header.strip("|").split("|")][1:]
    assert names == ["ml", "miller-madow", "chao-shen", "shrink", "grassberger", "jeffreys", "laplace", "nsb"]
    off = dict(zip(names, re.findall(r"([+-][0-9.]+) \(([0-9.]+)\)", first), strict=True))
    assert float(off["ml"][0]) < -0.5  # five tokens cannot show many confusions
    assert float(off["laplace"][0]) > 1
    assert all(float(error) >= abs(float(bias)) for bias, error in off.values())
