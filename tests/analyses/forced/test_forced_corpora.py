"""Forced tokens of folds, and the table of sounds: by slow loops."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_ctc import make_ctc_experiment

from phonxling.analyses.context import CorpusContext
from phonxling.analyses.forced import ForcedCorpus, analyse_forced, force_corpus
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.analyses.measures import Row
from phonxling.configuration.models import Experiment
from phonxling.configuration.reading import load_configuration
from phonxling.experiment.corpora import load_configured
from phonxling.load.resources import panphon_features
from phonxling.posteriors.forced_alignment import ForcedRules, forced_tokens, similar_sounds
from phonxling.posteriors.forced_learning import learn

Loaded = tuple[LoadedCorpus, Experiment]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    path = make_ctc_experiment(tmp_path_factory.mktemp("forced"), utterances=8)
    experiment = load_configuration(path, [])
    return load_configured("yoruba", experiment.corpora["yoruba"], experiment), experiment


@pytest.fixture(scope="module")
def found(loaded: Loaded) -> ForcedCorpus:
    return force_corpus(*loaded)


def test_each_utterance_is_aligned_by_what_the_other_speakers_taught(loaded: Loaded, found: ForcedCorpus) -> None:
    corpus, _ = loaded
    gold, heard = corpus.segments, corpus.posteriorgrams
    start = similar_sounds(gold.inventory, heard.inventory, panphon_features(), ForcedRules().sharpness)
    fold = {speaker: number % 2 for number, speaker in enumerate(dict.fromkeys(gold.speakers))}
    row = 0
    for place, speaker in enumerate(gold.speakers):
        others = gold.select(np.array([u for u, name in enumerate(gold.speakers) if fold[name] != fold[speaker]]))
        model = learn(replace(heard, utterances=others.utterances), others, start).model
        own = gold.select(np.array([place]))
        times, tokens = forced_tokens(replace(heard, utterances=own.utterances), own, model)
        span = slice(row, row := row + len(own.codes))
        np.testing.assert_allclose(found.tokens.rows[span], tokens.rows)
        np.testing.assert_allclose(found.certainty[span], times.certainty)
        assert set(found.tokens.utterances[span]) == {place}
    assert found.tokens.places.tolist() == list(range(row))
    assert found.tokens.read == sum(len(heard.raw(utterance)) for utterance in gold.utterances)


def test_the_table_of_sounds_has_each_share_of_frames_and_certainty(loaded: Loaded, found: ForcedCorpus) -> None:
    corpus, experiment = loaded
    case = CorpusContext(loaded=corpus, experiment=experiment, forced=found)
    (name, table), row = analyse_forced(case, experiment.times)
    assert (name, isinstance(row, Row) and row.measure) == ("sounds", "times_certainty")
    segments, counts = found.segments, found.learned.counts
    for cell in table.to_dict("records"):
        code = segments.inventory.code(cell["gold"])
        frames = counts[code, found.learned.model.recogniser.code(cell["recognised"])]
        assert cell["probability"] == pytest.approx(frames / counts[code].sum())
        assert cell["certainty"] == pytest.approx(found.certainty[segments.codes == code].mean())
    assert row.estimate.value == pytest.approx(found.certainty.mean())
    assert len(table) == counts.size


def test_one_utterance_is_aligned_by_what_it_taught_and_that_is_said(tmp_path: Path) -> None:
    frames = {"u": np.eye(3)[[0, 1]]}
    np.savez(tmp_path / "p.npz", phones=np.array(["a", "b", "<blk>"]), frame_shift_s=np.array(0.02), **frames)
    (tmp_path / "gold.tsv").write_text("utterance\tphones\nu\ta b\n", encoding="utf-8")
    path = tmp_path / "one.yaml"
    path.write_text("corpora: {x: {gold: {path: gold.tsv}, posteriors: {path: p.npz, blank: <blk>}}}", encoding="utf-8")
    experiment = load_configuration(path, ["decoding.method=none", "pairing.check_posteriors=false"])
    corpus = load_configured("x", experiment.corpora["x"], experiment)
    own = force_corpus(corpus, experiment)
    *_, row = analyse_forced(CorpusContext(loaded=corpus, experiment=experiment, forced=own), None)
    assert "not cross-fitted: learned on all utterances" in row.note
