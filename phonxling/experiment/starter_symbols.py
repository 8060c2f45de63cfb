"""Which symbol set fits phones, and what names say of files, for a starter configuration.

No symbol is kept or left out unasked: one that the set does not know is an error of `check`, which says what to do.

A word for a side in the file's name, or else in that of a folder around it, is its role; the words that are left are
the key of its corpus. A recogniser's name is a word for predictions; in a tier's name, a forced aligner's is one, too.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path, PurePath
from typing import Literal, NamedTuple, TypeAlias

from phonxling.load.formats import known_endings
from phonxling.load.posteriors import FORMATS
from phonxling.load.resources import panphon_features
from phonxling.phones.ipa import decide
from phonxling.phones.symbols import BUILT_IN, SILENCE, SymbolRules
from phonxling.phones.unknown import match_sets

# Words are thousands of different "symbols", and asking of each what it could be takes long: the commonest decide.
_TRIED_SYMBOLS = 60  # symbols where there are so many that they may be words
_MANY, _LONG = 300, 4.0  # distinct symbols, and their mean length, beyond which they may be words
_LONG_PHONES = 2.5  # the mean length up to which symbols are phones, and not words of joined ones
# A person decides about the rest: some symbols of its own, as most transcriptions have, do not make a file unfit.
_KNOWN_SHARE = 0.7  # the share of tokens that a set must know of phones
_KNOWN_OF_SIDE = 0.5  # the same where a name says gold or predicted
_OF_WORDS = 0.85  # the same of words of joined phones: some of plain letters could be of any language
_OF_IPA = 0.15  # the share of words with a letter of the IPA alone, beyond which they are no spelling
_IPA = re.compile("[\u0250-\u02ffæðøŋœβθχ]")
_RULES = SymbolRules()


class SymbolsFound(NamedTuple):
    """The symbol set that fits best, by name or as a map's path; the symbols that it does not know; what it knows."""

    symbols: str | Path
    unknown: tuple[str, ...]
    share: float

    def is_plausible(self, role: "Role" = "") -> bool:
        """Return whether these are phones; of a side that is called one, a person decides about the others."""
        least = _KNOWN_OF_SIDE if role else _OF_WORDS if self.symbols == "ipa-joined" else _KNOWN_SHARE
        return self.share >= least


def known_share(tokens: Iterable[str]) -> float:
    """Return which share of some tokens the symbol set knows that fits best, of a column of a table."""
    return find_symbols(Counter(tokens)).share


def find_symbols(
    counts: Mapping[str, int], maps: Mapping[Path, frozenset[str]] | None = None, *, columns: bool = False
) -> SymbolsFound:
    """Return in which set symbols are written: a map that knows all goes first; of words, the commonest decide."""
    spoken = Counter({symbol: number for symbol, number in counts.items() if symbol.lower() not in SILENCE})
    names = {unicodedata.normalize("NFC", symbol) for symbol in spoken}
    for path, known in (maps or {}).items():
        # Half of the map at least, or any map that has a, e, i, o and u would fit.
        if names <= known and len(names) >= len(known) / 2:
            return SymbolsFound(path, (), 1.0)
    # By tokens, so that rare typos without spaces do not make phones look like words.
    length = sum(len(symbol) * number for symbol, number in spoken.items()) / max(spoken.total(), 1)
    may_be_words = not columns and (len(spoken) > _MANY or length > _LONG)
    tried = Counter(dict(spoken.most_common(_TRIED_SYMBOLS))) if may_be_words else spoken
    # Two letters or three are a phone with its diacritics, or a label such as ah0; more are words.
    joined = length > _LONG_PHONES and not columns
    best = next(fit for fit in match_sets(tried, panphon_features()) if joined or fit.name != "ipa-joined")
    ipa = sum(tried[symbol] for symbol in tried if _IPA.search(symbol)) >= _OF_IPA * tried.total()
    plain = () if best.name == "ipa-joined" and ipa else best.doubtful  # of some languages most words are of a to z
    doubtful = {*best.unknown, *plain, *(symbol for symbol in tried if len(symbol.split()) > 1)}
    # By tokens as well: one unknown symbol that is frequent weighs more than ten that occur once.
    share = sum(tried[symbol] for symbol in tried if symbol not in doubtful) / max(tried.total(), 1)
    unknown = best.unknown
    if len(tried) < len(spoken) and best.name != "ipa-joined":  # all of them, now that the set is known
        unknown = tuple(symbol for symbol in spoken if not _is_known(symbol, best.name))
    return SymbolsFound(best.name, unknown, share if len(tried) > 1 else 0.0)


