"""What a user should know of a corpus' data: what was left out, read one way of several, or kept on request.

And what is suspicious about data in which nothing is wrong: a note from each function, "" where all is well.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from phonxling.analyses.loaded import LoadedCorpus, features_of
from phonxling.core.corpus import AuditRow, Corpus, SymbolAudit
from phonxling.core.errors import DataError
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import FRAMES, ROW_TOLERANCE, Posteriorgrams, Rows
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.core.tone import ACCENTS, PITCHES, shown_tone, split_tone
from phonxling.phones.deciding import fits
from phonxling.phones.ipa import fold_letters
from phonxling.phones.pairing import some
from phonxling.settings.files import Corpus as CorpusSettings
from phonxling.settings.models import Experiment

SIDES = ("gold", "predicted")
_SETTING = "symbols: {silence: keep}"
_KINDS = 5  # silences that are named
_FEW = 20  # ids that a note names in a terminal; tables have them all
_LONGER = 2.0  # times as many phones predicted as gold, or as few
_FEW_UTTERANCES, _FEW_SPEAKERS = 10, 3
_OVER, _UNDER = 5.0, 0.7  # length of the posteriors over that of the gold times: silence may follow, nothing is lacking
_LONGEST, _SHORTEST = 1.0, 0.02  # seconds of posteriors for each gold phone, on average
_LOOKED_AT = 10  # utterances of posteriors
_SHIFTS = (0.001, 0.005, 0.00625, 0.008, 0.01, 0.0125, 0.015, 0.016, 0.02, 0.025, 0.03, 0.04, 0.08)
_FOLDING = {"timit39", "timit48"}


def corpus_notes(
    corpus: Corpus | None,
    untied: Sequence[str],
    audits: Mapping[str, SymbolAudit],
    settings: CorpusSettings,
    experiment: Experiment,
) -> tuple[str, ...]:
    """Return the notes on one corpus, each a clause; `untied` are ids that posteriors or segments alone have."""
    rows = [(side, row.raw, row.action, row.count) for side, audit in audits.items() for row in audit]
    setting = "--silence keep" if experiment.folder is None else _SETTING  # in memory are the settings of a command
    notes = []
    if corpus is not None:
        if silent := _without_phones(corpus.gold):
            notes.append(f"no gold phone, and so no rate of its own, in {_number(len(silent))}: {some(silent)}")
        notes.append(unpaired_note(corpus.unpaired, most=_FEW))
    notes += [silence_note(rows, setting), unpaired_note(untied, " with posteriors", _FEW)]
    notes += [_tone_note(audits, settings, experiment), *_symbol_notes(audits, features_of(experiment))]
    return tuple(filter(None, notes))


def silence_note(rows: Iterable[tuple[str, str, str, int]], setting: str = _SETTING) -> str:
    """Return how many symbols are left out as silence, as what, and what counts them; "" where none are."""
    totals, silent = Counter[str](), {side: Counter[str]() for side in SIDES}
    for side, raw, action, count in rows:
        totals[side] += count
        if action == "silence" and side in silent:
            silent[side][raw or "(empty)"] += count
    parts = []
    for side, own in silent.items():
        if own:
            named = [f"{raw} {count:,}" for raw, count in own.most_common(_KINDS)] if len(own) > 1 else [*own]
            more = [f"{len(own) - _KINDS} more"] if len(own) > _KINDS else []
            symbols = "symbol" if totals[side] == 1 else "symbols"
            parts.append(f"{own.total():,} of {totals[side]:,} {side} {symbols} ({', '.join(named + more)})")
    verb = "is" if sum(own.total() for own in silent.values()) == 1 else "are"
    return f"{' and '.join(parts)} {verb} left out as silence; {setting} counts them" if parts else ""


def decoded_notes(decoded: Transcript, decoder: str) -> Iterator[str]:
    """Yield that predictions were decoded from posteriors, and in which utterances nothing was."""
    yield f"no predictions are given; they were decoded from the posteriors ({decoder})"
    if silent := _without_phones(decoded):
        yield f"no phone was decoded in {_number(len(silent))}: {some(silent)}"


def unpaired_note(ids: Sequence[str], what: str = "", most: int | None = None) -> str:
    """Return which utterances were left out because one side alone has them, the first so many; "" when none were."""
    named = some(ids, len(ids) if most is None else most)
    return f"left out as unpaired{what}, {_number(len(ids))}: {named}" if ids else ""


def _without_phones(side: PhoneSequences | Transcript) -> list[str]:
    return [side.utterances[place] for place in (side.lengths == 0).nonzero()[0]]


def _number(many: int, of: str = "utterance") -> str:
    return f"one {of}" if many == 1 else f"{many} {of}s"


def _tone_note(audits: Mapping[str, SymbolAudit], settings: CorpusSettings, experiment: Experiment) -> str:
    files = [file for file in (settings.gold, settings.predicted) if file is not None]
    marks = {mark for audit in audits.values() for row in audit for mark in split_tone(row.raw)[1]}
    without = all(file.symbols == "raw" or experiment.symbols.of(file).tone == "strip" for file in files)
    if without or not (marks & set(ACCENTS) and marks & set(PITCHES)):
        return ""
    levels = experiment.symbols.tone_levels
    reading = "á ˥, ā ˧, à ˩" if levels == "three" else "a̋ ˥, á ˦, ā ˧, à ˨, ȁ ˩"
    return f"tone is written in accents and in letters; accents are read in {levels} levels ({reading})"


def _symbol_notes(audits: Mapping[str, SymbolAudit], table: FeatureTable) -> Iterator[str]:
    """Yield accents read as tone where it hardly stands, for they may be part of a letter (ś); then unknown symbols."""
    for side, audit in audits.items():
        if odd := [row for row in audit if row.action in {"split", "folded"} and _accented_obstruent(row, table)]:
            listed = ", ".join(f"{row.raw} {row.count}" for row in odd)
            yield f"accents on obstruents of {side} are read as tone: {listed}; map the symbols where they are letters"
    for side, audit in audits.items():
        for fate, kept in (("dropped", False), ("kept", True)):
            rows = [row for row in audit if row.action == "unknown" and bool(row.symbol) is kept]
            listed = ", ".join(f"{shown_tone(row.raw)} {row.count}" for row in rows)
            yield f"unknown symbols of {side}, {fate} on request: {listed}" if rows else ""


def _accented_obstruent(row: AuditRow, table: FeatureTable) -> bool:
    segment = split_tone(row.symbol.split()[0])[0] if row.symbol else ""
    marks = split_tone(fold_letters(unicodedata.normalize("NFD", row.raw)))[1]  # the caron of š is none: it is ʃ
    return bool(set(marks) & set(ACCENTS)) and table.matches(segment, "-son -syl")


def suspicions(loaded: LoadedCorpus, sets: Mapping[str, str], table: FeatureTable) -> Iterator[str]:
    """Yield what is suspicious about one corpus; `sets` are the built-in symbol sets of gold and predicted by side."""
    corpus, posteriors = loaded.corpus, loaded.posteriorgrams
    notes = [] if corpus is None else [identical(corpus), much_longer(corpus), swapped(corpus), few(corpus)]
    if corpus is not None and loaded.decoded is None:
        notes.append(empty(corpus))
    notes += [better_set(side, sets, loaded.audits[side], table) for side in sets if side in loaded.audits]
    if posteriors is not None and loaded.segments is not None:
        notes += [length(posteriors, loaded.segments), not_logits(posteriors), of_batches(posteriors)]
    yield from filter(None, notes)


def identical(corpus: Corpus) -> str:
    """Tell when predicted phones are the gold ones in every utterance."""
    gold, predicted = corpus.gold, corpus.predicted
    names = [np.array(side.inventory.phones)[side.codes] for side in (gold, predicted)]
    if not np.array_equal(gold.offsets, predicted.offsets) or not np.array_equal(*names):
        return ""
    return "gold and predicted are the same in every utterance: was one file given for both?"


def much_longer(corpus: Corpus) -> str:
    """Tell when there are twice as many phones predicted as gold, or half as many, where any are predicted."""
    some_predicted = corpus.predicted.lengths > 0
    gold, predicted = int(corpus.gold.lengths[some_predicted].sum()), len(corpus.predicted.codes)
    if not predicted or gold < _LONGER * predicted < _LONGER**2 * gold:
        return ""
    asked = "is there a label for each frame, or does gold leave out a part of the recordings?"
    asked = "are parts of the recordings missing in the predictions?" if predicted < gold else asked
    return f"{predicted:,} phones are predicted for {gold:,} gold ones: {asked}"


def swapped(corpus: Corpus) -> str:
    """Tell when gold has confidences and predicted has none."""
    note = "gold has confidences and predicted has none: were the two swapped? If so, give each for the other"
    return note if corpus.gold.confidence is not None and corpus.predicted.confidence is None else ""


def empty(corpus: Corpus) -> str:
    """Tell in how many utterances nothing is predicted though gold has phones."""
    nothing = (corpus.predicted.lengths == 0) & (corpus.gold.lengths > 0)
    ids = [corpus.utterances[place] for place in nothing.nonzero()[0]]
    return f"no phone is predicted in {len(ids)} of {len(corpus.gold)} utterances: {some(ids)}" if ids else ""


def few(corpus: Corpus) -> str:
    """Tell when intervals would rest on hardly anything."""
    speakers = None if corpus.speakers is None else len(set(corpus.speakers))
    if speakers is not None and speakers < _FEW_SPEAKERS:
        return f"{_number(speakers, 'speaker')} alone: intervals say how speakers differ, for which these are too few"
    many = len(corpus.gold) >= _FEW_UTTERANCES
    return "" if many else f"{_number(len(corpus.gold))} alone: intervals of so few say little"


def better_set(side: str, sets: Mapping[str, str], audit: SymbolAudit, table: FeatureTable) -> str:
    """Tell when a side's symbol set reads as one, or as odd, what another one that knows all symbols keeps apart."""
    given, counts = sets[side], Counter[str]()
    for row in audit:
        counts[row.raw] += row.count
    by_name = {fit.name: fit for fit in fits(counts, table)}
    best, own = next(iter(by_name.values())), by_name.get(given)
    if own is None or best.unknown or best.name in {given, "ipa-joined"} or given == "ipa-joined":
        return ""
    if own.doubtful and len(own.doubtful) > len(best.doubtful):
        odd = _listed(own.doubtful)
        return f"{side}: {given} reads {odd} as one phone each, but all are {best.name}: symbols: {best.name}"
    kept = {symbol for symbol, _ in best.merged}
    lost = [
        f"{symbol} as {twin}" if twin else f"no phone in {symbol}" for symbol, twin in own.merged if symbol not in kept
    ]
    if not lost or given not in _FOLDING or all(name in _FOLDING for name in sets.values()):
        return ""
    return f"{side}: {given} reads {_listed(lost)}; {best.name} keeps them apart: symbols: {best.name}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def length(posteriors: Posteriorgrams, segments: PhoneSequences) -> str:
    """Tell when posteriors last much longer than the gold times, or less; without times, than so many phones may."""
    places = {name: place for place, name in enumerate(segments.utterances)}
    names = [name for name in posteriors.utterances if segments.lengths[places[name]]][:_LOOKED_AT]
    frames, shift = sum(map(len, _rows(posteriors, names))), posteriors.frame_shift
    if not frames or shift == FRAMES:
        return ""
    if segments.end is None:
        each = frames * shift / sum(int(segments.lengths[places[name]]) for name in names)
        told = f"posteriors last {each:.2g} s for each gold phone: is frame_shift: {shift:g} right?"
        return "" if _SHORTEST <= each <= _LONGEST else told
    tokens = [slice(*segments.offsets[places[name] : places[name] + 2]) for name in names]
    ends = sum(float(segments.end[token].max()) for token in tokens)
    ratio = (frames * shift + len(names) * posteriors.frame_offset) / ends if ends > 0 else 1.0
    if _UNDER <= ratio <= _OVER:
        return ""
    likely = min(_SHIFTS, key=lambda shift: abs(np.log(frames * shift / ends)))
    share = f"{f'{ratio:.2g}' if ratio < 10 else f'{ratio:,.0f}'} times as long as the gold times"
    return f"posteriors last {share}: is frame_shift: {shift:g} right? {likely:g} would fit"


