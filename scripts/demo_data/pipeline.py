"""From nothing to the demo data: train on English, hear held-out English and the other languages, write and report."""

import random
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import files, sentences
from .espeak import Synthesiser
from .recogniser import PHONES, frame_labels, train
from .speech import Utterance, speak
from .symbols import ARPABET_TO_IPA
from .timing import SILENCE

_SHIFTS = (-2, -1, 0, 1, 2)
Languages = Mapping[Path, list[Utterance]]  # by the folder of each
_FURTHER = 48  # utterances of each further language, four of a speaker


def make(folder: Path, *, recognisers: Collection[str], utterances: int, training: int, seed: int) -> None:
    """Make all languages below a folder and print what came out; `mlp` among the recognisers writes gold and text.

    None of the words of the `training` English utterances is in the English that is written.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret is drawn
    synthesiser = Synthesiser()
    training_words, test_words = sentences.split_dictionary(rng)
    texts = {
        "english": sentences.draw_words(test_words, utterances, rng),
        **{language: sentences.draw_sentences(language, utterances, rng) for language in sentences.LANGUAGES},
    }
    english = speak(synthesiser, "english", sentences.draw_words(training_words, training, rng), rng)
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
        _report(folder.name, utterances, [[PHONES[phone.column] for phone in phones] for phones in recognised])
        if folder.name == "english":
            accuracies = (f"{_frame_accuracy(utterances, heard, shift):.1%} at {shift:+}" for shift in _SHIFTS)
            print(f"  frame accuracy by shift of the gold in frames: {', '.join(accuracies)}")


def _without_times(english: list[Utterance], spoken: Languages, noise: np.random.Generator) -> None:
    """Train the CTC network; it hears the first four languages."""
    from . import ctc  # torch is needed for this recogniser alone

    recogniser = ctc.train(english, noise)
    for folder, utterances in spoken.items():
        logits = [recogniser.hear(utterance, noise) for utterance in utterances]
        files.write_arrays(folder / "ctc.npz", utterances, logits, labels=ctc.LABELS, frame_shift=ctc.FRAME_SHIFT)
        _report(folder.name, utterances, [ctc.likeliest_labels(each) for each in logits])
        blank = np.concatenate([each.argmax(1) for each in logits]) == ctc.LABELS.index(ctc.BLANK)
        print(f"  the blank is likeliest in {blank.mean():.1%} of {len(blank)} frames")


def _report(language: str, utterances: Sequence[Utterance], heard: Sequence[Sequence[str]]) -> None:
    """Print the error rate of what was heard, by none of the toolkit's code, whose results can be held against it."""
    said = [[interval.phone for interval in each.phones if interval.phone != SILENCE] for each in utterances]
    found = [[ARPABET_TO_IPA[label] for label in labels if label in ARPABET_TO_IPA] for labels in heard]
    errors, tokens = sum(map(_edit_distance, said, found)), sum(map(len, said))
    kinds = len({phone for phones in said for phone in phones})
    print(f"{language}: {len(said)} utterances, {tokens} phones of {kinds} kinds, error rate {errors / tokens:.1%}")


def _edit_distance(gold: Sequence[str], predicted: Sequence[str]) -> int:
    """Return the least number of substitutions, deletions and insertions."""
    row = [*range(len(predicted) + 1)]
    for number, phone in enumerate(gold, 1):
        above, row = row, [number]
        for place, heard in enumerate(predicted):
            row.append(min(above[place] + (phone != heard), above[place + 1] + 1, row[place] + 1))
    return row[-1]


def _frame_accuracy(
    utterances: Sequence[Utterance], posteriors: Sequence[NDArray[np.float16]], shift: int = 0
) -> float:
    """Return the share of English frames whose likeliest phone is the gold phone `shift` frames later."""
    correct = total = 0
    for utterance, posterior in zip(utterances, posteriors, strict=True):
        gold = frame_labels(utterance.phones, len(posterior))
        heard = posterior.argmax(1)
        frames = np.arange(max(0, -shift), len(gold) - max(0, shift))
        correct += int((heard[frames] == gold[frames + shift]).sum())
        total += len(frames)
    return correct / total
