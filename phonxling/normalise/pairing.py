"""Pairs gold with predicted utterances by their ids; nothing is left out in silence."""

from collections import Counter
from fractions import Fraction

import numpy as np

from phonxling.core.audit import SymbolAudit
from phonxling.core.corpus import Corpus
from phonxling.core.errors import DataError, join_problems
from phonxling.core.sequences import PhoneSequences

_NAMED = 20  # ids in a message


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
        If more utterances than that lack a partner: all are counted, and the first of each side named.
        If no utterance has a partner, or no gold phone is left.
        If a side holds an utterance twice.
    """
    if len(gold) and gold.utterances == predicted.utterances:
        _refuse_doubles(gold)
        return _corpus(gold, predicted, audits, ())
    _refuse_doubles(gold, predicted)
    wanted = {utterance: place for place, utterance in enumerate(predicted.utterances)}
    places = [place for place, utterance in enumerate(gold.utterances) if utterance in wanted]
    common = [gold.utterances[place] for place in places]
    unpaired = _unpaired(gold, predicted, set(common))
    together = len(gold) + len(predicted) - len(common)
    if not common or len(unpaired) > Fraction(str(allow_unpaired)) * together:
        raise DataError(_message(gold, predicted, set(common), len(unpaired), together))
    rows = gold.select(np.array(places, dtype=np.int64))
    columns = predicted.select(np.array([wanted[utterance] for utterance in common], dtype=np.int64))
    return _corpus(rows, columns, audits, unpaired)


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


def _unpaired(gold: PhoneSequences, predicted: PhoneSequences, common: set[str]) -> tuple[str, ...]:
    return tuple(utterance for utterance in (*gold.utterances, *predicted.utterances) if utterance not in common)


def _message(gold: PhoneSequences, predicted: PhoneSequences, common: set[str], number: int, together: int) -> str:
    lines = []
    for side in (gold, predicted):
        alone = [utterance for utterance in side.utterances if utterance not in common]
        if alone:
            more = f" … and {len(alone) - _NAMED} more" if len(alone) > _NAMED else ""
            lines.append(f"only in {side.source} ({len(alone)}): {' '.join(alone[:_NAMED])}{more}")
    headline = f"{number} of {together} utterances lack a partner:"
    remedy = "Make the ids agree, or allow a share to be left out with pairing: {allow_unpaired: 0.01}."
    if hint := _folder_hint(gold, predicted, common) or _folder_hint(predicted, gold, common):
        remedy = f"{hint}\n{remedy}"
    return join_problems(headline, lines, remedy)


def _folder_hint(longer: PhoneSequences, shorter: PhoneSequences, common: set[str]) -> str:
    """Return a hint when ids of files in folders, which begin with the folders, end as the other side's ids do."""
    ends = {f"_{name}": name for name in shorter.utterances if name not in common}
    for name in longer.utterances:
        cuts = (place for place, letter in enumerate(name) if letter == "_")
        if name not in common and (found := next((ends[name[cut:]] for cut in cuts if name[cut:] in ends), None)):
            msg = f"Ids of files in folders begin with the folder: '{name}' in {longer.source}, '{found}'"
            return f"{msg} in {shorter.source}; give one folder's files, or ids with the folder."
    return ""
