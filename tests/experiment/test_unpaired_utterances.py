"""Utterances that one side alone has: refused, or left out where a share is allowed and named in the results."""

from pathlib import Path

import numpy as np
import pytest
from running import all_numbers, command, tables_of
from small_experiment import make_experiment

PAIRED = "left out as unpaired, 2 utterances: yoruba_03 heard"
TIED = "left out as unpaired with posteriors, 2 utterances: yoruba_03 scored"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an experiment where neither predictions nor posteriors know yoruba_03; each has one more."""
    make_experiment(tmp_path, utterances=8)
    predicted, posteriors = tmp_path / "yoruba" / "predicted.tsv", tmp_path / "yoruba" / "posteriors.npz"
    text = predicted.read_text(encoding="utf-8")
    predicted.write_text(text.replace("yoruba_03\t", "heard\t"), encoding="utf-8")
    with np.load(posteriors) as archive:
        arrays = {name.replace("yoruba_03", "scored"): archive[name] for name in archive.files}
    np.savez(posteriors, **arrays)
    return tmp_path


def test_an_allowed_share_is_left_out_and_named_in_the_results(folder: Path) -> None:
    allowed = "--set=pairing.allow_unpaired=0.25"
    code, text = command("check", folder / "small.yaml", allowed)
    assert code == 0
    assert "yoruba (target): 7 utterances, 56 gold phones" in text
    assert {f"  note: {PAIRED}", f"  note: {TIED}"} < set(text.splitlines())
    summary = all_numbers(tables_of(folder / "small.yaml", "pairing.allow_unpaired=0.25"))
    rows = summary[summary["corpus"] == "yoruba"].set_index("measure")
    assert rows.loc["utterances", ["value", "note"]].tolist() == [7, PAIRED]
    assert rows.loc["posterior_mutual_information", "note"].iloc[0].split("; ")[0] == TIED
    assert not summary[summary["corpus"] == "english"]["note"].str.contains("unpaired").any()
