"""Sentences on the error rate: what it is of, whether it is better than chance, and what that rests on."""

from collections.abc import Iterator

from phonxling.analyses.verdict import Verdict
from phonxling.core.estimate import cluster_remarks
from phonxling.report.findings.numbers import Number, Numbers, figure, percent
from phonxling.report.findings.sentence import Part, Sentence, definition_address, sentence

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
    """Return what the headline rate adds up, in a sentence.

    Examples
    --------
    >>> from phonxling.report.findings.numbers import Number
    >>> wper = Number(0.3, signature="costs:panphon|ins:1|del:1|align:viterbi")
    >>> print(rate_in_words(Numbers({("wper", ""): wper})))
    wPER is the cost of all errors per gold phone: an insertion costs 1, a deletion 1, a wrong phone the distance of its
    features, from 0 to 1.
    """
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
    yield _beside_chance(numbers)
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
    yield from (sentence(f"{part[0].upper()}{part[1:]}.") for part in cluster_remarks(numbers.rate.note))


def _beside_chance(numbers: Numbers) -> Sentence:
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
