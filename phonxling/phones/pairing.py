"""Pairs two sides by the ids of their utterances; nothing is left out in silence."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np

from phonxling.core.corpus import Corpus, SymbolAudit
from phonxling.core.errors import DataError, join_problems
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences

_Side = PhoneSequences | Posteriorgrams


def pair(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    audits: tuple[SymbolAudit, SymbolAudit] = ((), ()),
    allow_unpaired: float = 0.0,
) -> Corpus:
    """Return the utterances that both sides have, in gold's order.

    Parameters
    ----------
    gold, predicted : PhoneSequences
        The two sides, in any order of utterances.
    audits : pair of SymbolAudit
        Of gold and of predicted.
    allow_unpaired : float
        The share of all utterances that may lack a partner, as the decimal that it is written as (0.29 of 100 is 29);
        they are left out and named in `Corpus.unpaired`.

    Raises
    ------
    DataError
        If more utterances than that lack a partner: all are named, by side.
        If no utterance has a partner, or no gold phone is left.
        If a side holds an utterance twice.
    """
    if len(gold) and gold.utterances == predicted.utterances:
        _refuse_doubles(gold)
        return _corpus(gold, predicted, audits, ())
    _refuse_doubles(gold, predicted)
    common, unpaired = _common(gold, predicted, allow_unpaired)
    return _corpus(_selected(gold, common), _selected(predicted, common), audits, unpaired)


def pair_posteriors(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, allow_unpaired: float = 0.0
) -> tuple[Posteriorgrams, PhoneSequences, tuple[str, ...]]:
    """Return posteriors and segments of the utterances that both have, and the ids that were left out.

    DataError when more than the allowed share lacks a partner, as for `pair`.
    """
    if set(posteriorgrams.utterances) == set(segments.utterances):
        return posteriorgrams, segments, ()
    common, unpaired = _common(segments, posteriorgrams, allow_unpaired)
    return replace(posteriorgrams, utterances=tuple(common)), _selected(segments, common), unpaired


def _common(first: _Side, second: _Side, allow_unpaired: float) -> tuple[list[str], tuple[str, ...]]:
    """Return the ids of both sides in the order of the first, and those of one; DataError when these are too many."""
    second_ids = set(second.utterances)
    common = [utterance for utterance in first.utterances if utterance in second_ids]
    unpaired = _unpaired(first, second, set(common))
    together = len(common) + len(unpaired)
    if not common or len(unpaired) > Fraction(str(allow_unpaired)) * together:
        raise DataError(_message(first, second, set(common), len(unpaired), together))
    return common, unpaired


def _selected(side: PhoneSequences, utterances: list[str]) -> PhoneSequences:
    places = {utterance: place for place, utterance in enumerate(side.utterances)}
    return side.select(np.array([places[utterance] for utterance in utterances], dtype=np.int64))


def _corpus(
    gold: PhoneSequences, predicted: PhoneSequences, audits: tuple[SymbolAudit, SymbolAudit], unpaired: tuple[str, ...]
) -> Corpus:
    if not len(gold.codes):
        raise DataError(f"{gold.source}: no gold phone is left in any utterance (empty, or silence alone)")
    return Corpus(
        gold=gold,
        predicted=PhoneSequences(**{**predicted.__dict__, "utterances": gold.utterances}),  # kept once, not twice
        gold_audit=audits[0],
        predicted_audit=audits[1],
        speakers=gold.speakers or predicted.speakers,
        unpaired=unpaired,
    )


def _refuse_doubles(*sides: PhoneSequences) -> None:
    for side in sides:
        if len(set(side.utterances)) == len(side):
            continue
        twice = sorted(utterance for utterance, count in Counter(side.utterances).items() if count > 1)
        raise DataError(f"{side.source}: utterance ids must differ; these occur twice: {' '.join(twice)}")


def _unpaired(gold: _Side, predicted: _Side, common: set[str]) -> tuple[str, ...]:
    return tuple(utterance for utterance in (*gold.utterances, *predicted.utterances) if utterance not in common)


def _message(gold: _Side, predicted: _Side, common: set[str], number: int, together: int) -> str:
    lines = []
    for side in (gold, predicted):
        alone = [utterance for utterance in side.utterances if utterance not in common]
        if alone:
            lines.append(f"only in {side.source} ({len(alone)}): {' '.join(alone)}")
    if not together:
        return f"neither {gold.source} nor {predicted.source} holds an utterance"
    headline = f"{number} of {together} utterances lack a partner:"
    share = math.ceil(100 * number / together) / 100
    allow = f", or allow a share to be left out with pairing: {{allow_unpaired: {share:g}}}"
    remedy = f"Make the ids agree{allow if share < 1 else ''}."
    if hint := _folder_hint(gold, predicted, common) or _folder_hint(predicted, gold, common):
        remedy = f"{hint}\n{remedy}"
    return join_problems(headline, lines, remedy)


def _folder_hint(longer: _Side, shorter: _Side, common: set[str]) -> str:
    """Return a hint when ids of files in folders, which begin with the folders, end as the other side's ids do."""
    ends = {f"_{name}": name for name in shorter.utterances if name not in common}
    for name in longer.utterances:
        cuts = (place for place, letter in enumerate(name) if letter == "_")
        if name not in common and (end := next((ends[name[cut:]] for cut in cuts if name[cut:] in ends), None)):
            msg = f"Ids of files in folders begin with the folder: '{name}' in {longer.source}, '{end}'"
            return f"{msg} in {shorter.source}; give one folder's files, or ids with the folder."
    return ""
