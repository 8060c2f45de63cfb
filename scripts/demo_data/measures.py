"""What the script says about its data: phone error rate, frame accuracy, commonest confusions.

Unit costs and plain loops, and none of the toolkit's code: the toolkit's results on these data can be held against it.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .recogniser import frame_labels
from .speech import Utterance
from .symbols import ARPABET_TO_IPA

GAP = "∅"


def count_pairs(gold: Sequence[str], predicted: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return the pairs of a Levenshtein alignment; `GAP` faces an inserted or deleted phone."""
    table = np.zeros((len(gold) + 1, len(predicted) + 1), dtype=int)
    table[:, 0] = np.arange(len(gold) + 1)
    table[0] = np.arange(len(predicted) + 1)
    for row, phone in enumerate(gold, 1):
        for column, heard in enumerate(predicted, 1):
            diagonal = table[row - 1, column - 1] + (phone != heard)
            table[row, column] = min(diagonal, table[row - 1, column] + 1, table[row, column - 1] + 1)
    return _trace(gold, predicted, table)


def _trace(gold: Sequence[str], predicted: Sequence[str], table: NDArray[np.int_]) -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    row, column = len(gold), len(predicted)
    while row or column:
        mismatch = row and column and gold[row - 1] != predicted[column - 1]
        if row and column and table[row, column] == table[row - 1, column - 1] + mismatch:
            row, column = row - 1, column - 1
            pairs[gold[row], predicted[column]] += 1
        elif row and table[row, column] == table[row - 1, column] + 1:
            row -= 1
            pairs[gold[row], GAP] += 1
        else:
            column -= 1
            pairs[GAP, predicted[column]] += 1
    return pairs


def phone_error_rate(pairs: Counter[tuple[str, str]]) -> float:
    """Return substitutions, deletions and insertions over gold phones."""
    errors = sum(count for (gold, predicted), count in pairs.items() if gold != predicted)
    return errors / sum(count for (gold, _), count in pairs.items() if gold != GAP)


def commonest_confusions(pairs: Counter[tuple[str, str]], number: int) -> list[str]:
    """Return the most frequent substitutions as gold→predicted with their counts; equal counts in order of symbols."""
    substitutions = [
        (count, gold, predicted)
        for (gold, predicted), count in pairs.items()
        if gold != predicted and GAP not in (gold, predicted)
    ]
    ordered = sorted(substitutions, key=lambda found: (-found[0], found[1], found[2]))
    return [f"{gold}→{predicted} {count}" for count, gold, predicted in ordered[:number]]


def frame_accuracy(utterances: Sequence[Utterance], posteriors: Sequence[NDArray[np.float16]], shift: int = 0) -> float:
    """Return the share of English frames whose likeliest phone is the gold phone `shift` frames later."""
    correct = total = 0
    for utterance, posterior in zip(utterances, posteriors, strict=True):
        gold = frame_labels(utterance.phones, len(posterior))
        heard = posterior.argmax(1)
        frames = np.arange(max(0, -shift), len(gold) - max(0, shift))
        correct += int((heard[frames] == gold[frames + shift]).sum())
        total += len(frames)
    return correct / total


def to_ipa(labels: Sequence[str]) -> list[str]:
    """Return recognised phones in IPA, without silence."""
    return [ARPABET_TO_IPA[label] for label in labels if label in ARPABET_TO_IPA]
