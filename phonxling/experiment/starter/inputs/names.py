"""What names of files and folders say: what a file holds, and which of several corpora it is of."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Literal, TypeAlias

from phonxling.load.formats import known_endings
from phonxling.load.posteriors import FORMATS

Role: TypeAlias = Literal["gold", "predicted", ""]

_WORDS = {
    "predicted": "predicted prediction predictions pred preds hyp hyps hypothesis hypotheses decoded recognised "
    "recognized output outputs asr",
    "gold": "gold ref refs reference references truth canonical manual human stm",
    "perhaps gold": "transcript transcripts transcription transcriptions text labels phones",
    "others": "posterior posteriors post ppg ppgs posteriorgram posteriorgrams probs probabilities logits "
    "speaker speakers spk utt2spk segment segments times alignment alignments intervals vs and",
}
_PREDICTED, _GOLD, _PERHAPS_GOLD, _OTHERS = (frozenset(words.split()) for words in _WORDS.values())
_CLEAR: Mapping[Role, frozenset[str]] = {"gold": _GOLD, "predicted": _PREDICTED}
_UNCLEAR: Mapping[Role, frozenset[str]] = {"gold": _PERHAPS_GOLD, "predicted": frozenset({"ctm"})}
_SIDES_CLEAR = _GOLD | _PREDICTED
_SIDES = _SIDES_CLEAR | _PERHAPS_GOLD | {"ctm"}


@dataclass(frozen=True, slots=True)
class Named:
    """What a name says: the role, "" when it says none, or both; and the words that are left, those of the corpus."""

    role: Role
    key: tuple[str, ...]


def named(path: PurePath) -> Named:
    """Return what a path below the folder says; a folder's name gives the role where the file's own gives none.

    Examples
    --------
    >>> named(PurePath("yor_gold.tsv")), named(PurePath("hyp/yor.TextGrid")), named(PurePath("a/predicted_vs_gold.csv"))
    (Named(role='gold', key=('yor',)), Named(role='predicted', key=('yor',)), Named(role='', key=('a',)))
    """
    parts = [words_of(part) for part in _without_ending(path).parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    roles = ((role, place) for known, place in places if (role := _said(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHERS}
    key = [word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ())]
    return Named(role, tuple(key))


def role_of(words: Iterable[str]) -> Role:
    """Return the role that words speak for: clear words first; "" when none does, or both do.

    Examples
    --------
    >>> role_of(["gold", "ctm"]), role_of(["gold", "predicted"]), role_of(["text"])
    ('gold', '', 'gold')
    """
    every = [*words]
    return _said(every, _CLEAR) or ("" if _SIDES_CLEAR & {*every} else _said(every, _UNCLEAR))


def _said(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("ref_48.txt"), words_of("HYP-Yorùbá")
    (['ref', '48', 'txt'], ['hyp', 'yorùbá'])
    """
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]


def _without_ending(path: PurePath) -> PurePath:
    return path.with_suffix("") if path.suffix.lower() in _endings() else path


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is
