"""What a user should know of a corpus' data: what was left out, read one way of several, or kept on request."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from phonxling.analyses.case.features import features_of
from phonxling.core.corpus import AuditRow, Corpus, SymbolAudit
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.phonology.tone import ACCENTS, PITCHES, shown_tone, split_tone
from phonxling.core.sequences import Transcript
from phonxling.phones.lookalikes import fold_letters
from phonxling.phones.pairing import some
from phonxling.settings.files import Corpus as CorpusSettings
from phonxling.settings.models import Experiment

SIDES = ("gold", "predicted")
_SETTING = "symbols: {silence: keep}"
_KINDS = 5  # silences that are named
_FEW = 20  # ids that a note names in a terminal; tables have them all


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
    return (
        *_notes(corpus),
        *filter(None, [silence_note(rows, setting)]),
        *filter(None, [unpaired_note(untied, " with posteriors", _FEW)]),
        *_tone_notes(audits, settings, experiment),
        *_obstruent_notes(audits, features_of(experiment)),
        *_unknown_notes(audits),
    )


def silence_note(rows: Iterable[tuple[str, str, str, int]], setting: str = _SETTING) -> str:
    """Return how many symbols are left out as silence, as what, and what counts them; "" where none are.

    Rows are side, raw symbol, action and count, as of symbols.tsv; those of gold and predicted are told of.

    Examples
    --------
    >>> silence_note([("gold", "a", "kept", 3), ("gold", "h#", "silence", 2), ("gold", "pau", "silence", 1)])
    '3 of 6 gold symbols (h# 2, pau 1) are left out as silence; symbols: {silence: keep} counts them'
    """
    totals, silent = Counter[str](), dict[str, Counter[str]]()
    for side, raw, action, count in rows:
        totals[side] += count
        if action == "silence":
            silent.setdefault(side, Counter())[raw or "(empty)"] += count
    parts = []
    for side in SIDES:
        if own := silent.get(side):
            named = ", ".join(f"{raw} {count:,}" for raw, count in own.most_common(_KINDS))
            more = f", {len(own) - _KINDS} more" if len(own) > _KINDS else ""
            what = named if len(own) > 1 else next(iter(own))
            symbols = "symbol" if totals[side] == 1 else "symbols"
            parts.append(f"{own.total():,} of {totals[side]:,} {side} {symbols} ({what}{more})")
    verb = "is" if sum(own.total() for side, own in silent.items() if side in SIDES) == 1 else "are"
    return f"{' and '.join(parts)} {verb} left out as silence; {setting} counts them" if parts else ""


def decoded_notes(decoded: Transcript, decoder: str) -> Iterator[str]:
    """Yield that predictions were decoded from posteriors, and in which utterances nothing was."""
    yield f"no predictions are given; they were decoded from the posteriors ({decoder})"
    empty = [decoded.utterances[place] for place in (decoded.lengths == 0).nonzero()[0]]
    if empty:
        yield f"no phone was decoded in {_utterances(len(empty))}: {some(empty)}"


def _notes(corpus: Corpus | None) -> list[str]:
    if corpus is None:
        return []
    notes = []
    empty = [corpus.utterances[place] for place in (corpus.gold.lengths == 0).nonzero()[0]]
    if empty:
        notes.append(f"no gold phone, and so no rate of its own, in {_utterances(len(empty))}: {some(empty)}")
    return [*notes, *filter(None, [unpaired_note(corpus.unpaired, most=_FEW)])]


def unpaired_note(ids: Sequence[str], what: str = "", most: int | None = None) -> str:
    """Return which utterances were left out because one side alone has them, the first so many; "" when none were."""
    named = some(ids, len(ids) if most is None else most)
    return f"left out as unpaired{what}, {_utterances(len(ids))}: {named}" if ids else ""


def _tone_notes(audits: Mapping[str, SymbolAudit], settings: CorpusSettings, experiment: Experiment) -> list[str]:
    files = [file for file in (settings.gold, settings.predicted) if file is not None]
    if all(file.symbols == "raw" or experiment.symbols.of(file).tone == "strip" for file in files):
        return []
    marks = {mark for audit in audits.values() for row in audit for mark in split_tone(row.raw)[1]}
    if not (marks & set(ACCENTS) and marks & set(PITCHES)):
        return []
    levels = experiment.symbols.tone_levels
    reading = "á ˥, ā ˧, à ˩" if levels == "three" else "a̋ ˥, á ˦, ā ˧, à ˨, ȁ ˩"
    return [f"tone is written in accents and in letters; accents are read in {levels} levels ({reading})"]


def _obstruent_notes(audits: Mapping[str, SymbolAudit], table: FeatureTable) -> Iterator[str]:
    """Tell of accents that were read as tone where tone hardly stands: they may be part of a letter (ś)."""
    for side, audit in audits.items():
        if odd := [row for row in audit if row.action in {"split", "folded"} and _accented_obstruent(row, table)]:
            listed = ", ".join(f"{row.raw} {row.count}" for row in odd)
            yield f"accents on obstruents of {side} are read as tone: {listed}; map the symbols where they are letters"


def _accented_obstruent(row: AuditRow, table: FeatureTable) -> bool:
    segment = split_tone(row.symbol.split()[0])[0] if row.symbol else ""
    marks = split_tone(fold_letters(unicodedata.normalize("NFD", row.raw)))[1]  # the caron of š is none: it is ʃ
    return bool(set(marks) & set(ACCENTS)) and table.matches(segment, "-son -syl")


def _unknown_notes(audits: Mapping[str, SymbolAudit]) -> Iterator[str]:
    for side, audit in audits.items():
        rows = [row for row in audit if row.action == "unknown"]
        for fate, symbols in (("dropped", [r for r in rows if not r.symbol]), ("kept", [r for r in rows if r.symbol])):
            if symbols:
                listed = ", ".join(f"{shown_tone(row.raw)} {row.count}" for row in symbols)
                yield f"unknown symbols of {side}, {fate} on request: {listed}"


def _utterances(number: int) -> str:
    return "one utterance" if number == 1 else f"{number} utterances"
