"""What names say, for a starter configuration: which side a file or a tier is, and of which corpus.

A word for a side in the file's name, or else in that of a folder around it, is its role; the words that are left are
the key of its corpus. A recogniser's name is a word for predictions; in a tier's name, a forced aligner's is one, too.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePath
from typing import Literal, TypeAlias

from phonxling.load.formats import known_endings
from phonxling.load.posteriors import FORMATS

Role: TypeAlias = Literal["gold", "predicted", ""]
Key: TypeAlias = tuple[str, ...]

_WORDS = {
    "recogniser": "wav2vec wav2vec2 w2v w2v2 hubert wavlm xlsr xls whisper allosaurus allophant zipa powsm xeus "
    "phoneticxeus recogniser recognizer",
    "recogniser of a tier": "mfa maus auto automatic model machine system kaldi espnet nemo icefall ctc espeak",
    "predicted": "predicted prediction predictions pred preds hyp hyps hypothesis hypotheses decoded recognised "
    "recognized output outputs asr",
    "gold": "gold ref refs reference references truth canonical manual human stm",
    "perhaps gold": "transcript transcripts transcription transcriptions text labels phones",
    "others": "posterior posteriors post ppg ppgs posteriorgram posteriorgrams probs probabilities logits "
    "speaker speakers spk utt2spk segment segments times alignment alignments intervals vs and",
}
_RECOGNISERS, _OF_TIERS, _SAID_PREDICTED, _GOLD, _PERHAPS_GOLD, _OTHERS = (
    frozenset(words.split()) for words in _WORDS.values()
)
_PREDICTED = _SAID_PREDICTED | _RECOGNISERS
_CLEAR: Mapping[Role, frozenset[str]] = {"gold": _GOLD, "predicted": _PREDICTED}
_UNCLEAR: Mapping[Role, frozenset[str]] = {"gold": _PERHAPS_GOLD, "predicted": frozenset({"ctm"})}
_SIDES = _GOLD | _SAID_PREDICTED | _PERHAPS_GOLD | {"ctm"}
_SHARD = re.compile(r"-(\d{5}|\*)-of-\d{5}")  # of a data set in several files
_PHONES = {"phones", "phone", "phoneme", "phonemes", "segments", "segment", "mau", "ipa"}


def named(path: PurePath) -> tuple[Role, Key]:
    """Return what a path below the folder says: the role, "" when it says none, or both; the words of the corpus."""
    path = path.with_suffix("") if path.suffix.lower() in _endings() else path
    parts = [words_of(_SHARD.sub("", part)) for part in path.parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    roles = ((role, place) for known, place in places if (role := _said(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHERS}
    key = (word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ()))
    return role, tuple(key)


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is


def role_of_tier(tier: str) -> Role | None:
    """Return the role that a tier's name says, "" where it says both, None where it says nothing."""
    words = {*words_of(tier)} - _PHONES
    if words & (_PREDICTED | _OF_TIERS):
        return "" if words & _GOLD else "predicted"
    return _said(words, _CLEAR) or _said(words, _UNCLEAR) or None


def _said(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def words_of(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]
