"""What is said: words drawn from the CMU pronouncing dictionary, and sentences put together from `phrases.toml`."""

import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pocketsphinx

_LANGUAGES = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))
LANGUAGES = ("yoruba", "swahili", "spanish")
FURTHER = ("german", "italian", "turkish", "indonesian", "finnish")  # of which there are fewer sentences

# Words of letters alone, without the dictionary's second pronunciations, abbreviations and genitives; neither so short
# nor so long that an utterance of six could not be read.
_WORD = re.compile(r"[a-z]{3,10}")
_MAX_PHONES = 8
_TEST_SHARE = 0.2
_WORDS_IN_UTTERANCE = (5, 6)


def draw_sentences(language: str, count: int, rng: random.Random) -> list[str]:
    """Return different sentences of a language, the patterns in turn."""
    phrases, patterns = (_LANGUAGES[language][part] for part in ("phrases", "patterns"))
    slots = {name: [" ".join(phrase.split()) for phrase in listed.split(",")] for name, listed in phrases.items()}
    sentences: dict[str, None] = {}  # a set that keeps its order
    while len(sentences) < count:
        pattern = patterns[len(sentences) % len(patterns)]
        chosen = {name: rng.choice(listed) for name, listed in slots.items()}
        sentence = pattern.format_map(chosen)
        sentences[sentence[0].upper() + sentence[1:] + "."] = None
    return list(sentences)


def split_dictionary(rng: random.Random) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return training and test words, which have no word in common, each as the words that hold a phone, by phone."""
    entries = _read_dictionary()
    rng.shuffle(entries)
    border = round(len(entries) * _TEST_SHARE)
    return _by_phone(entries[border:]), _by_phone(entries[:border])


def draw_words(by_phone: Mapping[str, Sequence[str]], count: int, rng: random.Random) -> list[str]:
    """Return utterances of five or six words with a comma in the middle.

    A phone is drawn first, evenly, and then a word that holds it, so that the rare ones (ð, ʒ, ɔɪ) come up too.
    """
    phones = sorted(by_phone)
    utterances = []
    for _ in range(count):
        words = [rng.choice(by_phone[rng.choice(phones)]) for _ in range(rng.choice(_WORDS_IN_UTTERANCE))]
        utterances.append(f"{' '.join(words[:3])}, {' '.join(words[3:])}")
    return utterances


def _read_dictionary() -> list[tuple[str, list[str]]]:
    path = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict"))
    entries = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return [(word, phones) for word, *phones in entries if _WORD.fullmatch(word) and len(phones) <= _MAX_PHONES]


def _by_phone(entries: Sequence[tuple[str, list[str]]]) -> dict[str, list[str]]:
    words: defaultdict[str, list[str]] = defaultdict(list)
    for word, phones in entries:
        for phone in dict.fromkeys(phones):
            words[phone].append(word)
    return dict(words)
