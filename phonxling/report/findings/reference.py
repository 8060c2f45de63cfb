"""Sentences on what the reference language leads one to expect, and on whether it can be held against at all."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.core.estimate import SPEAKERS_UNKNOWN, UNEQUAL
from phonxling.report.findings.numbers import Number, Numbers
from phonxling.report.findings.sentence import Sentence, sentence
from phonxling.report.rounding import probability
from phonxling.resample.p_values import SIGNIFICANT, adjusted

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
    """Whether the rate is better than chance, and errors are more, or of other kinds, than the reference's (Holm)."""
    tested = adjusted([numbers.get(f"expected_{name}_p").value for name in ("level", "pattern")], "holm")
    return numbers.better and bool(np.nanmin(tested, initial=1.0) < SIGNIFICANT)


def _divergence(numbers: Numbers) -> Iterator[Sentence]:
    js = numbers.get("expected_js")
    if not js.defined:
        if js.note:
            yield sentence(f"Nothing can be expected from {numbers.title(numbers.reference)}: {js.note}.")
        return
    yield sentence(_level(numbers), _warned(js.note))
    if numbers.get("expected_pattern").defined:
        yield _pattern(numbers)
    divergence = sentence("a divergence of ", numbers.number("expected_js"), " bits from what is expected.")
    yield sentence("Number and kinds of errors together make ", divergence)
    if differs(numbers):
        yield from _cells(numbers)


def _level(numbers: Numbers) -> Sentence:
    """Say how many more errors there are than in the reference, and whether that is told apart from none."""
    level, reference = numbers.get("expected_level"), numbers.title(numbers.reference)
    kept = numbers.get("expected_share_kept").defined
    where = sentence("On the ", numbers.share("expected_share_kept"), " of aligned pairs whose phones are common, ")
    if not level.defined:
        return sentence(f"How many more errors there are than in {reference} is not known: {level.note}.")
    hundred = Number(100 * level.value, 100 * level.low, 100 * level.high)
    number = numbers.words(f"{hundred}", "expected_level")
    said = sentence(where if kept else "", "errors in 100 tokens are ", number, f" above those in {reference}")
    return sentence(said, _judged(numbers, "level", "more errors than expected", "fewer errors than expected"))


def _pattern(numbers: Numbers) -> Sentence:
    """Say how far the kinds of errors are from the reference's, and whether that is told apart from none."""
    number, reference = numbers.number("expected_pattern"), numbers.title(numbers.reference)
    said = sentence("The kinds of errors are ", number, f" from {reference}’s (0: the same, 1: all others)")
    return sentence(said, _judged(numbers, "pattern", "other kinds than expected", ""))


def _judged(numbers: Numbers, name: str, above: str, below: str) -> Sentence:
    p = numbers.get(f"expected_{name}_p")
    if not p.defined or not numbers.better:
        return sentence("; whether they differ is not judged.")
    what = above if numbers.get(f"expected_{name}").value > 0 else below
    words = numbers.words(_probability(p.value), f"expected_{name}_p")
    return sentence(f": {what if p.value < SIGNIFICANT else 'no difference is shown'}, p ", words, ".")


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
