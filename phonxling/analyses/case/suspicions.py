"""What is suspicious about data in which nothing is wrong: a note from each function, "" where all is well."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.core.arrays import Floats
from phonxling.core.corpus import Corpus, SymbolAudit
from phonxling.core.errors import DataError
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.posteriorgram import ROW_TOLERANCE, Posteriorgrams, Rows
from phonxling.core.sequences import PhoneSequences
from phonxling.phones.fitting import Fit, fits
from phonxling.phones.pairing import some

_LONGER = 2.0  # times as many phones predicted as gold, or as few
_FEW_UTTERANCES, _FEW_SPEAKERS = 10, 3
_OVER, _UNDER = 5.0, 0.7  # length of the posteriors over that of the gold times: silence may follow, nothing is lacking
_LONGEST, _SHORTEST = 1.0, 0.02  # seconds of posteriors for each gold phone, on average
_LOOKED_AT = 10  # utterances of posteriors
_SHIFTS = (0.001, 0.005, 0.00625, 0.008, 0.01, 0.0125, 0.015, 0.016, 0.02, 0.025, 0.03, 0.04, 0.08)
_FOLDING = {"timit39", "timit48"}


def suspicions(loaded: LoadedCorpus, sets: Mapping[str, str], table: FeatureTable) -> Iterator[str]:
    """Yield what is suspicious about one corpus; `sets` are the built-in symbol sets of gold and predicted by side."""
    corpus, posteriors = loaded.corpus, loaded.posteriorgrams
    notes = [] if corpus is None else [identical(corpus), much_longer(corpus), swapped(corpus), few(corpus)]
    if corpus is not None and loaded.decoded is None:
        notes.append(empty(corpus))
    notes += [better_set(side, sets, loaded.audits[side], table) for side in sets if side in loaded.audits]
    if posteriors is not None and loaded.segments is not None:
        notes += [length(posteriors, loaded.segments), not_logits(posteriors)]
    yield from filter(None, notes)


def identical(corpus: Corpus) -> str:
    """Tell when predicted phones are the gold ones in every utterance."""
    gold, predicted = corpus.gold, corpus.predicted
    if not np.array_equal(gold.offsets, predicted.offsets):
        return ""
    names = [np.array(side.inventory.phones)[side.codes] for side in (gold, predicted)]
    if not np.array_equal(*names):
        return ""
    return "gold and predicted are the same in every utterance: was one file given for both?"


def much_longer(corpus: Corpus) -> str:
    """Tell when there are twice as many phones predicted as gold, or half as many, where any are predicted."""
    some_predicted = corpus.predicted.lengths > 0
    gold, predicted = int(corpus.gold.lengths[some_predicted].sum()), len(corpus.predicted.codes)
    if not predicted or gold < _LONGER * predicted < _LONGER**2 * gold:
        return ""
    counts = f"{predicted:,} phones are predicted for {gold:,} gold ones"
    if predicted < gold:
        return f"{counts}: are parts of the recordings missing in the predictions?"
    return f"{counts}: is there a label for each frame, or does gold leave out a part of the recordings?"


def swapped(corpus: Corpus) -> str:
    """Tell when gold has confidences and predicted has none."""
    if corpus.gold.confidence is None or corpus.predicted.confidence is not None:
        return ""
    return "gold has confidences and predicted has none: were the two swapped? If so, give each for the other"


def empty(corpus: Corpus) -> str:
    """Tell in how many utterances nothing is predicted though gold has phones."""
    nothing = (corpus.predicted.lengths == 0) & (corpus.gold.lengths > 0)
    ids = [corpus.utterances[place] for place in nothing.nonzero()[0]]
    return f"no phone is predicted in {len(ids)} of {len(corpus.gold)} utterances: {some(ids)}" if ids else ""


def few(corpus: Corpus) -> str:
    """Tell when intervals would rest on hardly anything."""
    speakers = None if corpus.speakers is None else len(set(corpus.speakers))
    if speakers is not None and speakers < _FEW_SPEAKERS:
        one = "one speaker" if speakers == 1 else f"{speakers} speakers"
        return f"{one} alone: intervals say how speakers differ, for which these are too few"
    if len(corpus.gold) < _FEW_UTTERANCES:
        alone = "one utterance" if len(corpus.gold) == 1 else f"{len(corpus.gold)} utterances"
        return f"{alone} alone: intervals of so few say little"
    return ""


def better_set(side: str, sets: Mapping[str, str], audit: SymbolAudit, table: FeatureTable) -> str:
    """Tell when a side's symbol set reads as one, or as odd, what another one that knows all symbols keeps apart.

    That both sides are folded to TIMIT's 39 or 48 classes is no mistake.
    """
    given = sets[side]
    counts: dict[str, int] = {}
    for row in audit:
        counts[row.raw] = counts.get(row.raw, 0) + row.count
    by_name = {fit.name: fit for fit in fits(counts, table)}
    best, own = next(iter(by_name.values())), by_name.get(given)
    if own is None or best.unknown or best.name in {given, "ipa-joined"} or given == "ipa-joined":
        return ""
    if odd := [*own.doubtful] if len(own.doubtful) > len(best.doubtful) else []:
        return f"{side}: {given} reads {_listed(odd)} as one phone each, but all are {best.name}: symbols: {best.name}"
    if all(name in _FOLDING for name in sets.values()):
        return ""
    merged = _lost(own, best)
    return (
        f"{side}: {given} reads {_listed(merged)}; {best.name} keeps them apart: symbols: {best.name}" if merged else ""
    )


def _lost(own: Fit, best: Fit) -> list[str]:
    kept = {symbol for symbol, _ in best.merged}
    return [
        f"{symbol} as {twin}" if twin else f"no phone in {symbol}"
        for symbol, twin in own.merged
        if symbol not in kept and own.name in _FOLDING
    ]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def length(posteriors: Posteriorgrams, segments: PhoneSequences) -> str:
    """Tell when posteriors last much longer than the gold times, or less; without times, than so many phones may."""
    places = {name: place for place, name in enumerate(segments.utterances)}
    names = [name for name in posteriors.utterances if segments.lengths[places[name]]][:_LOOKED_AT]
    frames = sum(map(len, _rows(posteriors, names)))
    if not frames:
        return ""
    seconds = frames * posteriors.frame_shift
    if segments.end is None:
        return _seconds_a_phone(posteriors, seconds / sum(int(segments.lengths[places[name]]) for name in names))
    tokens = [slice(*segments.offsets[places[name] : places[name] + 2]) for name in names]
    ends = sum(float(segments.end[token].max()) for token in tokens)
    ratio = (seconds + len(names) * posteriors.frame_offset) / ends if ends > 0 else 1.0
    if _UNDER <= ratio <= _OVER:
        return ""
    likely = min(_SHIFTS, key=lambda shift: abs(np.log(frames * shift / ends)))
    share = f"{f'{ratio:.2g}' if ratio < 10 else f'{ratio:,.0f}'} times as long as the gold times"
    return f"posteriors last {share}: is frame_shift: {posteriors.frame_shift:g} right? {likely:g} would fit"


def _seconds_a_phone(posteriors: Posteriorgrams, seconds: float) -> str:
    if _SHORTEST <= seconds <= _LONGEST:
        return ""
    return f"posteriors last {seconds:.2g} s for each gold phone: is frame_shift: {posteriors.frame_shift:g} right?"


def not_logits(posteriors: Posteriorgrams) -> str:
    """Tell when what is given as logits are probabilities: a softmax of them would be nearly flat."""
    if posteriors.scale != "logit":
        return ""
    rows = _rows(posteriors, posteriors.utterances[:_LOOKED_AT])
    if not sum(map(len, rows)) or not all(_are_probabilities(np.asarray(each, np.float64)) for each in rows):
        return ""
    return "scale: logit is given, but the numbers are probabilities already: say scale: probability"


def _rows(posteriors: Posteriorgrams, names: Sequence[str]) -> list[Rows]:
    """Return the matrices of some utterances; none when one is no such matrix, of which its reader tells."""
    try:
        return [posteriors.raw(name) for name in names]
    except DataError:
        return []


def _are_probabilities(rows: Floats) -> bool:
    return bool((rows >= 0).all() and (abs(rows.sum(axis=1) - 1) <= ROW_TOLERANCE).all())


def worse_reference(reference: str, rates: Mapping[str, float]) -> str:
    """Tell when a recogniser makes more errors in the language that it was trained on than in others."""
    better = [name for name, rate in rates.items() if name != reference and rate < rates[reference]]
    if not better:
        return ""
    listed = ", ".join(f"{name} {rates[name]:.3f}" for name in better[:3])
    rate = f"a phone error rate of {rates[reference]:.3f}, more than {listed}"
    return f"the reference {reference} has {rate}: is its role right, and are its files?"
