"""Sentences on what was heard: information about the gold phones, the largest confusions, the kinds of errors."""

from collections.abc import Iterator

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.numbers import Confusion, Number, Numbers, figure, percent
from phonxling.report.findings.reference import differs
from phonxling.report.findings.sentence import Part, Sentence, definition_address, joined, sentence

_REASONS = {
    "absent": "are on phones that the recogniser lacks",
    "expected": "are confusions that the reference language has too",
    "level": "are beyond the number that the reference leads one to expect",
    "pattern": "are within that number, but of other kinds",
    "unattested": "are on phones that the reference never says",
    "confused": "are confusions with another phone",
    "deleted": "are deletions",
    "inserted": "are insertions",
}
_BESIDE_REFERENCE = ("expected", "level", "pattern")


def information_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what was heard tells of the gold phones, beside chance, and of which share of them that is said."""
    information, excess = numbers.get("mutual_information"), numbers.get("mutual_information_excess")
    if not information.defined or not excess.defined:
        return
    bits = Part(" bits", definition_address("mutual_information"))
    level = numbers.words(figure(information.value - excess.value), "mutual_information_excess")
    yield sentence(
        _of_the_aligned(numbers),
        " was heard tells ",
        numbers.number("mutual_information"),
        bits,
        "; aligned predictions without information give ",
        level,
        _beside_chance(numbers),
        ".",
    )


def _of_the_aligned(numbers: Numbers) -> Sentence:
    """Return how a sentence begins on the gold phones that were not deleted."""
    if not numbers.aligned.defined:
        return sentence("What")
    share = numbers.words(percent(numbers.aligned), "deletion_rate")
    return sentence("Of the ", share, " of the gold phones that were not deleted, what")


def forced_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that times were found from the posteriors, how certain they are, and what aligning gives by itself."""
    if not numbers.get("forced_certainty").defined:
        return
    certainty = numbers.number("forced_certainty")
    yield sentence("The times of gold phones were found from the posteriors, with a mean certainty of ", certainty, ".")
    bits, unrelated = "decision_mutual_information", "decision_mutual_information_unrelated"
    if numbers.get(bits).defined and numbers.get(unrelated).defined:
        yield sentence(
            "At these times the most probable phones tell ",
            numbers.number(bits),
            " bits of the gold phones; gold phones that were not said, aligned in the same way, give ",
            numbers.words(figure(numbers.get(unrelated).value), unrelated),
            ".",
        )


def _beside_chance(numbers: Numbers) -> Sentence:
    """Return what the interval of the excess supports."""
    excess = numbers.get("mutual_information_excess")
    shown = numbers.number("mutual_information_excess")
    if not excess.bounded:
        return sentence("; nothing is claimed of the difference, which has no interval")
    if is_descriptive(excess.note):
        return sentence(" (excess ", shown, ", described and not judged)")
    judged = "more" if excess.low > 0 else "less" if excess.high < 0 else "not told apart from that"
    return sentence(f": {judged} (excess ", shown, ")")


def error_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the largest confusions and the kinds of errors, where the rate or the information shows that it hears."""
    if not numbers.deaf:
        yield from _confused(numbers)
        yield from _reasons(numbers)


def _confused(numbers: Numbers) -> Iterator[Sentence]:
    most = [sentence(numbers.pair(cell.gold, cell.predicted), counted(cell)) for cell in numbers.most_frequent[:3]]
    if most:
        yield sentence("The most frequent confusions: ", joined("; ", most), ".")


def counted(cell: Confusion) -> str:
    """Return how many of a gold phone's tokens a confusion holds."""
    return f" ({figure(cell.count)} of {figure(cell.tokens)})"


def kinds_of_errors(numbers: Numbers) -> dict[str, Number]:
    """Return the shares of the kinds of errors, largest first, those below a hundredth left out.

    What is beyond the reference is noise where the confusions are not told apart from it: one kind then.
    """
    shares = {name: numbers.get("error_share", name) for name in _REASONS}
    if shares["level"].defined and not differs(numbers):
        shares["confused"] = Number(sum(shares.pop(name).value for name in _BESIDE_REFERENCE))
    large = [name for name in shares if shares[name].value >= 0.01]
    return {name: shares[name] for name in sorted(large, key=lambda name: -shares[name].value)}


def _reasons(numbers: Numbers) -> Iterator[Sentence]:
    """Say what kinds of errors there are."""
    shares = kinds_of_errors(numbers)
    if shares:
        parts = [
            sentence(share_of_errors(numbers, name, share), f" {_REASONS[name]}", _by_chance(numbers, name))
            for name, share in shares.items()
        ]
        yield sentence("Of all errors, ", joined("; ", parts), ".")


def share_of_errors(numbers: Numbers, name: str, share: Number) -> Part:
    """Return a share of the errors; one that is made of several leads nowhere."""
    text = percent(share, limits=True)
    return numbers.words(text, "error_share", name) if numbers.get("error_share", name).defined else Part(text)


def _by_chance(numbers: Numbers, name: str) -> Sentence:
    """Return which share of the errors would be of a kind if the two languages had the same confusions."""
    null = numbers.get("error_share_null", name)
    if not null.defined:
        return sentence()
    return sentence(" (by chance alone ", numbers.words(percent(null), "error_share_null", name), ")")
