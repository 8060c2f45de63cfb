"""Sentences: plain words, and words that lead to what they name; where no link can be followed, just their text."""

from dataclasses import dataclass
from urllib.parse import urlencode

from phonxling.analyses.measures import measure, summarised


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a sentence, and the address on the page that they lead to; "" for words that lead nowhere."""

    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Parts, whose texts together are the sentence."""

    parts: tuple[Part, ...] = ()

    def __str__(self) -> str:
        return "".join(part.text for part in self.parts)


Words = str | Part | Sentence


def sentence(*words: Words) -> Sentence:
    """Return a sentence of texts, parts, and the parts of other sentences.

    Examples
    --------
    >>> str(sentence("Most are ", sentence(Part("a heard as e", "#gold=a&heard=e"), " (3)"), "."))
    'Most are a heard as e (3).'
    """
    return Sentence(tuple(part for one in words for part in _parts(one)))


def _parts(words: Words) -> tuple[Part, ...]:
    if isinstance(words, Sentence):
        return words.parts
    part = words if isinstance(words, Part) else Part(words)
    return (part,) if part.text else ()


def joined(between: str, sentences: list[Sentence]) -> Sentence:
    """Return sentences as one, with a text between each two."""
    first, *others = sentences
    return sentence(first, *(one for each in others for one in (between, each)))


def address(corpus: str, **state: str) -> str:
    """Return the address of a state of the page, as its `scripts/address.js` reads it.

    Examples
    --------
    >>> address("yoruba", gold="a", heard="&b")
    '#corpus=yoruba&gold=a&heard=%26b'
    """
    return f"#{urlencode({'corpus': corpus, **state})}"


def number_address(corpus: str, name: str, variant: str) -> str:
    """Return where a number stands on the page: beside those of other corpora, or else where it is defined.

    Examples
    --------
    >>> number_address("yoruba", "wper", ""), number_address("yoruba", "mutual_information", "ml")
    ('#corpus=yoruba&measure=wper', '#def-mutual_information')
    """
    if (name, variant) in summarised():
        return address(corpus, measure=f"{name} {variant}".strip())
    return definition_address(name)


def definition_address(name: str) -> str:
    """Return where a measure is defined on the page; KeyError for one that is not declared."""
    return f"#def-{measure(name).name}"