def _is_known(symbol: str, name: str = "ipa") -> bool:
    return decide(symbol, BUILT_IN[name], panphon_features(), _RULES) is not None


Role: TypeAlias = Literal["gold", "predicted", ""]
Key: TypeAlias = tuple[str, ...]


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_RECOGNISERS = _words(
    "wav2vec wav2vec2 w2v w2v2 hubert wavlm xlsr xls whisper allosaurus allophant zipa powsm xeus phoneticxeus",
    "recogniser recognizer",
)
_OF_TIERS = _words("mfa maus auto automatic model machine system kaldi espnet nemo icefall ctc espeak")
_WORDS_OF_PREDICTED = _words(
    "predicted prediction predictions pred preds hyp hyps hypothesis hypotheses decoded recognised recognized",
    "output outputs asr decode decoding",
)
_GOLD = _words("gold ref refs reference references truth canonical manual human stm")
_PERHAPS_GOLD = _words("transcript transcripts transcription transcriptions text labels phones")
_OTHER_WORDS = _words(
    "posterior posteriors post ppg ppgs posteriorgram posteriorgrams probs probabilities logits speaker speakers",
    "spk utt2spk segment segments times alignment alignments intervals vs and",
)
_PREDICTED_WORDS = _WORDS_OF_PREDICTED | _RECOGNISERS
_CLEAR: Mapping[Role, frozenset[str]] = {"gold": _GOLD, "predicted": _PREDICTED_WORDS}
_UNCLEAR: Mapping[Role, frozenset[str]] = {"gold": _PERHAPS_GOLD, "predicted": frozenset({"ctm"})}
_SIDES = _GOLD | _WORDS_OF_PREDICTED | _PERHAPS_GOLD | {"ctm"}
_SHARD = re.compile(r"-(\d{5}|\*)-of-\d{5}")  # of a data set in several files
_PHONES = {"phones", "phone", "phoneme", "phonemes", "segments", "segment", "mau", "ipa"}


def read_role(path: PurePath) -> tuple[Role, Key]:
    """Return what a path below the folder says: the role, "" when it says none, or both; the words of the corpus."""
    path = path.with_suffix("") if path.suffix.lower() in _endings() else path
    parts = [words_of(_SHARD.sub("", part)) for part in path.parts] or [[]]
    places = [(known, place) for known in (_CLEAR, _UNCLEAR) for place in reversed(range(len(parts)))]
    # Clear words of any folder go before unclear ones of the file: predicted/text.txt holds predictions.
    roles = ((role, place) for known, place in places if (role := _role_of_words(parts[place], known)))
    role, giving = next(roles, ("", -1))
    of_no_corpus = {giving: _SIDES, len(parts) - 1: _SIDES | _OTHER_WORDS}
    key = (word for place, part in enumerate(parts) for word in part if word not in of_no_corpus.get(place, ()))
    return role, tuple(key)


@cache
def _endings() -> frozenset[str]:
    return frozenset((*known_endings(), *FORMATS, ".txt")) - {".ctm", ".stm"}  # which say what a file is


def role_of_tier(tier: str) -> Role | None:
    """Return the role that a tier's name says, "" where it says both, None where it says nothing."""
    # MFA and MAUS call their tiers phones and MAU; which side they are, the other words say.
    words = {*words_of(tier)} - _PHONES
    if words & (_PREDICTED_WORDS | _OF_TIERS):
        return "" if words & _GOLD else "predicted"
    return _role_of_words(words, _CLEAR) or _role_of_words(words, _UNCLEAR) or None


def _role_of_words(words: Iterable[str], known: Mapping[Role, frozenset[str]]) -> Role:
    roles = [role for role, names in known.items() if names & {*words}]
    return roles[0] if len(roles) == 1 else ""


def words_of(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_]+", name.lower()) if word]
