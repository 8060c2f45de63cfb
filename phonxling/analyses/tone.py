"""Tone: the error rate, chance levels and confusions of the tone tier, and whether tone and segment are right together.

The tier
--------
The gold and the predicted tones of an utterance are two sequences of their own, aligned at least unit cost (a match 0,
a substitution, an insertion or a deletion 1; ties as NIST's sclite has them). A phone without a tone mark adds nothing
to the tier. Two tones are the same when their letters are: a contour is one tone, and near pitches count as any others.

Which phone bears a tone
------------------------
The tier has each tone with the number of phones before it, its own phone among them. Tones with the same number are one
tone string (˥ ˩ written as two is ˥˩). It belongs to the phone of that number, if that one is syllabic; else to the
nearest syllabic phone before it in its utterance, so that "m a n ˥" is m a˥ n, unless there is none, or it bears a tone
string already: then to the phone itself, as in "a˥ ŋ˩". Downstep ꜜ and upstep ꜛ stand between tones and are no part of
a string; a tone before the first phone has no bearer.

Tone and segment together
-------------------------
Each gold phone that bears a tone, in the alignment of the phones. The segment is right when the aligned phone has the
same symbol, the tone when it bears the same tone string. Of a deleted phone neither is right, even if its tone was
heard on a neighbour: the tone error rate, whose tier is aligned apart from the phones, counts such a tone as right.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from phonxling.alignment.corpus import align_sequences
from phonxling.alignment.costs import cost_table
from phonxling.analyses.beside_chance import rate_beside_chance
from phonxling.analyses.case import Case, Items
from phonxling.analyses.chance import ChanceSettings, chance_levels, errors_over_clusters, texts_of
from phonxling.analyses.error_rate import aligned_error_rate
from phonxling.analyses.measures import row_of
from phonxling.core.confusion import CORRECT, Alignments, ConfusionMatrix
from phonxling.core.costs import CostTable
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.sequences import Corpus, PhoneSequences
from phonxling.core.spelling import STEPS, shown_tone
from phonxling.count.confusions import count_confusions
from phonxling.settings.models import Chance

if TYPE_CHECKING:
    import pandas as pd


OUTCOMES = ("both_right", "segment_right_tone_wrong", "tone_right_segment_wrong", "both_wrong")
_NAME = "tone_error_rate"
_MODES = {
    "attach": "tone is part of the phones (tone: attach)",
    "strip": "tone is stripped (tone: strip)",
}


def tone_error_rate(corpus: Corpus) -> float:
    """Return (substituted + deleted + inserted tones) / gold tones, of the alignment of least unit cost.

    NaN when gold or predictions have no tone: a recogniser that predicts none is not wrong about each.

    A ratio from 0, which may exceed 1, of a corpus loaded with `tone="tier"`, the default; lower is better.

    Examples
    --------
    Gold ˥ ˩ against ˥ ˧ ˩: one tone is inserted, two are gold.

    >>> from phonxling.core.sequences import PhoneSequences, from_lists
    >>> def spoken(tones):
    ...     return PhoneSequences(**{**from_lists(["u"], [["a", "a"]]).__dict__, "tones": from_lists(["u"], [tones])})
    >>> tone_error_rate(Corpus(gold=spoken(["˥", "˩"]), predicted=spoken(["˥", "˧", "˩"])))
    0.5
    """
    return math.nan if _lacking(corpus) else aligned_error_rate(tone_confusions(corpus))


def tone_confusions(corpus: Corpus) -> ConfusionMatrix:
    """Return how often each gold tone was aligned with each predicted one, ∅ last; DataError when a side has none.

    Examples
    --------
    >>> from phonxling.core.sequences import PhoneSequences, from_lists
    >>> def spoken(tones):
    ...     return PhoneSequences(**{**from_lists(["u"], [["a", "a"]]).__dict__, "tones": from_lists(["u"], [tones])})
    >>> tone_confusions(Corpus(gold=spoken(["˥", "˩"]), predicted=spoken(["˥", "˥"]))).counts.tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]
    """
    tones, costs = _tier(corpus)
    return count_confusions(align_sequences(tones.gold, tones.predicted, costs))


def tone_tier(case: Case, settings: Chance) -> Items:
    """Yield the error rate of the tone tier, its chance and skill, and tones.tsv; or why not."""
    corpus = case.counted.corpus
    why = why_no_tone(corpus, case.loaded.symbols)
    if why:
        yield row_of(_NAME, math.nan, 0 if corpus.gold.tones is None else len(corpus.gold.tones.codes), "", why)
        return
    tones, costs = _tier(corpus)
    aligned, clusters = align_sequences(tones.gold, tones.predicted, costs), case.counted.clusters
    cost, tokens = aligned.cost / aligned.denominator, tones.gold.lengths.astype(np.float64)
    yield row_of(_NAME, clusters.ratio(cost, tokens, "rate"), tokens.sum())
    errors = errors_over_clusters(cost, tokens, clusters)
    chance = ChanceSettings(settings.models, settings.replicates, case.experiment.seed, clusters, errors)
    texts = texts_of(corpus.gold)  # of phones and tones: few tones are the same in many texts
    levels = chance_levels(tones, chance, costs=costs, texts=texts, work=case.work)
    yield from rate_beside_chance(_NAME, cost, tokens, levels, clusters)
    from phonxling.analyses.utterances import confusion_table  # brings pandas

    table = confusion_table(count_confusions(aligned), costs.with_gaps())  # the attested cells
    yield "tones", table.assign(**{side: table[side].map(shown_tone) for side in ("gold", "predicted")})


def _tier(corpus: Corpus) -> tuple[Corpus, CostTable]:
    """Return the tones of both sides as a corpus, and their unit costs; DataError when a side has none."""
    gold, predicted = corpus.gold.tones, corpus.predicted.tones
    if gold is None or predicted is None or _lacking(corpus):
        raise DataError(f"no tone confusions: {_lacking(corpus)}")
    tones = Corpus(gold=gold, predicted=predicted, speakers=corpus.speakers)
    return tones, cost_table("unit", tones.gold_inventory, tones.predicted_inventory, None)


def _lacking(corpus: Corpus) -> str:
    """Return which side has no tone, "" when both have some."""
    sides = ((corpus.gold, "the gold phones carry no tone"), (corpus.predicted, "the recogniser predicts no tone"))
    return next((why for side, why in sides if side.tones is None or not len(side.tones.codes)), "")


def why_no_tone(corpus: Corpus, symbols: Mapping[str, str]) -> str:
    """Return why a corpus, with these symbol sets and rules, has no tone measures; "" when it has."""
    if "raw" in symbols["sym"].split(","):
        return "raw symbols are compared as they stand, tone and all"
    modes = symbols["tone"].split(",")
    return next((why for mode, why in _MODES.items() if mode in modes), "") or _lacking(corpus)


def tone_with_segment(case: Case, _: None) -> Items:
    """Yield the share of the tone-bearing gold phones with both right, and tone_joint.tsv."""
    corpus = case.counted.corpus
    if why_no_tone(corpus, case.loaded.symbols):
        return
    tones = [phone_tones(side, case.features) for side in (corpus.gold, corpus.predicted)]
    outcomes = joint_outcomes(case.counted.aligned, *tones)
    right = outcomes["outcome"] == OUTCOMES.index("both_right")
    part, bearing = (
        np.bincount(owner, minlength=len(corpus.gold)).astype(np.float64)
        for owner in (outcomes["utterance"][right], outcomes["utterance"])
    )
    share = case.counted.clusters.ratio(part, bearing, "share")
    lost = 0 if corpus.gold.tones is None else unborne(corpus.gold.tones)
    note = f"gold tones before any phone, left out: {lost}" if lost else ""
    yield row_of("tone_joint", share, len(outcomes), "both_right", note)
    columns = {name: outcomes["outcome"] == place for place, name in enumerate(OUTCOMES)}
    counts = outcomes[["tone"]].assign(tokens=1, **columns, deleted=outcomes["deleted"])
    summed = counts.groupby("tone").sum().astype(np.int64).reset_index()
    yield "tone_joint", summed.assign(tone=summed["tone"].map(shown_tone))


def joint_outcomes(aligned: Alignments, gold: list[str], predicted: list[str]) -> "pd.DataFrame":
    """Return utterance, tone, outcome (a place in `OUTCOMES`) and deletion of each gold phone that bears a tone."""
    import pandas as pd

    is_gold = aligned.gold < len(aligned.gold_inventory)
    is_predicted = aligned.predicted < len(aligned.predicted_inventory)
    gold_tone, predicted_tone = (np.full(len(is_gold), "", dtype=object) for _ in range(2))
    gold_tone[is_gold], predicted_tone[is_predicted] = gold, predicted  # an alignment spells both sides in their order
    segment, tone = aligned.operations == CORRECT, gold_tone == predicted_tone
    outcome = np.select([segment & tone, segment, tone], [0, 1, 2], 3).astype(np.int64)
    columns = {"utterance": aligned.pair_utterances(), "tone": gold_tone, "outcome": outcome, "deleted": ~is_predicted}
    bearing: pd.DataFrame = pd.DataFrame(columns).loc[gold_tone != ""]
    return bearing


def phone_tones(phones: PhoneSequences, table: FeatureTable) -> list[str]:
    """Return the tone string of each phone, [N], "" for none; all "" without a tone tier."""
    borne = [""] * len(phones.codes)
    if phones.tones is None or phones.tones.after is None:
        return borne
    syllabic = np.array([table.matches(phone, "+syl") for phone in phones.inventory], dtype=bool)[phones.codes]
    strings: dict[tuple[int, int], str] = {}  # by utterance and number of phones before, in their order
    tones = phones.tones
    tier = (tones.token_utterances().tolist(), np.asarray(tones.after).tolist(), tones.codes.tolist())
    for utterance, number, code in zip(*tier, strict=True):
        tone = tones.inventory.phones[code]
        if number > 0 and tone not in STEPS:
            strings[utterance, number] = strings.get((utterance, number), "") + tone
    for (utterance, number), tone in strings.items():
        first = int(phones.offsets[utterance])
        own = first + number - 1
        nearest = next((place for place in range(own, first - 1, -1) if syllabic[place]), own)
        borne[own if borne[nearest] else nearest] += tone
    return borne


def unborne(tones: PhoneSequences) -> int:
    """Return how many tones have no phone before them, and so no bearer; steps apart."""
    if tones.after is None:
        return 0
    steps = np.array([tone in STEPS for tone in tones.inventory], dtype=bool)[tones.codes]
    return int(((tones.after < 1) & ~steps).sum())