def of_batches(posteriors: Posteriorgrams) -> str:
    """Tell when arrays have a leading axis of 1, as a model gives them for one recording."""
    try:
        shape = () if not posteriors.utterances else np.shape(posteriors.read(posteriors.utterances[0]))
    except DataError:
        return ""
    batch = f"[1, frames, {len(posteriors.columns)}]"
    return f"the arrays of posteriors are {batch}; their leading axis of 1 is taken away" if len(shape) == 3 else ""


def not_logits(posteriors: Posteriorgrams) -> str:
    """Tell when what is given as logits are probabilities: a softmax of them would be nearly flat."""
    rows = _rows(posteriors, posteriors.utterances[:_LOOKED_AT]) if posteriors.scale == "logit" else []
    numbers = [np.asarray(each, np.float64) for each in rows]
    alike = (each.min(initial=0) >= 0 and (abs(each.sum(axis=1) - 1) <= ROW_TOLERANCE).all() for each in numbers)
    if not sum(map(len, rows)) or not all(alike):
        return ""
    return "scale: logit is given, but the numbers are probabilities already: say scale: probability"


def _rows(posteriors: Posteriorgrams, names: Sequence[str]) -> list[Rows]:
    """Return the matrices of some utterances; none when one is no such matrix, of which its reader tells."""
    try:
        return [posteriors.raw(name) for name in names]
    except DataError:
        return []


def worse_reference(reference: str, rates: Mapping[str, float]) -> str:
    """Tell when a recogniser makes more errors in the language that it was trained on than in others."""
    better = [f"{name} {rate:.3f}" for name, rate in rates.items() if rate < rates[reference]]
    rate = f"a phone error rate of {rates[reference]:.3f}, more than {', '.join(better[:3])}"
    return f"the reference {reference} has {rate}: is its role right, and are its files?" if better else ""
