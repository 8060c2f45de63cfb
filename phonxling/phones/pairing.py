"""Pairs two sides by the ids of their utterances; nothing is left out in silence."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from phonxling.core.corpus import Corpus, SymbolAudit
from phonxling.core.errors import DataError, join_problems
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.refusals import near_ids, unequal_lines

_Side = PhoneSequences | Posteriorgrams


def pair(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    audits: tuple[SymbolAudit, SymbolAudit] = ((), ()),
    allow_unpaired: float = 0.0,
) -> Corpus:
    """Return the utterances that both sides have, in gold's order."""
    if len(gold) and gold.utterances == predicted.utterances:
        _refuse_doubles(gold)
        return _corpus(gold, predicted, audits, ())
    _refuse_doubles(gold, predicted)
    common, unpaired = _common(gold, predicted, allow_unpaired)
    return _corpus(_selected(gold, common), _selected(predicted, common), audits, unpaired)


def pair_posteriors(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, allow_unpaired: float = 0.0
) -> tuple[Posteriorgrams, PhoneSequences, tuple[str, ...]]:
    """Return posteriors and segments of the utterances that both have, and the ids that were left out."""
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
        raise DataError(f"{side.source}: utterance ids must differ; these occur twice: {some(twice)}")


def _unpaired(gold: _Side, predicted: _Side, common: set[str]) -> tuple[str, ...]:
    return tuple(utterance for utterance in (*gold.utterances, *predicted.utterances) if utterance not in common)


def _message(gold: _Side, predicted: _Side, common: set[str], number: int, together: int) -> str:
    if not together:
        return f"neither {gold.source} nor {predicted.source} holds an utterance"
    names = _names(gold, predicted)
    alone = [[utterance for utterance in side.utterances if utterance not in common] for side in (gold, predicted)]
    lines = [f"only in {name} ({len(ids)}): {some(ids)}" for name, ids in zip(names, alone, strict=True) if ids]
    headline = f"{number} of {together} utterances lack a partner:"
    if not common and (remedy := unequal_lines(alone, names)):
        return join_problems(headline, lines, remedy)
    share = math.ceil(100 * number / together) / 100
    allow = f", or allow a share to be left out with pairing: {{allow_unpaired: {share:g}}}"
    remedy = f"{_difference(alone, names, common)}Make the ids agree{allow if common and share < 1 else ''}."
    return join_problems(headline, lines, remedy)


def _names(gold: _Side, predicted: _Side) -> tuple[str, str]:
    """Return how to call the two sides: by their files, or as sides where both are columns of one file."""
    if gold.source != predicted.source:
        return gold.source, predicted.source
    return f"gold of {gold.source}", f"predicted of {gold.source}"


def _difference(alone: Sequence[Sequence[str]], names: tuple[str, str], common: set[str]) -> str:
    """Return a line on what the ids of the two sides differ in, "" when nothing can be said."""
    first, second = alone
    if first and second and (near := near_ids(first, second, names)):
        return f"{near}.\n"
    if not common and len(first) == len(second) > 1:
        order = f"If the {len(first)} utterances stand in the same order in both files"
        return f"No two look alike. {order}, copy the ids of one to the other.\n"
    return ""


def some(ids: Sequence[str], most: int = 5) -> str:
    """Return the first ids, and how many more there are."""
    return " ".join(ids[:most]) + (f" … and {len(ids) - most} more" if len(ids) > most else "")
