"""From nothing to the demo data: train on English, hear held-out English and the other languages, write and report."""

import random
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from . import files, measures, sentences, words
from .espeak import Synthesiser
from .recogniser import PHONES, train
from .speech import Utterance, speak

_SHIFTS = (-2, -1, 0, 1, 2)
Languages = Mapping[Path, list[Utterance]]  # by the folder of each
_FURTHER = 48  # utterances of each further language, four of a speaker


def make(folder: Path, *, recognisers: Collection[str], utterances: int, training: int, seed: int) -> None:
    """Make all languages below a folder and print what came out; `mlp` among the recognisers writes gold and text.

    None of the words of the `training` English utterances is in the English that is written.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret is drawn
    synthesiser = Synthesiser()
    training_words, test_words = words.split_dictionary(rng)
    texts = {
        "english": words.draw_words(test_words, utterances, rng),
        **{language: sentences.draw_sentences(language, utterances, rng) for language in sentences.LANGUAGES},
    }
    english = speak(synthesiser, "english", words.draw_words(training_words, training, rng), rng)
    spoken = {folder / language: speak(synthesiser, language, lines, rng) for language, lines in texts.items()}
    own = random.Random(f"further {seed}")  # noqa: S311 - so that what is above stays as it is
    lines = {language: sentences.draw_sentences(language, _FURTHER, own) for language in sentences.FURTHER}
    further = {folder / language: speak(synthesiser, language, lines[language], own) for language in sentences.FURTHER}
    for language in (*spoken, *further):
        language.mkdir(parents=True, exist_ok=True)
    if "mlp" in recognisers:
        _with_times(english, spoken, further, np.random.default_rng(seed))
    if "ctc" in recognisers:
        _without_times(english, spoken, np.random.default_rng([seed, 1]))
    files.write_checksums(folder)


def _with_times(english: list[Utterance], spoken: Languages, further: Languages, noise: np.random.Generator) -> None:
    """Train the classifier of frames; it hears all languages, and posteriors of the further ones are not kept."""
    recogniser = train(english, noise)
    for folder, utterances in {**spoken, **further}.items():
        heard, recognised = zip(*(recogniser.hear(utterance, noise) for utterance in utterances), strict=True)
        files.write_language(folder, utterances, heard if folder in spoken else None, recognised)
        measures.report(folder.name, utterances, [[PHONES[phone.column] for phone in phones] for phones in recognised])
        if folder.name == "english":
            accuracies = (f"{measures.frame_accuracy(utterances, heard, shift):.1%} at {shift:+}" for shift in _SHIFTS)
            print(f"  frame accuracy by shift of the gold in frames: {', '.join(accuracies)}")


def _without_times(english: list[Utterance], spoken: Languages, noise: np.random.Generator) -> None:
    """Train the CTC network; it hears the first four languages."""
    from . import ctc  # torch is needed for this recogniser alone

    recogniser = ctc.train(english, noise)
    for folder, utterances in spoken.items():
        logits = [recogniser.hear(utterance, noise) for utterance in utterances]
        files.write_arrays(folder / "ctc.npz", utterances, logits, labels=ctc.LABELS, frame_shift=ctc.FRAME_SHIFT)
        measures.report(folder.name, utterances, [ctc.likeliest_labels(each) for each in logits])
        blank = np.concatenate([each.argmax(1) for each in logits]) == ctc.LABELS.index(ctc.BLANK)
        print(f"  the blank is likeliest in {blank.mean():.1%} of {len(blank)} frames")
