"""What names of files and folders say: what a file holds, and which of several corpora it is of."""

import re
from collections.abc import Iterable
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
_ROLES: tuple[tuple[Role, frozenset[str]], ...] = (("gold", _GOLD), ("predicted", _PREDICTED))
_AFTER_ALL: tuple[tuple[Role, frozenset[str]], ...] = (("gold", _PERHAPS_GOLD), ("predicted", frozenset({"ctm"})))


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
    *folders, own = [words_of(part) for part in _without_ending(path).parts] or [[]]
    role = role_of(own)
    key = [word for word in own if word not in _GOLD | _PREDICTED | _PERHAPS_GOLD | _OTHERS | {"ctm"}]
    for words in reversed(folders):
        above = role_of(words) if not role else ""
        role = role or above
        key = [word for word in words if not above or word not in _GOLD | _PREDICTED | _PERHAPS_GOLD] + key
    return Named(role, tuple(key))


def role_of(words: Iterable[str]) -> Role:
    """Return the role that words speak for: clear words first; "" when none does, or both do.

    Examples
    --------
    >>> role_of(["gold", "ctm"]), role_of(["gold", "predicted"]), role_of(["text"])
    ('gold', '', 'gold')
    """
    every = set(words)
    for names in (_ROLES, _AFTER_ALL):
        roles = [role for role, known in names if every & known]
        if roles:
            return roles[0] if len(roles) == 1 else ""
    return ""


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
