"""Short sentences of eight languages, put together from the phrases of `phrases.toml`."""

import random
import tomllib
from pathlib import Path

_LANGUAGES = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))
LANGUAGES = ("yoruba", "swahili", "spanish")
FURTHER = ("german", "italian", "turkish", "indonesian", "finnish")  # of which there are fewer sentences


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
