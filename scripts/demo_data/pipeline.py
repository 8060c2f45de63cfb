"""From nothing to the demo data: train on English, hear held-out English and the other languages, write and report."""

import random
from collections import Counter
from pathlib import Path

import numpy as np

from . import files, measures, sentences, words
from .espeak import Synthesiser
from .recogniser import Recogniser, train
from .speech import Utterance, speak
from .timing import SILENCE

_SHIFTS = (-2, -1, 0, 1, 2)
_CONFUSIONS = 15


def make(folder: Path, *, utterances: int, training: int, seed: int) -> None:
    """Make all languages below a folder and print what came out.

    Parameters
    ----------
    folder
        Where the folders of the languages go.
    utterances
        Of each language.
    training
        English utterances to train on; none of their words is in the English that is written.
    seed
        From which all that is random derives.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret is drawn
    noise = np.random.default_rng(seed)
    synthesiser = Synthesiser()
    training_words, test_words = words.split_dictionary(rng)
    texts = {
        "english": words.draw_words(test_words, utterances, rng),
        **{language: sentences.draw_sentences(language, utterances, rng) for language in sentences.LANGUAGES},
    }
    recogniser = train(speak(synthesiser, "english", words.draw_words(training_words, training, rng), rng), noise)
    for language, lines in texts.items():
        _make_language(folder / language, speak(synthesiser, language, lines, rng), recogniser, noise)
    files.write_checksums(folder)


def _make_language(
    folder: Path, utterances: list[Utterance], recogniser: Recogniser, noise: np.random.Generator
) -> None:
    posteriors, recognised = zip(*(recogniser.hear(utterance, noise) for utterance in utterances), strict=True)
    files.write_language(folder, utterances, posteriors, recognised)
    pairs: Counter[tuple[str, str]] = Counter()
    for utterance, heard in zip(utterances, recognised, strict=True):
        gold = [interval.phone for interval in utterance.phones if interval.phone != SILENCE]
        pairs += measures.count_pairs(gold, measures.to_ipa([phone.column for phone in heard]))
    inventory = {gold for gold, _ in pairs if gold != measures.GAP}
    tokens = sum(count for (gold, _), count in pairs.items() if gold != measures.GAP)
    print(f"{folder.name}: {len(utterances)} utterances, {tokens} phones of {len(inventory)} kinds")
    print(f"  phone error rate {measures.phone_error_rate(pairs):.1%}")
    print(f"  confusions {', '.join(measures.commonest_confusions(pairs, _CONFUSIONS))}")
    if folder.name == "english":
        accuracies = (f"{measures.frame_accuracy(utterances, posteriors, shift):.1%} at {shift:+}" for shift in _SHIFTS)
        print(f"  frame accuracy by shift of the gold in frames: {', '.join(accuracies)}")
