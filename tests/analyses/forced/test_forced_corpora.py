"""Forced tokens of folds, what they are heard as, unrelated gold phones, and what phones sound like: by slow loops."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from small_ctc import make_ctc_experiment

from phonxling.analyses.forced import (
    ForcedCorpus,
    correlation_of,
    divergence_of,
    force_corpus,
    gold_donors,
    plug_in,
    sound_information,
    sounds_beside,
    why_none,
)
from phonxling.analyses.loaded import LoadedCorpus
from phonxling.core.confusion import ConfusionMatrix
from phonxling.core.sequences import from_lists
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.corpora import load_configured
from phonxling.forced.aligning import forced_tokens, similar_sounds
from phonxling.forced.learning import learn
from phonxling.forced.values import ForcedRules
from phonxling.load.resources import panphon_features
from phonxling.settings.models import Experiment

Loaded = tuple[LoadedCorpus, Experiment]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    path = make_ctc_experiment(tmp_path_factory.mktemp("forced"), utterances=8)
    experiment = load_configuration(path, ["information.unit=frame"])
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
        times, tokens = forced_tokens(replace(heard, utterances=own.utterances), own, model, decide=True)
        span = slice(row, row := row + len(own.codes))
        np.testing.assert_allclose(found.forced.tokens.rows[span], tokens.rows)
        np.testing.assert_allclose(found.forced.tokens.decided[span], tokens.decided)
        np.testing.assert_allclose(found.forced.certainty[span], times.certainty)
        assert set(found.forced.tokens.utterances[span]) == {place}
    assert found.forced.tokens.places.tolist() == list(range(row))
    assert found.forced.tokens.read == sum(len(heard.raw(utterance)) for utterance in gold.utterances)


def test_unrelated_phones_are_of_other_speakers_and_fewer_bits(loaded: Loaded, found: ForcedCorpus) -> None:
    corpus, _ = loaded
    donors = gold_donors(corpus.segments)
    speakers = np.array(corpus.segments.speakers)
    drawn = donors.draw(np.arange(len(speakers)), np.random.default_rng(1))
    assert (speakers[drawn] != speakers).all()
    assert len(found.unrelated) == 5
    own = plug_in(found.forced.tokens, "frame")
    for one in found.unrelated:
        assert one.decision < own[0]
        assert one.sampled < own[1]
        assert one.sounds < sound_information(found.forced)
    alike = from_lists(["u", "v"], [["a", "b"], ["a", "b"]])
    assert why_none(alike) == "not every utterance has another one with other gold phones"


def test_unrelated_phones_that_need_more_frames_give_no_level(tmp_path: Path) -> None:
    frames = {"u": np.eye(3)[[0, 1]], "v": np.eye(3)[[0, 2, 0]]}  # a b, and a blank a
    np.savez(tmp_path / "p.npz", phones=np.array(["a", "b", "<blk>"]), frame_shift_s=np.array(0.02), **frames)
    (tmp_path / "gold.tsv").write_text("utterance\tphones\nu\ta b\nv\ta a\n", encoding="utf-8")
    path = tmp_path / "tight.yaml"
    path.write_text("corpora: {x: {gold: {path: gold.tsv}, posteriors: {path: p.npz, blank: <blk>}}}", encoding="utf-8")
    experiment = load_configuration(path, ["decoding.method=none"])
    tight = force_corpus(load_configured("x", experiment.corpora["x"], experiment), experiment)
    assert len(tight.forced.tokens) == 4
    assert tight.unrelated == ()
    assert tight.missing == "with their equal neighbours some need more frames than there are"


def test_information_of_sounds_by_its_definition(found: ForcedCorpus) -> None:
    codes, values = found.forced.segments.codes, []
    for learned in found.forced.learned:
        shares = [row / row.sum() if row.sum() else row for row in learned.counts]
        total = 0.0
        share = [np.mean(codes == y) for y in range(len(shares))]
        heard = [sum(p * row[e] for p, row in zip(share, shares, strict=True)) for e in range(7)]
        for p, row in zip(share, shares, strict=True):
            total += sum(p * m * np.log2(m / q) for m, q in zip(row, heard, strict=True) if m > 0 and p > 0)
        values.append(total)
    assert sound_information(found.forced) == pytest.approx(np.mean(values))


def test_sounds_beside_a_confusion_matrix(found: ForcedCorpus) -> None:
    gold, heard = found.forced.segments.inventory, found.learned.model.recogniser
    counts = np.random.default_rng(2).integers(1, 9, (len(gold), len(heard)))
    _, heard_as, _, confused = sounds_beside(found, ConfusionMatrix(gold, heard, counts))
    divergence = divergence_of(heard_as, confused)
    for code in range(len(gold)):
        shares = counts[code] / counts[code].sum()
        np.testing.assert_allclose(confused[code], shares)
        frames = found.learned.counts[code]
        expected = jensenshannon(frames / frames.sum(), shares, base=2) ** 2
        assert divergence[code] == pytest.approx(expected)
    *_, same = sounds_beside(found, ConfusionMatrix(gold, heard, found.learned.counts))
    np.testing.assert_allclose(divergence_of(heard_as, same), 0, atol=1e-9)
    assert correlation_of(heard_as, same) == pytest.approx(1)
