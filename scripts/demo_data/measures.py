"""What the script says about its data: phone error rate and frame accuracy.

Unit costs and plain loops, and none of the toolkit's code: the toolkit's results on these data can be held against it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .recogniser import frame_labels
from .speech import Utterance
from .symbols import ARPABET_TO_IPA
from .timing import SILENCE


def report(language: str, utterances: Sequence[Utterance], heard: Sequence[Sequence[str]]) -> None:
    """Print the error rate of what was heard, in the recogniser's labels."""
    said = [[interval.phone for interval in each.phones if interval.phone != SILENCE] for each in utterances]
    found = [[ARPABET_TO_IPA[label] for label in labels if label in ARPABET_TO_IPA] for labels in heard]
    errors, tokens = sum(map(edit_distance, said, found)), sum(map(len, said))
    kinds = len({phone for phones in said for phone in phones})
    print(f"{language}: {len(said)} utterances, {tokens} phones of {kinds} kinds, error rate {errors / tokens:.1%}")


def edit_distance(gold: Sequence[str], predicted: Sequence[str]) -> int:
    """Return the least number of substitutions, deletions and insertions."""
    row = [*range(len(predicted) + 1)]
    for number, phone in enumerate(gold, 1):
        above, row = row, [number]
        for place, heard in enumerate(predicted):
            row.append(min(above[place] + (phone != heard), above[place + 1] + 1, row[place] + 1))
    return row[-1]


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
