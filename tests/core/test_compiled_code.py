"""Numba has a place for its code, or gets one that is nobody else's."""

import os
import shutil
from pathlib import Path

import pytest
from running import python

import phonxling

_SCORED = """\
import os, stat
from pathlib import Path
import phonxling as px
corpus = px.load_corpus([["a", "b"], ["k"]], [["a", "p"], ["g"]])
aligned = px.align_corpus(corpus, px.feature_costs(corpus.gold_inventory, corpus.predicted_inventory))
print(px.count_confusions(aligned).counts.sum())
place = Path(os.environ.get("NUMBA_CACHE_DIR", ""))
print(place, stat.S_IMODE(place.stat().st_mode))
"""


@pytest.mark.slow  # everything is compiled anew
def test_where_nothing_can_be_kept_it_is_a_private_folder_that_goes_with_the_process(tmp_path: Path) -> None:
    """Neither the installation nor a home can be written to: `__pycache__` is a file, at which even root fails."""
    own = tmp_path / "phonxling"
    shutil.copytree(Path(phonxling.__file__).parent, own, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (own, *(path for path in own.iterdir() if path.is_dir())):
        (folder / "__pycache__").touch()
    nowhere = {"PYTHONPATH": str(tmp_path), "HOME": "/dev/null/x", "XDG_CACHE_HOME": "/dev/null/x"}
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | nowhere
    tokens, place, mode = python("-c", _SCORED, env=environment, cwd=tmp_path, check=True).stdout.split()
    assert float(tokens) == 3
    assert int(mode) == 0o700
    assert not Path(place).exists()
    scored = ["score", *(str(tmp_path / side) for side in ("gold.tsv", "predicted.tsv"))]
    for side, phones in (("gold", "a b"), ("predicted", "a p")):
        (tmp_path / f"{side}.tsv").write_text(f"utterance\tphones\n1\t{phones}\n", encoding="utf-8")
    done = python("-m", "phonxling", *scored, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
