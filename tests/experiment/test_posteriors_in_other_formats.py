"""Posteriors of a configuration: the files that a path leads to, and a frame shift that is not the file's."""

from pathlib import Path

import kaldi_native_io
import numpy as np
import pytest
from small_experiment import RECOGNISED, SHIFT, make_experiment

from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_configured
from phonxling.experiment.pipeline import describe_experiment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("experiment")
    make_experiment(made, utterances=6)
    return made


def test_the_manifest_holds_the_archives_and_labels_that_a_path_leads_to(folder: Path) -> None:
    path = folder / "p.scp"
    with kaldi_native_io.FloatMatrixWriter(f"ark,scp:{folder / 'p.ark'},{path}") as writer:
        writer.write("yoruba_00", np.full((9, len(RECOGNISED)), 0.1, np.float32))
    (folder / "phones.txt").write_text("\n".join(RECOGNISED), encoding="utf-8")
    posteriors = f"{{path: {path}, frame_shift: {SHIFT}, symbols: arpabet}}"
    experiment = load_configuration(folder / "small.yaml", [f"corpora.yoruba.posteriors={posteriors}"])
    assert {"p.scp", "p.ark", "phones.txt"} <= set(describe_experiment(experiment)["inputs"])  # type: ignore[call-overload]


@pytest.mark.parametrize(("shift", "told"), [(SHIFT, False), (2 * SHIFT / 1.9, True)])
def test_a_frame_shift_that_is_not_the_file_s_is_used_and_told(folder: Path, shift: float, told: bool) -> None:
    posteriors = f"{{path: {folder / 'yoruba/posteriors.npz'}, symbols: arpabet, frame_shift: {shift}}}"
    experiment = load_configuration(folder / "small.yaml", [f"corpora.yoruba.posteriors={posteriors}"])
    loaded = load_configured("yoruba", experiment.corpora["yoruba"], experiment)
    assert loaded.posteriorgrams.frame_shift == shift
    note = f"frame_shift: {shift:g} is used, though the posteriors' file says {SHIFT:g} s"
    assert (note in loaded.notes) == (note in loaded.posteriorgrams.notes) == told
