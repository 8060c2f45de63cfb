"""The verdict on a corpus in one line, and what that line must not hide.

It is of the headline rate, wPER, or of PER where there is no wPER. Where PER supports another verdict, a second line
says so.
"""

from collections.abc import Iterator

from phonxling.analyses.verdict import Verdict
from phonxling.report.findings.numbers import Number, Numbers, figure, percent
from phonxling.report.findings.sentence import Part, Sentence, joined, sentence

_FAR_OR_NOT = (Verdict.BETTER, Verdict.FAR_BETTER)
_OPEN = (Verdict.UNTESTED, Verdict.DESCRIPTIVE)


def short_verdict(numbers: Numbers) -> Sentence:
    """Return what the interval of the skill supports."""
    rate, chance, skill = numbers.rate, numbers.get(f"chance_{numbers.rate_name}"), numbers.skill
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
    name = numbers.rate_name
    floor, attainable = numbers.get(f"floor_{name}"), numbers.get(f"attainable_skill_{name}")
    if floor.value > 0 and attainable.bounded:
        share = numbers.share(f"attainable_skill_{name}", limits=True)
        return sentence(": ", share, " of the way to the best that the recogniser’s phones allow")
    share = numbers.share(f"skill_{name}", limits=True)
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
    plain = numbers.get("skill_per").verdict
    if _is_another(plain, numbers.skill.verdict):
        yield sentence(numbers.words("PER", "per"), f", which counts every wrong phone as 1, is {plain.value} chance.")
    if numbers.deaf:
        yield sentence("Nothing shows that anything was heard.")
    elif numbers.tells and numbers.worse_or_alike:
        yield _heard_all_the_same(numbers)


def _is_another(plain: Verdict, headline: Verdict) -> bool:
    """Whether the verdict on PER is another; better and far better are of one kind."""
    return plain not in _OPEN and plain is not headline and not {headline, plain} <= set(_FAR_OR_NOT)


def _heard_all_the_same(numbers: Numbers) -> Sentence:
    above = numbers.number("mutual_information_excess")
    differ = ": the predicted symbols differ from the gold ones" if numbers.symbols_differ else ""
    return sentence(f"Yet something was heard{differ} (", above, Part(" bits above chance)."))


def _capital(verdict: Verdict) -> str:
    return verdict.value[0].upper() + verdict.value[1:]
