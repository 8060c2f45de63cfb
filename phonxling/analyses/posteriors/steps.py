"""What posteriors say over time: frames averaged into steps, and of each step the labels of highest probability."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.work import Record
from phonxling.decoding.frames import blocks

MOST = 4  # labels of a step
LEAST = 5  # hundredths


def label_names(posteriorgrams: Posteriorgrams) -> tuple[tuple[str, ...], Codes]:
    """Return the L names of labels, and the number of that of each column, [K].

    Columns of one phone share its name; those that stand for no phone, such as silence and blank, keep their label.
    """
    if posteriorgrams.spelling is None:
        raise AssertionError("the labels are known")
    phones, columns = posteriorgrams.inventory.phones, posteriorgrams.columns
    others = list(
        dict.fromkeys(label for label, of in zip(posteriorgrams.spelling.labels, columns, strict=True) if of < 0)
    )
    labels = zip(posteriorgrams.spelling.labels, columns.tolist(), strict=True)
    codes = [of if of >= 0 else len(phones) + others.index(label) for label, of in labels]
    return (*phones, *others), np.array(codes, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Stepping:
    """Frames by the number of the label of each column, [K], and how many frames are averaged."""

    posteriorgrams: Posteriorgrams
    labels: Codes
    frames: int


def steps_shard(stepping: Stepping, utterance: str) -> Record:
    """Return the labels of an utterance's steps, `first` and `last` (exclusive) frame, `label`, `hundredths` of each.

    Of a step up to four, the most probable first, of equal ones that of the lower number; rounded to 0.01, and only
    such of 0.05 or more. Neighbouring steps with the same labels and numbers are one. Errors as for
    `Posteriorgrams.frames`.
    """
    means = np.concatenate(list(_means(stepping, utterance)))
    order = np.argsort(-means, axis=1, kind="stable")[:, :MOST]
    hundredths = np.rint(np.take_along_axis(means, order, axis=1) * 100).astype(np.int64)
    shown = np.where(hundredths >= LEAST, order, -1)
    said = np.concatenate([shown, np.where(shown >= 0, hundredths, 0)], axis=1)
    begins = np.flatnonzero(np.append(True, (said[1:] != said[:-1]).any(axis=1))[: len(said)])
    until = np.append(begins[1:], len(said))
    total = len(stepping.posteriorgrams.raw(utterance))
    step, rank = np.nonzero(shown[begins] >= 0)
    return {
        "first": begins[step] * stepping.frames,
        "last": np.minimum(until[step] * stepping.frames, total),
        "label": shown[begins][step, rank],
        "hundredths": hundredths[begins][step, rank],
    }


def _means(stepping: Stepping, utterance: str) -> Iterator[Floats]:
    """Yield the mean probability of each label in one step after the other, [S, L]; the last step may be short."""
    size, labels = stepping.frames, int(stepping.labels.max(initial=-1)) + 1
    yield np.zeros((0, labels))
    rest = np.zeros((0, len(stepping.labels)))
    for block in blocks(stepping.posteriorgrams, utterance):
        rows = np.concatenate([rest, block])
        whole = len(rows) // size * size
        yield _summed(rows[:whole].reshape(-1, size, rows.shape[1]).mean(axis=1), stepping.labels, labels)
        rest = rows[whole:]
    if len(rest):
        yield _summed(rest.mean(axis=0, keepdims=True), stepping.labels, labels)


def _summed(columns: Floats, codes: Codes, labels: int) -> Floats:
    summed = np.zeros((len(columns), labels))
    for column, label in enumerate(codes):
        summed[:, label] += columns[:, column]
    return summed
