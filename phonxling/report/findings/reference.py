"""Sentences on what the reference language leads one to expect, and on whether it can be held against at all."""

import math
from collections.abc import Iterator

from phonxling.core.estimate import SPEAKERS_UNKNOWN, UNEQUAL, is_descriptive
from phonxling.report.findings.numbers import Numbers
from phonxling.report.findings.sentence import Sentence, sentence
from phonxling.report.rounding import probability
from phonxling.resample.p_values import SIGNIFICANT

_OF_THE_INTERVAL = (
    "descriptive",
    "no interval",
    "the estimate is",
    UNEQUAL,
    SPEAKERS_UNKNOWN,
)  # how notes begin that are of it


def reference_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what is beyond the reference, where the rate shows that the recogniser hears, and what weakens that."""
    if not numbers.reference:
        yield sentence(
            "No reference language was given, so nothing is said of which errors are the recogniser’s own habits."
        )
        return
    if numbers.name == numbers.reference or numbers.deaf:
        return
    if numbers.worse_or_alike:
        yield sentence(
            "Nothing is said of errors that the reference does not lead one to expect, for the rate is not clearly "
            "better than chance."
        )
        return
    yield from _divergence(numbers)


def differs(numbers: Numbers) -> bool:
    """Whether the rate is better than chance and the confusions are told apart from those of the reference."""
    js, p = numbers.get("expected_js"), numbers.get("expected_js_p")
    return numbers.better and p.value < SIGNIFICANT and not is_descriptive(js.note)


def _divergence(numbers: Numbers) -> Iterator[Sentence]:
    js, p = numbers.get("expected_js"), numbers.get("expected_js_p")
    if not js.defined:
        if js.note:
            yield sentence(f"Nothing can be expected from {numbers.title(numbers.reference)}: {js.note}.")
        return
    what, warned = _what(numbers), _warned(js.note)
    if not p.defined or not numbers.better or is_descriptive(js.note):
        yield sentence("The confusions are held against ", what, f". Whether they differ is not judged.{warned}")
        return
    told = "differ from " if differs(numbers) else "are not told apart from "
    tested = sentence("; p ", numbers.words(_probability(p.value), "expected_js_p"), f".{warned}")
    yield sentence("The confusions ", told, what, tested)
    if differs(numbers):
        yield from _cells(numbers)


def _what(numbers: Numbers) -> Sentence:
    """Return what the confusions are held against, over which share, and how far they diverge."""
    null, kept = ("expected_js_null", "expected_share_kept")
    of = " of the aligned pairs that are of phones common to both"
    over = sentence(" over the ", numbers.share(kept), of) if numbers.get(kept).defined else ""
    told = numbers.get(null).defined
    by_chance = sentence(", where no difference gives ", numbers.number(null)) if told else ""
    bits = sentence(": divergence ", numbers.number("expected_js"), " bits", by_chance)
    return sentence(f"those that {numbers.title(numbers.reference)} leads one to expect", over, bits)


def _cells(numbers: Numbers) -> Iterator[Sentence]:
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    sure = sum(cell.q < SIGNIFICANT for cell in tested)
    if tested:
        most = next(iter(numbers.beyond_reference), None)
        largest = sentence("; the largest excess is ", numbers.pair(most.gold, most.predicted)) if most else ""
        number = numbers.table(f"{sure} of {len(tested)} cells", "expected")
        yield sentence(number, f" tested differ from that (q below {SIGNIFICANT})", largest, ".")


def _probability(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def _warned(note: str) -> str:
    """Return what the comparison's note warns of: another recogniser, a small reference, one that is heard worse."""
    warnings = (part for part in note.split("; ") if part and not part.startswith(_OF_THE_INTERVAL))
    sentences = (part[0].upper() + part[1:] for part in warnings)
    return "".join(f" {part}" if part.endswith("?") else f" {part}." for part in sentences)
