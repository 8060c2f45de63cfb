"""Tone and segment together: whether a phone is right, whether its tone is right, whether both are.

Which phone bears a tone
------------------------
The tier has each tone with the number of phones before it, its own phone among them. Tones with the same number are one
tone string (˥ ˩ written as two is ˥˩). It belongs to the phone of that number, if that one is syllabic; else to the
nearest syllabic phone before it in its utterance, so that "m a n ˥" is m a˥ n, unless there is none, or it bears a tone
string already: then to the phone itself, as in "a˥ ŋ˩". Downstep ꜜ and upstep ꜛ stand between tones and are no part of
a string; a tone before the first phone has no bearer.

What counts
-----------
Each gold phone that bears a tone, in the alignment of the phones. The segment is right when the aligned phone has the
same symbol, the tone when it bears the same tone string. Of a deleted phone neither is right, even if its tone was
heard on a neighbour: the tone error rate, whose tier is aligned apart from the phones, counts such a tone as right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phonxling.core.alignment import CORRECT, Alignments
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import STEPS
from phonxling.core.sequences import PhoneSequences

Floats = NDArray[np.float64]
OUTCOMES = ("both_right", "segment_right_tone_wrong", "tone_right_segment_wrong", "both_wrong")


def phone_tones(phones: PhoneSequences, table: FeatureTable) -> list[str]:
    """Return the tone string of each phone, [N], "" for none; all "" without a tone tier.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> toy = FeatureTable(name="toy", digest="", features=("syl", "cons"), segments=("a", "n"),
    ...                    values=[[1, -1], [-1, 1]], weights={})
    >>> tier = PhoneSequences(**{**from_lists(["u"], [["˥", "˩", "˧"]]).__dict__, "after": [2, 2, 3]})
    >>> spoken = PhoneSequences(**{**from_lists(["u"], [["a", "n", "n"]]).__dict__, "tones": tier})
    >>> phone_tones(spoken, toy)
    ['˥˩', '', '˧']
    """
    found = [""] * len(phones.codes)
    if phones.tones is None or phones.tones.after is None:
        return found
    syllabic = np.array([table.matches(phone, "+syl") for phone in phones.inventory], dtype=bool)[phones.codes]
    for (utterance, number), tone in _strings(phones.tones).items():
        first = int(phones.offsets[utterance])
        found[_bearer(first, first + number - 1, syllabic, found)] += tone
    return found


class Outcomes(NamedTuple):
    """Of each gold phone that bears a tone, [T]: its utterance, its tone, the outcome, and whether it was deleted."""

    utterance: NDArray[np.int64]
    tone: list[str]
    outcome: NDArray[np.int64]
    deleted: NDArray[np.bool_]


def joint_outcomes(aligned: Alignments, gold: list[str], predicted: list[str]) -> Outcomes:
    """Return what became of each gold phone that bears a tone; outcomes are positions in `OUTCOMES`.

    `gold` and `predicted` are the tone strings of all phones, as `phone_tones`
    has them.
    """
    spoken = aligned.gold < len(aligned.gold_inventory)
    heard = aligned.predicted < len(aligned.predicted_inventory)
    said, answer = (np.full(len(spoken), "", dtype=object) for _ in range(2))
    said[spoken], answer[heard] = gold, predicted  # an alignment spells both sides in their order
    toned = said != ""
    segment, tone = (aligned.operations == CORRECT)[toned], (said == answer)[toned]
    outcome = np.select([segment & tone, segment, tone], [0, 1, 2], 3)
    utterance = np.repeat(np.arange(len(aligned), dtype=np.int64), np.diff(aligned.offsets))[toned]
    return Outcomes(utterance, said[toned].tolist(), outcome.astype(np.int64), ~heard[toned])


def unborne(tones: PhoneSequences) -> int:
    """Return how many tones have no phone before them, and so no bearer; steps apart."""
    if tones.after is None:
        return 0
    steps = np.array([tone in STEPS for tone in tones.inventory], dtype=bool)[tones.codes]
    return int(((tones.after < 1) & ~steps).sum())


def _strings(tones: PhoneSequences) -> dict[tuple[int, int], str]:
    """Return tone strings by (utterance, number of phones before), in their order."""
    found: dict[tuple[int, int], str] = {}
    places = zip(tones.token_utterances().tolist(), np.asarray(tones.after).tolist(), tones.codes.tolist(), strict=True)
    for utterance, number, code in places:
        tone = tones.inventory.phones[code]
        if number > 0 and tone not in STEPS:
            found[utterance, number] = found.get((utterance, number), "") + tone
    return found


def _bearer(first: int, own: int, syllabic: NDArray[np.bool_], found: list[str]) -> int:
    """Return the position of the phone that bears a tone string with phone `own`."""
    nearest = next((place for place in range(own, first - 1, -1) if syllabic[place]), own)
    return own if found[nearest] else nearest
