"""Sentences on what was heard: information about the gold phones, the largest confusions, the kinds of errors."""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.analyses.beside_chance import Verdict
from phonxling.core.estimate import SPEAKERS_UNKNOWN, UNEQUAL, cluster_remarks, is_descriptive
from phonxling.report.numbers import (
    Confusion,
    Number,
    Numbers,
    Part,
    Sentence,
    definition_address,
    figure,
    joined,
    percent,
    sentence,
)
from phonxling.report.rounding import probability
from phonxling.resample.p_values import SIGNIFICANT, adjusted

# Sentences on what the reference language leads one to expect, and on whether it can be held against at all.

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
    """Return the shares of the kinds of errors, largest first, those below a hundredth left out."""
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


# Sentences on the error rate: what it is of, whether it is better than chance, and what that rests on.

_TITLES = {"wper": "feature-weighted error rate", "per": "phone error rate"}
_WRONG = {  # what a wrong phone costs, by the name of the costs
    "panphon": "the distance of its features, from 0 to 1",
    "panphon-weighted": "the weighted distance of its features, from 0 to 1",
    "panphon-hamming": "the share of its features that differ",
    "unit": "1",
}
_PER = "PER is the least number of wrong, deleted and inserted phones per gold phone."
_REMEDY = "alignment: {costs: learned}"


def rate_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the rate, and what became of the gold phones."""
    rate, name = numbers.rate, numbers.rate_name
    if not rate.defined:
        yield sentence(f"There is no error rate: {rate.note or 'no predictions were given'}.")
        return
    title = Part(_TITLES[name], definition_address(name))
    tokens = numbers.words(figure(rate.n), "gold_tokens")
    yield sentence("The ", title, " is ", numbers.number(name), " over ", tokens, " gold phones.")
    if numbers.get("accuracy").defined:
        yield _became(numbers)


def rate_in_words(numbers: Numbers) -> str:
    """Return what the headline rate adds up, in a sentence."""
    if numbers.rate_name == "per":
        return _PER
    parts = dict(part.partition(":")[::2] for part in numbers.rate.signature.split("|"))
    name, *gaps = parts["score"].split("/") if "score" in parts else (parts["costs"], parts["ins"], parts["del"])
    wrong = _WRONG.get(name, f"what the costs “{name}” say")
    costs = f"an insertion costs {gaps[0]}, a deletion {gaps[1]}, a wrong phone {wrong}"
    return f"wPER is the cost of all errors per gold phone: {costs}."


def _became(numbers: Numbers) -> Sentence:
    """Return what became of the gold phones."""
    right, other, gone, more = (
        numbers.share(name) for name in ("accuracy", "substitution_rate", "deletion_rate", "insertion_rate")
    )
    heard = sentence(right, " were heard as themselves, ", other, " as other phones")
    return sentence("Of these, ", heard, ", and ", gone, " were deleted; insertions are ", more, " of their number.")


def verdict_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield whether the rate is better than chance, and what decides it; all that the terminal shows."""
    if not numbers.rate.defined:
        return
    yield _rates_beside_chance(numbers)
    if numbers.mostly_deleted:
        yield sentence(
            "Most gold phones, ",
            numbers.share("deletion_rate"),
            f", were deleted: confusions, entropies and information are of the other {percent(numbers.aligned)} alone.",
        )
    if numbers.mostly_inserted:
        yield sentence(
            "Insertions decide the rate: there are ",
            numbers.words(figure(numbers.get("insertion_rate").value), "insertion_rate"),
            " for each gold phone. Predictions without information have as many, so the skill says little of the "
            "phones that were heard.",
        )
    if numbers.tells and numbers.worse_or_alike:
        yield _other_symbols(numbers)
    if numbers.deaf:
        yield sentence(
            "Nothing shows that anything was heard, so nothing is said of single confusions, of the kinds of errors, "
            "or of what another language leads one to expect."
        )
    yield from cluster_sentences(numbers)


def cluster_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that speakers are unknown, or that one has more than a third of the tokens."""
    yield from (sentence(f"{part[0].upper()}{part[1:]}.") for part in cluster_remarks(numbers.rate.note))


def _rates_beside_chance(numbers: Numbers) -> Sentence:
    name, skill = numbers.rate_name, numbers.skill
    chance = numbers.get(f"chance_{name}")
    if not chance.defined:
        return sentence(f"There is no chance level to hold the rate against: {chance.note or 'none was computed'}.")
    told = sentence("skill ", numbers.number(f"skill_{name}")) if skill.defined else skill.note
    level = sentence(f"{_model(chance)} ", numbers.number(f"chance_{name}"), "; ", told or "its skill is not defined")
    return sentence(f"{_verdict(skill)} (", level, _ceiling(numbers), ").")


def _ceiling(numbers: Numbers) -> Sentence:
    """Return what the inventory allows, where that is less than a rate of 0."""
    floor, attainable = (f"{kind}_{numbers.rate_name}" for kind in ("floor", "attainable_skill"))
    if not (numbers.get(floor).value > 0 and numbers.get(attainable).defined):
        return sentence()
    limit = sentence(", for with this inventory no recogniser scores below ", numbers.number(floor))
    return sentence("; attainable skill ", numbers.number(attainable), limit)


def ceiling_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that the inventory sets no ceiling, where it sets none: where it does, the verdict tells of it."""
    if numbers.get(f"floor_{numbers.rate_name}").value == 0:
        yield sentence("With this inventory a recogniser could score 0.")


def _verdict(skill: Number) -> str:
    """Return what the interval of a skill supports, in words."""
    if not skill.defined:
        return "There is no skill above chance to speak of"
    if skill.verdict is Verdict.UNTESTED:
        return "Whether the rate differs from chance cannot be said, for the skill has no interval"
    if skill.verdict is Verdict.DESCRIPTIVE:
        return f"Whether the rate is better than chance is not judged, for {skill.few}"
    most = f", by {percent(Number(skill.high))} of it at most" if skill.verdict is Verdict.HARDLY_BETTER else ""
    return f"The rate is {skill.verdict.value} that of predictions without information{most}"


def _model(chance: Number) -> str:
    """Return which chance model is the hardest, by the beginning of its note: `constant: always “e”; …`."""
    model, _, what = chance.note.split("; ")[0].partition(": ")
    if not model:
        return "the chance model scores"
    return f"{what} scores" if model == "constant" else f"{model} predictions score"


def _other_symbols(numbers: Numbers) -> Sentence:
    """Return what to do where the rate does not show what was heard, but the information does."""
    bits = sentence("mutual information ", numbers.number("mutual_information_excess"), " bits above chance")
    if not numbers.symbols_differ:
        return sentence("What was heard shows in the information instead: ", bits, ".")
    renamed = numbers.share("one_to_one_accuracy", limits=True)
    known = numbers.get("one_to_one_accuracy").defined
    right = sentence(", with which ", renamed, " of the aligned phones are right") if known else ""
    return sentence(
        "Yet something was heard (",
        bits,
        "): the predicted symbols differ from the gold ones. Read the information and the best one-to-one relabelling",
        right,
        f"; align with “{_REMEDY}”, or map the symbols.",
    )
