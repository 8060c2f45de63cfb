"""The same posteriors in each format and scale, from the configuration to the mutual information."""

import json
from pathlib import Path

import h5py
import kaldi_native_io
import numpy as np
import pytest
from small_experiment import RECOGNISED, SHIFT, make_experiment

from phonxling.analyses.association import association
from phonxling.analyses.context import CorpusContext
from phonxling.analyses.measures import Row
from phonxling.configuration.reading import load_configuration
from phonxling.experiment.checking import read_tokens
from phonxling.experiment.corpora import load_configured
from phonxling.experiment.pipeline import describe_experiment

LABELS = json.dumps(list(RECOGNISED))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("experiment")
    make_experiment(made, utterances=6)
    return made


@pytest.fixture(scope="module")
def frames(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "yoruba" / "posteriors.npz") as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files if name.startswith("yoruba")}


def save(folder: Path, kind: str, frames: dict[str, np.ndarray]) -> str:
    """Write the posteriors in a format; return what the configuration says of them."""
    path = folder / f"p.{kind}"
    if kind == "h5":
        with h5py.File(path, "w") as file:
            file.attrs["phones"], file.attrs["frame_shift_s"] = list(RECOGNISED), SHIFT
            for name, values in frames.items():
                file[name] = values
    else:
        with kaldi_native_io.FloatMatrixWriter(f"ark,scp:{folder / 'p.ark'},{path}") as writer:
            for name, values in frames.items():
                writer.write(name, values)
    (folder / "phones.txt").write_text("\n".join(RECOGNISED), encoding="utf-8")
    return f"path: {path}, frame_shift: {SHIFT}, symbols: arpabet"


def case_of(folder: Path, posteriors: str) -> CorpusContext:
    settings = [f"corpora.yoruba.posteriors={{{posteriors}}}"]
    experiment = load_configuration(folder / "small.yaml", settings)
    loaded = load_configured("yoruba", experiment.corpora["yoruba"], experiment)
    return CorpusContext(loaded=loaded, experiment=experiment, tokens=read_tokens(loaded, experiment).tokens)


def rows(folder: Path, posteriors: str) -> list[tuple[object, ...]]:
    case = case_of(folder, posteriors)
    items = association(case, case.experiment.information)
    return [(item.measure, item.variant, item.estimate.value, item.note) for item in items if isinstance(item, Row)]


@pytest.mark.parametrize("scale", ["log-probability", "logit"])
def test_every_scale_gives_the_numbers_of_the_probabilities(
    folder: Path, frames: dict[str, np.ndarray], scale: str
) -> None:
    sums = {name: values / values.sum(axis=1, keepdims=True) for name, values in frames.items()}
    with np.errstate(divide="ignore"):
        other = {name: np.log(values) + (7 if scale == "logit" else 0) for name, values in sums.items()}
    expected = rows(folder, save(folder, "h5", sums))
    found = rows(folder, save(folder, "h5", other) + f", scale: {scale}")
    for (measure, _, value, _), (_, _, wanted, _) in zip(found, expected, strict=True):
        assert value == pytest.approx(wanted, abs=1e-6), measure


def test_a_blank_is_left_out_by_weight_and_its_share_is_told(folder: Path, frames: dict[str, np.ndarray]) -> None:
    share = {name: np.linspace(0.1, 0.9, len(values)) for name, values in frames.items()}
    blanked = {
        name: np.column_stack([values * (1 - share[name])[:, None], share[name] * values.sum(axis=1)])
        for name, values in frames.items()
    }
    path = folder / "blank.npz"
    np.savez(path, phones=np.array([*RECOGNISED, "<b>"]), frame_shift_s=np.array(SHIFT), **blanked)  # type: ignore[arg-type]
    found = rows(folder, f"path: {path}, symbols: arpabet, blank: <b>")
    assert "share of the mass that is blank: 0.500" in str(found[0][3])


def test_the_manifest_holds_the_archives_and_labels_that_a_path_leads_to(
    folder: Path, frames: dict[str, np.ndarray]
) -> None:
    posteriors = save(folder, "scp", frames)
    experiment = load_configuration(folder / "small.yaml", [f"corpora.yoruba.posteriors={{{posteriors}}}"])
    assert {"p.scp", "p.ark", "phones.txt"} <= set(describe_experiment(experiment)["inputs"])  # type: ignore[call-overload]


@pytest.mark.parametrize(("shift", "told"), [(SHIFT, False), (2 * SHIFT / 1.9, True)])
def test_a_frame_shift_that_is_not_the_file_s_is_used_and_told(folder: Path, shift: float, told: bool) -> None:
    posteriors = f"{{path: {folder / 'yoruba/posteriors.npz'}, symbols: arpabet, frame_shift: {shift}}}"
    experiment = load_configuration(folder / "small.yaml", [f"corpora.yoruba.posteriors={posteriors}"])
    loaded = load_configured("yoruba", experiment.corpora["yoruba"], experiment)
    assert loaded.posteriorgrams.frame_shift == shift
    note = f"frame_shift: {shift:g} is used, though the posteriors' file says {SHIFT:g} s"
    assert (note in loaded.notes) == told
