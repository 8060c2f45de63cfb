"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more.

The verdict on chance is that of the skill's interval (see `phonxling.analyses.verdict`). Where the rate is not better
than chance, nothing is said of errors that belong to the language; where the information is above its null all the
same, the symbols differ, and the sentences say so.
"""

from collections.abc import Iterator

from phonxling.report.findings.information import error_sentences, forced_sentences, information_sentences
from phonxling.report.findings.numbers import Numbers
from phonxling.report.findings.rates import rate_sentences, verdict_sentences
from phonxling.report.findings.reference import reference_sentences
from phonxling.report.findings.sentence import Sentence, sentence

FEW_TOKENS = 20  # tokens of a phone below which nothing is said of it alone, as in phones.tsv


def findings(numbers: Numbers) -> list[Sentence]:
    """Return the sentences on one corpus, the most important first."""
    parts = (
        rate_sentences,
        verdict_sentences,
        information_sentences,
        forced_sentences,
        error_sentences,
        reference_sentences,
        _tone,
        _weaknesses,
    )
    return [each for part in parts for each in part(numbers)]


def _tone(numbers: Numbers) -> Iterator[Sentence]:
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield sentence("The tone error rate is ", numbers.number("tone_error_rate"), ".")
    elif tone.note and "no tone" not in tone.note:
        yield sentence(f"There is no tone error rate: {tone.note}.")


def _weaknesses(numbers: Numbers) -> Iterator[Sentence]:
    for part in numbers.rate.note.split("; "):
        if part.startswith(("descriptive", "no interval")):
            yield sentence(f"{part[0].upper()}{part[1:]}.")
    few = sum(1 for tokens in numbers.phone_tokens if tokens < FEW_TOKENS)
    if few:
        total = len(numbers.phone_tokens)
        have, them = ("has", "it") if few == 1 else ("have", "them")
        rare = numbers.table(f"{few} of {total} gold phones", "phones")
        yield sentence(rare, f" {have} fewer than {FEW_TOKENS} tokens: what is said of {them} alone is weak.")
