"""What `phonxling check` says: what would be analysed, and what became of the symbols."""

from collections.abc import Iterable, Iterator

from phonxling.core.errors import DataError
from phonxling.core.tone import shown_tone
from phonxling.experiment.association import read_tokens
from phonxling.experiment.corpora import LoadedCorpus

_QUIET = {"kept"}


def check_posteriors(corpora: Iterable[LoadedCorpus]) -> None:
    """Read all posteriors once, and raise DataError with what is wrong in each corpus, if anything is."""
    problems = []
    for loaded in corpora:
        try:
            read_tokens(loaded)
        except DataError as error:
            problems.append(f"corpus {loaded.name}: {error}")
    if problems:
        raise DataError("\n".join(problems))


def describe(loaded: LoadedCorpus) -> Iterator[str]:
    """Yield lines on one corpus: sizes, inventories, notes, what became of symbols, and which features are by rule."""
    utterances = len(loaded.corpus.gold) if loaded.corpus is not None else len(loaded.gold)
    yield f"{loaded.name} ({loaded.role}): {utterances} utterances, {len(loaded.gold.codes)} gold phones"
    yield f"  gold       {len(loaded.gold.inventory)} phones: {' '.join(loaded.gold.inventory)}"
    if loaded.corpus is not None:
        found = loaded.corpus.predicted_inventory
        yield f"  predicted  {len(found)} phones: {' '.join(found)}"
    yield from _tones(loaded)
    if loaded.posteriorgrams is not None:
        number, phones = len(loaded.posteriorgrams), len(loaded.posteriorgrams.inventory)
        yield f"  posteriors of {number} utterances over {phones} phones"
    for note in loaded.notes:
        yield f"  note: {note}"
    for side, audit in loaded.audits.items():
        for action in dict.fromkeys(row.action for row in audit):
            rows = [row for row in audit if row.action == action and action not in _QUIET]
            if rows:
                pairs = ", ".join(f"{row.raw or '(empty)'}→{row.symbol or '–'} {row.count}" for row in rows)
                yield f"  {side} {action}: {pairs}"
        composed = [f"{row.symbol} {row.count}" for row in audit if row.features == "composed"]
        if composed:
            yield f"  {side} with features composed by rule: {', '.join(composed)}"


def _tones(loaded: LoadedCorpus) -> Iterator[str]:
    sides = {"gold": loaded.gold, "predicted": None if loaded.corpus is None else loaded.corpus.predicted}
    for side, sequences in sides.items():
        if sequences is not None and sequences.tones is not None:
            tones = sequences.tones
            yield f"  {side} tones: {len(tones.codes)}, namely {' '.join(map(shown_tone, tones.inventory))}"
