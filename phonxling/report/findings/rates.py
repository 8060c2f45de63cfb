"""Sentences on the error rate: what it is of, whether it is better than chance, and what that rests on."""

from collections.abc import Iterator

from phonxling.analyses.verdict import Verdict
from phonxling.report.findings.numbers import Number, Numbers, figure, percent

_TITLES = {"wper": "feature-weighted error rate", "per": "phone error rate"}
_REMEDY = "alignment: {costs: learned}"
_MANY = 0.5  # deletions or insertions a gold phone, above which they decide the rate


def rate_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield the rate, and what became of the gold phones."""
    rate = numbers.rate
    if not rate.defined:
        yield f"There is no error rate: {rate.note or 'no predictions were given'}."
        return
    yield f"The {_TITLES[numbers.rate_name]} is {rate} over {figure(rate.n)} gold phones."
    right, other, gone, more = (
        numbers.get(name) for name in ("accuracy", "substitution_rate", "deletion_rate", "insertion_rate")
    )
    if right.defined:
        heard = f"{percent(right)} were heard as themselves, {percent(other)} as other phones"
        yield f"Of these, {heard}, and {percent(gone)} were deleted; insertions are {percent(more)} of their number."


def verdict_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield whether the rate is better than chance, and what decides it; all that the terminal shows."""
    if not numbers.rate.defined:
        return
    yield from _beside_chance(numbers)
    deleted, inserted = numbers.get("deletion_rate"), numbers.get("insertion_rate")
    if deleted.value > _MANY:
        yield (
            f"Most gold phones, {percent(deleted)}, were deleted: confusions, entropies and information are of the "
            f"other {percent(numbers.aligned)} alone."
        )
    if inserted.value > _MANY:
        yield (
            f"Insertions decide the rate: there are {figure(inserted.value)} for each gold phone. Predictions without "
            "information have as many, so the skill says little of the phones that were heard."
        )
    if numbers.tells and numbers.worse_or_alike:
        yield from _other_symbols(numbers)
    if numbers.deaf:
        yield (
            "Nothing shows that anything was heard, so nothing is said of single confusions, of the kinds of errors, "
            "or of what another language leads one to expect."
        )


def _beside_chance(numbers: Numbers) -> Iterator[str]:
    chance, skill = numbers.get(f"chance_{numbers.rate_name}"), numbers.skill
    if not chance.defined:
        yield f"There is no chance level to hold the rate against: {chance.note or 'none was computed'}."
        return
    known = f"skill {skill}" if skill.defined else skill.note or "its skill is not defined"
    floor, attainable = (numbers.get(f"{name}_{numbers.rate_name}") for name in ("floor", "attainable_skill"))
    if floor.value > 0 and attainable.defined:
        known += f"; attainable skill {attainable}, for with this inventory no recogniser scores below {floor}"
    yield f"{_verdict(skill)} ({_model(chance)} {chance}; {known})."


def ceiling_sentences(numbers: Numbers) -> Iterator[str]:
    """Yield that the inventory sets no ceiling, where it sets none: where it does, the verdict tells of it."""
    if numbers.get(f"floor_{numbers.rate_name}").value == 0:
        yield "With this inventory a recogniser could score 0."


def _verdict(skill: Number) -> str:
    """Return what the interval of a skill supports, in words."""
    if not skill.defined:
        return "There is no skill above chance to speak of"
    if skill.verdict is Verdict.UNTESTED:
        return "Whether the rate differs from chance cannot be said, for the skill has no interval"
    if skill.verdict is Verdict.DESCRIPTIVE:
        few = next(part for part in skill.note.split("; ") if part.startswith("descriptive"))
        return f"Whether the rate is better than chance is not judged, for {few.removeprefix('descriptive: ')}"
    most = f", by {percent(Number(skill.high))} of it at most" if skill.verdict is Verdict.HARDLY_BETTER else ""
    return f"The rate is {skill.verdict.value} that of predictions without information{most}"


def _model(chance: Number) -> str:
    """Return which chance model is the hardest, by the beginning of its note: `constant: always “e”; …`."""
    model, _, what = chance.note.split("; ")[0].partition(": ")
    if not model:
        return "the chance model scores"
    return f"{what} scores" if model == "constant" else f"{model} predictions score"


def _other_symbols(numbers: Numbers) -> Iterator[str]:
    """Yield what to do where the rate does not show what was heard, but the information does."""
    renamed = numbers.get("one_to_one_accuracy")
    right = f", with which {percent(renamed, limits=True)} of the aligned phones are right" if renamed.defined else ""
    bits = f"mutual information {numbers.get('mutual_information_excess')} bits above chance"
    if numbers.skill.verdict is Verdict.WORSE:
        yield (
            f"Yet something was heard ({bits}): the predicted symbols differ from the gold ones. Read the information "
            f"and the best one-to-one relabelling{right}; align with “{_REMEDY}”, or map the symbols."
        )
    else:
        yield f"What was heard shows in the information instead: {bits}."
