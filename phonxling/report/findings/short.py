"""The verdict on a corpus in one line, and what that line must not hide.

It is of the phone error rate, which most readers know and which the floor of the inventory limits most. Where the rate
that the sentences are of, weighted by features, supports another verdict, a second line says so.
"""

from collections.abc import Iterator

from phonxling.analyses.verdict import Verdict
from phonxling.report.findings.numbers import Number, Numbers, figure, percent
from phonxling.report.findings.rates import cluster_sentences
from phonxling.report.findings.sentence import Part, Sentence, joined, sentence

_FAR_OR_NOT = (Verdict.BETTER, Verdict.FAR_BETTER)
_OPEN = (Verdict.UNTESTED, Verdict.DESCRIPTIVE)


def short_verdict(numbers: Numbers) -> Sentence:
    """Return what the interval of the skill supports."""
    rate, chance, skill = (numbers.get(name) for name in ("per", "chance_per", "skill_per"))
    if not rate.defined:
        return sentence(f"No error rate: {rate.note or 'no predictions were given'}.")
    if not chance.defined:
        return sentence(f"Not held against chance: {chance.note or 'no chance level was computed'}.")
    if not skill.defined:
        return sentence(f"No skill above chance to speak of: {skill.note or 'it is not defined'}.")
    if skill.verdict in _FAR_OR_NOT:
        return sentence(f"{_capital(skill.verdict)} chance", _how_far(numbers), ".")
    return sentence(f"{_capital(skill.verdict)} chance{_reason(skill)}.")


def _how_far(numbers: Numbers) -> Sentence:
    """Return how far from chance the rate is, on the way to the best that can be reached."""
    floor, attainable = numbers.get("floor_per"), numbers.get("attainable_skill_per")
    if floor.value > 0 and attainable.bounded:
        share = numbers.share("attainable_skill_per", limits=True)
        return sentence(": ", share, " of the way to the best that the recogniser’s phones allow")
    share = numbers.share("skill_per", limits=True)
    return sentence(": ", share, " of the way to no errors")


def _reason(skill: Number) -> str:
    """Return why there is no verdict, or what limits it."""
    if skill.verdict is Verdict.UNTESTED:
        return ": its skill has no interval"
    if skill.verdict is Verdict.DESCRIPTIVE:
        return f": {skill.few}"
    return f", by {percent(Number(skill.high))} of it at most" if skill.verdict is Verdict.HARDLY_BETTER else ""


def cautions(numbers: Numbers) -> Sentence:
    """Return what the verdict alone would hide; no words where it hides nothing."""
    told = list(_cautions(numbers)) if numbers.rate.defined else []
    return joined(" ", told) if told else sentence()


def _cautions(numbers: Numbers) -> Iterator[Sentence]:
    if numbers.mostly_deleted:
        yield sentence("Most gold phones, ", numbers.share("deletion_rate"), ", were deleted.")
    if numbers.mostly_inserted:
        inserted = numbers.words(figure(numbers.get("insertion_rate").value), "insertion_rate")
        yield sentence("Insertions decide the rate: ", inserted, " for each gold phone.")
    if _is_another(numbers.skill.verdict, numbers.get("skill_per").verdict):
        weighted = numbers.words("Weighted by features", numbers.rate_name)
        yield sentence(weighted, f", the rate is {numbers.skill.verdict.value} chance.")
    if numbers.deaf:
        yield sentence("Nothing shows that anything was heard.")
    elif numbers.tells and numbers.worse_or_alike:
        yield _heard_all_the_same(numbers)
    yield from cluster_sentences(numbers)


def _is_another(weighted: Verdict, plain: Verdict) -> bool:
    """Whether the verdict on the weighted rate is another; better and far better are of one kind."""
    return weighted not in _OPEN and weighted is not plain and not {weighted, plain} <= set(_FAR_OR_NOT)


def _heard_all_the_same(numbers: Numbers) -> Sentence:
    above = numbers.number("mutual_information_excess")
    differ = ": the predicted symbols differ from the gold ones" if numbers.skill.verdict is Verdict.WORSE else ""
    return sentence(f"Yet something was heard{differ} (", above, Part(" bits above chance)."))


def _capital(verdict: Verdict) -> str:
    return verdict.value[0].upper() + verdict.value[1:]
