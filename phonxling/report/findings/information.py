"""Sentences on what was heard: information about the gold phones, the largest confusions, the kinds of errors."""

from collections.abc import Iterator

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.numbers import Number, Numbers, figure, percent
from phonxling.report.findings.reference import differs

_REASONS = {
    "absent": "are on phones that the recogniser never predicts",
    "expected": "are confusions that the reference language has too",
    "level": "are beyond the number that the reference leads one to expect",
    "pattern": "are within that number, but of other kinds",
    "unattested": "are on phones that the reference never says",
    "confused": "are confusions of phones that the recogniser predicts",
    "deleted": "are deletions",
    "inserted": "are insertions",
}
_BESIDE_REFERENCE = ("expected", "level", "pattern")


def information_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield what was heard tells of the gold phones, beside chance, and of which share of them that is said."""
    information, null = numbers.get("mutual_information"), numbers.get("mutual_information_null")
    if not information.defined or not null.defined:
        return
    aligned = numbers.aligned
    of = f"Of the {percent(aligned)} of the gold phones that were not deleted, what" if aligned.defined else "What"
    model = null.note.split(": ")[0]  # a note of the best model begins with its name
    level = f"aligned predictions without information ({model}) give {figure(null.value)}"
    yield f"{of} was heard tells {information} bits; {level}{_beside_chance(numbers)}."


def forced_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield that times were found from the posteriors, how certain they are, and what aligning gives by itself."""
    certainty = numbers.get("forced_certainty")
    if not certainty.defined:
        return
    yield f"The times of gold phones were found from the posteriors, with a mean certainty of {certainty}."
    told, level = numbers.get("posterior_mutual_information"), numbers.get("posterior_mutual_information_unrelated")
    if told.defined and level.defined:
        yield (
            f"At these times the most probable phones tell {told} bits of the gold phones; gold phones that were not "
            f"said, aligned in the same way, give {figure(level.value)}."
        )


def _beside_chance(numbers: Numbers) -> str:
    """Return what the interval of the excess supports."""
    excess = numbers.get("mutual_information_excess")
    if not excess.bounded:
        return "; nothing is claimed of the difference, which has no interval"
    if is_descriptive(excess.note):
        return f" (excess {excess}, described and not judged)"
    judged = "more" if excess.low > 0 else "less" if excess.high < 0 else "not told apart from that"
    return f": {judged} (excess {excess})"


def error_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield the largest confusions and the kinds of errors, where the rate or the information shows that it hears."""
    if not numbers.deaf:
        yield from _confused(numbers)
        yield from _reasons(numbers)


def _confused(numbers: Numbers) -> Iterator[str]:
    wrong = [cell for cell in numbers.confusions if cell.gold != cell.predicted]
    most = sorted(wrong, key=lambda cell: -cell.count)[:3]
    if most:
        pairs = (
            f"{cell.gold} heard as {cell.predicted} ({figure(cell.count)} of {figure(cell.tokens)})" for cell in most
        )
        yield f"The most frequent confusions: {'; '.join(pairs)}."


def _reasons(numbers: Numbers) -> Iterator[str]:
    """Say what kinds of errors there are, largest first, those below a hundredth left out."""
    shares = {name: numbers.get("error_share", name) for name in _REASONS}
    if shares["level"].defined and not (numbers.better and differs(numbers)):  # what is beyond it is noise then
        both = sum(shares.pop(name).value for name in _BESIDE_REFERENCE)
        shares["confused"] = Number(both)
    large = sorted((name for name in shares if shares[name].value >= 0.01), key=lambda name: -shares[name].value)
    if large:
        parts = (f"{percent(shares[name], limits=True)} {_REASONS[name]}{_by_chance(numbers, name)}" for name in large)
        yield f"Of all errors, {'; '.join(parts)}."


def _by_chance(numbers: Numbers, name: str) -> str:
    """Return which share of the errors would be of a kind if the two languages had the same confusions."""
    null = numbers.get("error_share_null", name)
    return f" (by chance alone {percent(null)})" if null.defined else ""
