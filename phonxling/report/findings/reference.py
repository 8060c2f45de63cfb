"""Sentences on what the reference language leads one to expect, and on whether it can be held against at all."""

import math
from collections.abc import Iterator

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.numbers import Numbers, percent
from phonxling.report.rounding import probability
from phonxling.resample.p_values import SIGNIFICANT

_OF_THE_INTERVAL = ("descriptive", "no interval", "the estimate is")  # how notes begin that are of it


def reference_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield what is beyond the reference, where the rate shows that the recogniser hears, and what weakens that."""
    if not numbers.reference:
        yield "No reference language was given, so nothing is said of which errors are the recogniser’s own habits."
        return
    if numbers.name == numbers.reference:
        return
    if numbers.worse_or_alike:
        if not numbers.deaf:
            yield (
                "Nothing is said of errors that the reference does not lead one to expect, for the rate is not clearly "
                "better than chance."
            )
        return
    yield from _divergence(numbers, numbers.reference)


def differs(numbers: Numbers) -> bool:
    """Whether the confusions are told apart from those of the reference."""
    js, p = numbers.get("expected_js"), numbers.get("expected_js_p")
    return p.value < SIGNIFICANT and not is_descriptive(js.note)


def _divergence(numbers: Numbers, reference: str) -> Iterator[str]:
    js = numbers.get("expected_js")
    if not js.defined:
        if js.note:
            yield f"Nothing can be expected from {reference}: {js.note}."
        return
    p, null, kept = (numbers.get(name) for name in ("expected_js_p", "expected_js_null", "expected_share_kept"))
    by_chance = f", where no difference gives {null}" if null.defined else ""
    over = f" over the {percent(kept)} of the aligned pairs that are of phones common to both" if kept.defined else ""
    what = f"those that {reference} leads one to expect{over}: divergence {js} bits{by_chance}"
    if not p.defined or not numbers.better or is_descriptive(js.note):
        yield f"The confusions are held against {what}. Whether they differ is not judged.{_warned(js.note)}"
    elif not differs(numbers):
        yield f"The confusions are not told apart from {what}; p {_probability(p.value)}.{_warned(js.note)}"
    else:
        yield f"The confusions differ from {what}; p {_probability(p.value)}.{_warned(js.note)}"
        yield from _cells(numbers)


def _cells(numbers: Numbers) -> Iterator[str]:
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    sure = [cell for cell in tested if cell.q < SIGNIFICANT]
    confusions = [cell for cell in sure if cell.gold != cell.predicted and cell.residual > 0]
    if tested:
        most = max(confusions, key=lambda cell: cell.residual, default=None)
        largest = f"; the largest excess is {most.gold} heard as {most.predicted}" if most else ""
        yield f"{len(sure)} of {len(tested)} cells tested differ from that (q below {SIGNIFICANT}){largest}."


def _probability(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"


def _warned(note: str) -> str:
    """Return what the comparison's note warns of: another recogniser, a small reference, one that is heard worse."""
    warnings = (part for part in note.split("; ") if part and not part.startswith(_OF_THE_INTERVAL))
    sentences = (part[0].upper() + part[1:] for part in warnings)
    return "".join(f" {part}" if part.endswith("?") else f" {part}." for part in sentences)
