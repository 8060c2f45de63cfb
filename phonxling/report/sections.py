"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more.

The verdict on chance is that of the skill's interval (see `phonxling.analyses.beside_chance`). Where the rate is not
better than chance, nothing is said of errors that belong to the language; where the information is above its null
all the same, the symbols differ, and the sentences say so. Beside a reference, whether errors are more, or of other
kinds, is told by two tests, corrected together (Holm).
"""

import math
from collections.abc import Iterator

import numpy as np

from phonxling.core.estimate import SPEAKERS_UNKNOWN, UNEQUAL, Verdict, cluster_remarks, is_descriptive
from phonxling.report.numbers import (
    Number,
    Numbers,
    Part,
    Sentence,
    address,
    definition_address,
    figure,
    joined,
    percent,
    sentence,
)
from phonxling.report.rounding import equals
from phonxling.resample.p_values import SIGNIFICANT, adjusted

_TITLES = {"wper": "feature-weighted error rate", "per": "phone error rate"}
_WRONG = {  # what a wrong phone costs, by the name of the costs
    "panphon": "the distance of its features, from 0 to 1",
    "panphon-weighted": "the weighted distance of its features, from 0 to 1",
    "panphon-edit": "the distance of its features, from 0 to 1",
    "panphon-hamming": "the share of its features that differ",
    "panphon-nonzero": "the share of its features that differ, of those that are not 0, over the largest such share",
    "unit": "1",
}
REASONS = {
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
_OF_THE_INTERVAL = ("descriptive", "no interval", "the estimate is", UNEQUAL, SPEAKERS_UNKNOWN)  # how such notes begin


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def rate_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the rate, and what became of the gold phones."""
    rate, name = numbers.rate, numbers.rate_name
    if not rate.defined:
        yield sentence(f"There is no error rate: {rate.note or 'no predictions were given'}.")
        return
    tokens = numbers.words(figure(rate.n), "gold_tokens")
    title = Part(_TITLES[name], definition_address(name))
    yield numbers.tell("The {title} is {HEADLINE} over {tokens} gold phones.", title=title, tokens=tokens)
    if numbers.get("accuracy").defined:
        yield numbers.tell(
            "Of these, {accuracy:%} were heard as themselves, {substitution_rate:%} as other phones, and "
            "{deletion_rate:%} were deleted; insertions are {insertion_rate:%} of their number."
        )


def rate_in_words(numbers: Numbers) -> str:
    """Return what the headline rate adds up, in a sentence."""
    if numbers.rate_name == "per":
        return "PER is the least number of wrong, deleted and inserted phones per gold phone."
    parts = dict(part.partition(":")[::2] for part in numbers.rate.signature.split("|"))
    name, *gaps = parts["score"].split("/") if "score" in parts else (parts["costs"], parts["ins"], parts["del"])
    gaps = ["½ to 1 by its features" if gap == "features" else gap for gap in gaps]
    wrong = _WRONG.get(name, f"what the costs “{name}” say")
    costs = f"an insertion costs {gaps[0]}, a deletion {gaps[1]}, a wrong phone {wrong}"
    return f"wPER is the cost of all errors per gold phone: {costs}."


