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

from dataclasses import dataclass

import numpy as np
import pandas as pd

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.rows import Row, row_of
from phonxling.analyses.tone.tier import why_no_tone
from phonxling.core.alignment import CORRECT, Alignments
from phonxling.core.arrays import Bools, Codes
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import STEPS, shown_tone
from phonxling.core.sequences import PhoneSequences

OUTCOMES = ("both_right", "segment_right_tone_wrong", "tone_right_segment_wrong", "both_wrong")


def tone_with_segment(case: Case, _: None) -> Items:
    """Yield the share of the tone-bearing gold phones with both right, and tone_joint.tsv.

    Nothing without tone: the tone error rate says why.
    """
    corpus = case.counted.corpus
    if why_no_tone(corpus, case.loaded.symbols):
        return
    tones = [phone_tones(side, case.features) for side in (corpus.gold, corpus.predicted)]
    outcomes = joint_outcomes(case.counted.by_costs, *tones)
    yield _row(case, outcomes)
    yield "tone_joint", _table(outcomes)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Of each gold phone that bears a tone, [T]: its utterance, its tone, the outcome, and whether it was deleted."""

    utterance: Codes
    tone: list[str]
    outcome: Codes
    deleted: Bools

    def columns(self) -> dict[str, Bools]:
        """Return which phones have each outcome, and which are deleted, [T] each."""
        return {name: self.outcome == place for place, name in enumerate(OUTCOMES)} | {"deleted": self.deleted}


def joint_outcomes(aligned: Alignments, gold: list[str], predicted: list[str]) -> Outcomes:
    """Return the outcome of each gold phone that bears a tone, as positions in `OUTCOMES`.

    `gold` and `predicted` are the tone strings of all phones, as `phone_tones` has them.
    """
    is_gold = aligned.gold < len(aligned.gold_inventory)
    is_predicted = aligned.predicted < len(aligned.predicted_inventory)
    gold_tone, predicted_tone = (np.full(len(is_gold), "", dtype=object) for _ in range(2))
    gold_tone[is_gold], predicted_tone[is_predicted] = gold, predicted  # an alignment spells both sides in their order
    toned = gold_tone != ""
    segment, tone = (aligned.operations == CORRECT)[toned], (gold_tone == predicted_tone)[toned]
    outcome = np.select([segment & tone, segment, tone], [0, 1, 2], 3).astype(np.int64)
    return Outcomes(aligned.pair_utterances()[toned], gold_tone[toned].tolist(), outcome, ~is_predicted[toned])


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
    borne = [""] * len(phones.codes)
    if phones.tones is None or phones.tones.after is None:
        return borne
    syllabic = np.array([table.matches(phone, "+syl") for phone in phones.inventory], dtype=bool)[phones.codes]
    for (utterance, number), tone in _strings(phones.tones).items():
        first = int(phones.offsets[utterance])
        borne[_bearer(first, first + number - 1, syllabic, borne)] += tone
    return borne


def unborne(tones: PhoneSequences) -> int:
    """Return how many tones have no phone before them, and so no bearer; steps apart."""
    if tones.after is None:
        return 0
    steps = np.array([tone in STEPS for tone in tones.inventory], dtype=bool)[tones.codes]
    return int(((tones.after < 1) & ~steps).sum())


def _strings(tones: PhoneSequences) -> dict[tuple[int, int], str]:
    """Return tone strings by (utterance, number of phones before), in their order."""
    strings: dict[tuple[int, int], str] = {}
    places = zip(tones.token_utterances().tolist(), np.asarray(tones.after).tolist(), tones.codes.tolist(), strict=True)
    for utterance, number, code in places:
        tone = tones.inventory.phones[code]
        if number > 0 and tone not in STEPS:
            strings[utterance, number] = strings.get((utterance, number), "") + tone
    return strings


def _bearer(first: int, own: int, syllabic: Bools, borne: list[str]) -> int:
    """Return the position of the phone that bears a tone string with phone `own`."""
    nearest = next((place for place in range(own, first - 1, -1) if syllabic[place]), own)
    return own if borne[nearest] else nearest


def _row(case: Case, outcomes: Outcomes) -> Row:
    counted, gold = case.counted, case.counted.corpus.gold
    lost = 0 if gold.tones is None else unborne(gold.tones)
    notes = (f"gold tones before any phone, left out: {lost}" if lost else "", counted.path_note)
    chosen = outcomes.outcome == OUTCOMES.index("both_right")
    bearing, part = (
        np.bincount(owner, minlength=len(gold)).astype(np.float64)
        for owner in (outcomes.utterance, outcomes.utterance[chosen])
    )
    return row_of(
        "tone_joint", counted.resampling.ratio(part, bearing, "share"), len(outcomes.tone), "both_right", *notes
    )


def _table(outcomes: Outcomes) -> pd.DataFrame:
    """Return the gold phones that bear each tone, and how many have both, one or neither right."""
    tones = pd.Index(outcomes.tone, name="tone", dtype=object)
    counts = pd.DataFrame({"tokens": 1, **outcomes.columns()}, index=tones)
    summed = counts.groupby(level="tone").sum().astype(np.int64).reset_index()
    return summed.assign(tone=summed["tone"].map(shown_tone))