def verdict_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield whether the rate is better than chance, and what decides it; all that the terminal shows."""
    if not numbers.rate.defined:
        return
    yield _rates_beside_chance(numbers)
    if numbers.get(f"people_{numbers.rate_name}").defined:
        of, beside, *_ = numbers.get(f"people_{numbers.rate_name}").note.split("; ")
        yield numbers.tell(
            "A second transcriber differs from gold by {people_HEADLINE} ({about}): people agree no better.",
            about=f"{of}; {beside}",
        )
    if numbers.mostly_deleted:
        yield numbers.tell(
            "Most gold phones, {deletion_rate:%}, were deleted: confusions, entropies and information are of the "
            "other {rest} alone.",
            rest=percent(numbers.aligned),
        )
    if numbers.mostly_inserted:
        yield numbers.tell(
            "Insertions decide the rate: there are {insertion_rate:3} for each gold phone. Predictions without "
            "information have as many, so the skill says little of the phones that were heard."
        )
    if numbers.tells and numbers.worse_or_alike:
        bits = numbers.tell("mutual information {mutual_information_excess} bits above chance")
        known = numbers.symbols_differ and numbers.get("one_to_one_accuracy").defined
        renamed = numbers.tell(", with which {one_to_one_accuracy:%%} of the aligned phones are right") if known else ""
        yield numbers.tell(
            "Yet something was heard ({bits}): the predicted symbols differ from the gold ones. Read the information "
            "and the best one-to-one relabelling{renamed}; align with “{remedy}”, or map the symbols."
            if numbers.symbols_differ
            else "What was heard shows in the information instead: {bits}.",
            bits=bits,
            renamed=renamed,
            remedy="alignment: {costs: learned}",
        )
    if numbers.deaf:
        yield sentence(
            "Nothing shows that anything was heard, so nothing is said of single confusions, of the kinds of errors, "
            "or of what another language leads one to expect."
        )
    yield from cluster_sentences(numbers)


def _rates_beside_chance(numbers: Numbers) -> Sentence:
    """Return the verdict, the level of the hardest model of chance, the skill, and what the inventory allows."""
    name, skill = numbers.rate_name, numbers.skill
    chance = numbers.get(f"chance_{name}")
    if not chance.defined:
        return sentence(f"There is no chance level to hold the rate against: {chance.note or 'none was computed'}.")
    if not skill.defined:
        verdict = "There is no skill above chance to speak of"
    elif skill.verdict is Verdict.UNTESTED:
        verdict = "Whether the rate differs from chance cannot be said, for the skill has no interval"
    elif skill.verdict is Verdict.DESCRIPTIVE:
        verdict = f"Whether the rate is better than chance is not judged, for {skill.few}"
    else:
        verdict = f"The rate is {skill.verdict.value} that of predictions without information{hardly(skill)}"
    model, _, what = chance.note.split("; ")[0].partition(": ")  # as in `constant: always “e”; …`
    scores = f"{what} scores" if model == "constant" else f"{model} predictions score"
    bounded = numbers.get(f"floor_{name}").value > 0 and numbers.get(f"attainable_skill_{name}").defined
    return numbers.tell(
        "{verdict} ({scores} {chance_HEADLINE}; {skill}{ceiling}).",
        verdict=verdict,
        scores=scores if model else "the chance model scores",
        skill=numbers.tell("skill {skill_HEADLINE}") if skill.defined else skill.note or "its skill is not defined",
        ceiling=numbers.tell(
            "; attainable skill {attainable_skill_HEADLINE}, for with this inventory no recogniser scores below "
            "{floor_HEADLINE}"
        )
        if bounded
        else "",
    )


def hardly(skill: Number) -> str:
    """Return by how much a skill that is hardly better than chance is so at most, "" for another."""
    return f", by {percent(Number(skill.high))} of it at most" if skill.verdict is Verdict.HARDLY_BETTER else ""


def ceiling_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that the inventory sets no ceiling, where it sets none: where it does, the verdict tells of it."""
    if numbers.get(f"floor_{numbers.rate_name}").value == 0:
        yield sentence("With this inventory a recogniser could score 0.")


def cluster_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that speakers are unknown, or that one has more than a third of the tokens."""
    yield from (sentence(f"{capital(part)}.") for part in cluster_remarks(numbers.rate.note))


def information_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what was heard tells of the gold phones, beside chance, and of which share of them that is said."""
    information, excess = numbers.get("mutual_information"), numbers.get("mutual_information_excess")
    if not information.defined or not excess.defined:
        return
    aligned = numbers.words(percent(numbers.aligned), "deletion_rate") if numbers.aligned.defined else ""
    judged = "more" if excess.low > 0 else "less" if excess.high < 0 else "not told apart from that"
    if not excess.bounded:
        beside = "; nothing is claimed of the difference, which has no interval"
    elif is_descriptive(excess.note):
        beside = " (excess {mutual_information_excess}, described and not judged)"
    else:
        beside = f": {judged} (excess {{mutual_information_excess}})"
    yield numbers.tell(
        "{what} was heard tells {mutual_information}{bits}; aligned predictions without information give "
        "{level}{beside}.",
        what=sentence("Of the ", aligned, " of the gold phones that were not deleted, what") if aligned else "What",
        bits=Part(" bits", definition_address("mutual_information")),
        level=numbers.words(figure(information.value - excess.value), "mutual_information_excess"),
        beside=numbers.tell(beside),
    )


def forced_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that times were found from the posteriors, how certain they are, and what aligning gives by itself."""
    if not numbers.get("forced_certainty").defined:
        return
    yield numbers.tell(
        "The times of gold phones were found from the posteriors, with a mean certainty of {forced_certainty}."
    )
    bits = "decision_mutual_information"
    if numbers.get(bits).defined and numbers.get(f"{bits}_unrelated").defined:
        yield numbers.tell(
            "At these times the most probable phones tell {decision_mutual_information} bits of the gold phones; gold "
            "phones that were not said, aligned in the same way, give {decision_mutual_information_unrelated:3}."
        )


def error_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the largest confusions and the kinds of errors, where the rate or the information shows that it hears."""
    if numbers.deaf:
        return
    most = [
        sentence(numbers.pair(cell.gold, cell.predicted), f" ({figure(cell.count)} of {figure(cell.tokens)})")
        for cell in numbers.most_frequent[:3]
    ]
    if most:
        yield sentence("The most frequent confusions: ", joined("; ", most), ".")
    kinds = []
    for name, share in kinds_of_errors(numbers).items():
        null, by_chance = numbers.get("error_share_null", name), sentence()
        if null.defined:
            level = numbers.words(percent(null), "error_share_null", name)
            by_chance = sentence(" (by chance alone ", level, ")")
        kinds.append(sentence(share_of_errors(numbers, name, share), f" {REASONS[name]}", by_chance))
    if kinds:
        yield sentence("Of all errors, ", joined("; ", kinds), ".")


def kinds_of_errors(numbers: Numbers) -> dict[str, Number]:
    """Return the shares of the kinds of errors, largest first, those below a hundredth left out."""
    shares = {name: numbers.get("error_share", name) for name in REASONS}
    if shares["level"].defined and not differs(numbers):
        shares["confused"] = Number(sum(shares.pop(name).value for name in _BESIDE_REFERENCE))
    large = [name for name in shares if shares[name].value >= 0.01]
    return {name: shares[name] for name in sorted(large, key=lambda name: -shares[name].value)}


def share_of_errors(numbers: Numbers, name: str, share: Number) -> Part:
    """Return a share of the errors, which leads to the phones behind it."""
    return Part(percent(share, limits=True), address(numbers.name, errors=name))


def differs(numbers: Numbers) -> bool:
    """Whether the rate is better than chance, and errors are more, or of other kinds, than the reference's."""
    tested = adjusted([numbers.get(f"expected_{name}_p").value for name in ("level", "pattern")], "holm")
    return numbers.better and bool(np.nanmin(tested, initial=1.0) < SIGNIFICANT)


def reference_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what is beyond the reference, where the rate shows that the recogniser hears, and what weakens that."""
    if not numbers.reference:
        yield sentence(
            "No reference language was given, so nothing is said of which errors are the recogniser’s own habits."
        )
    elif numbers.name == numbers.reference or numbers.deaf:
        return
    elif numbers.worse_or_alike:
        yield sentence(
            "Nothing is said of errors that the reference does not lead one to expect, for the rate is not clearly "
            "better than chance."
        )
    else:
        yield from _beside_reference(numbers, numbers.title(numbers.reference))


def _beside_reference(numbers: Numbers, reference: str) -> Iterator[Sentence]:
    """Yield number and kinds of errors beside the reference's, whether they are told apart, and the tested cells."""
    js, level = numbers.get("expected_js"), numbers.get("expected_level")
    if not js.defined:
        yield from [sentence(f"Nothing can be expected from {reference}: {js.note}.")] * bool(js.note)
        return
    warnings = (capital(part) for part in js.note.split("; ") if part and not part.startswith(_OF_THE_INTERVAL))
    warned = "".join(f" {part}" if part.endswith("?") else f" {part}." for part in warnings)
    if level.defined:
        hundred = Number(100 * level.value, 100 * level.low, 100 * level.high)
        kept = "On the {expected_share_kept:%} of aligned pairs whose phones are common, "
        yield numbers.tell(
            kept * numbers.get("expected_share_kept").defined
            + "errors in 100 tokens are {number} above those in {reference}{judged}{warned}",
            number=numbers.words(str(hundred), "expected_level"),
            reference=reference,
            judged=_judged(numbers, "level", "more errors than expected", "fewer errors than expected"),
            warned=warned,
        )
    else:
        yield sentence(f"How many more errors there are than in {reference} is not known: {level.note}.", warned)
    if numbers.get("expected_pattern").defined:
        yield numbers.tell(
            "The kinds of errors are {expected_pattern} from {reference}’s (0: the same, 1: all others){judged}",
            reference=reference,
            judged=_judged(numbers, "pattern", "other kinds than expected", ""),
        )
    yield numbers.tell(
        "Number and kinds of errors together make a divergence of {expected_js} bits from what is expected."
    )
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    if tested and differs(numbers):
        sure = sum(cell.q < SIGNIFICANT for cell in tested)
        largest = [numbers.pair(most.gold, most.predicted) for most in numbers.beyond_reference[:1]]
        yield numbers.tell(
            f"{{cells}} tested differ from that (q below {SIGNIFICANT}){{largest}}.",
            cells=numbers.table(f"{sure} of {len(tested)} cells", "expected"),
            largest=sentence("; the largest excess is ", *largest) if largest else "",
        )


def _judged(numbers: Numbers, name: str, above: str, below: str) -> Sentence:
    """Return the end of a sentence on a number beside the reference's: what its test shows."""
    p = numbers.get(f"expected_{name}_p")
    if not p.defined or not numbers.better:
        return sentence("; whether they differ is not judged.")
    what = above if numbers.get(f"expected_{name}").value > 0 else below
    words = numbers.words(equals(p.value), f"expected_{name}_p")
    return sentence(f": {what if p.value < SIGNIFICANT else 'no difference is shown'}, p ", words, ".")
