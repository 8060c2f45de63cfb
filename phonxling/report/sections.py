"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more.

The verdict on chance is that of the skill's interval (see `phonxling.analyses.beside_chance`). Where the rate is not
better than chance, nothing is said of errors that belong to the language; where the information is above its null
all the same, the symbols differ, and the sentences say so. Beside a reference, whether errors are more is told by its
test, and which confusions differ by the tests of the cells.
"""

import math
from collections.abc import Iterator

from phonxling.analyses.measures import measure
from phonxling.core.estimate import SIGNIFICANT, SPEAKERS_UNKNOWN, UNEQUAL, cluster_remarks, is_descriptive
from phonxling.report.numbers import (
    Number,
    Numbers,
    Part,
    Sentence,
    address,
    definition_address,
    equals,
    figure,
    joined,
    percent,
    said,
    sentence,
    templates,
)

REASONS = ("absent", "expected", "level", "pattern", "unattested", "confused", "deleted", "inserted")
_BESIDE_REFERENCE = ("expected", "level", "pattern")
_OF_THE_INTERVAL = ("descriptive", "no interval", "the estimate is", UNEQUAL, SPEAKERS_UNKNOWN)  # how such notes begin


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def rate_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the rate, and what became of the gold phones."""
    rate, name = numbers.rate, numbers.rate_name
    if not rate.defined:
        yield sentence(said("rate.none", why=rate.note or "no predictions were given"))
        return
    title = Part(measure(name).short, definition_address(name))
    yield numbers.tell("rate.headline", title=title, tokens=numbers.words(figure(rate.n), "gold_tokens"))
    if numbers.get("accuracy").defined:
        yield numbers.tell("rate.tokens")


def rate_in_words(numbers: Numbers) -> str:
    """Return what the headline rate adds up, in a sentence."""
    if numbers.rate_name == "per":
        return said("rate.per")
    parts = dict(part.partition(":")[::2] for part in numbers.rate.signature.split("|"))
    name = parts["costs"]
    insertion, deletion = (said("costs.gap") if parts[gap] == "features" else parts[gap] for gap in ("ins", "del"))
    known = f"costs.{name}" if f"costs.{name}" in templates() else "costs.others"
    return said("rate.wper", insertion=insertion, deletion=deletion, wrong=said(known, name=name))


def verdict_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield whether the rate is better than chance, and what decides it; all that the terminal shows."""
    if not numbers.rate.defined:
        return
    yield from _beside_chance(numbers)
    if numbers.get(f"people_{numbers.rate_name}").defined:
        of, beside, *_ = numbers.get(f"people_{numbers.rate_name}").note.split("; ")
        yield numbers.tell("chance.people", about=f"{of}; {beside}")
    if numbers.mostly_deleted:
        yield numbers.tell("chance.deleted", rest=percent(numbers.aligned))
    if numbers.mostly_inserted:
        yield numbers.tell("chance.inserted")
    if numbers.tells and numbers.worse_or_alike:
        bits = numbers.tell("chance.bits")
        known = numbers.symbols_differ and numbers.get("one_to_one_accuracy").defined
        if numbers.symbols_differ:
            renamed = numbers.tell("chance.renamed") if known else ""
            yield numbers.tell("chance.symbols", bits=bits, renamed=renamed)
        else:
            yield numbers.tell("chance.information", bits=bits)
    if numbers.deaf:
        yield sentence(said("chance.none"))
    yield from cluster_sentences(numbers)


def _beside_chance(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the level of the hardest model of chance with the floor, and what the skill supports."""
    name, skill = numbers.rate_name, numbers.skill
    chance, floor, attainable = (numbers.get(f"{kind}_{name}") for kind in ("chance", "floor", "attainable_skill"))
    if not chance.defined:
        yield sentence(said("chance.no_level", why=chance.note or "none was computed"))
        return
    model, _, what = chance.note.split("; ")[0].partition(": ")  # as in `constant: always “e”; …`
    bounded = floor.value > 0 and attainable.defined
    yield numbers.tell(
        "chance.level",
        predictions=capital(what) if model == "constant" else said("chance.model", model=model or "chance"),
        floor=numbers.tell("chance.floor") if bounded else "",
    )
    if not skill.defined:
        yield sentence(said("chance.no_skill", why=skill.note or "chance scores 0"))
        return
    covered = f"attainable_skill_{name}" if bounded else f"skill_{name}"
    yield numbers.tell(
        f"chance.{skill.verdict.name.lower()}",
        share=numbers.words(percent(numbers.get(covered), limits=True), covered),
        end="0" if not bounded else numbers.words(figure(floor.value), f"floor_{name}"),
        most=percent(Number(skill.high)) if skill.bounded else "",
        few=skill.few,
    )


def cluster_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that speakers are unknown, or that one has more than a third of the tokens."""
    yield from (sentence(f"{capital(part)}.") for part in cluster_remarks(numbers.rate.note))


def information_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield how many bits about the gold phones are in the predicted ones, beside chance, and of which share."""
    information, excess = numbers.get("mutual_information"), numbers.get("mutual_information_excess")
    if not information.defined or not excess.defined:
        return
    judged = "more" if excess.low > 0 else "less" if excess.high < 0 else "alike"
    judged = "untested" if not excess.bounded else "descriptive" if is_descriptive(excess.note) else judged
    aligned = numbers.aligned
    yield numbers.tell(
        "information.value",
        bits=Part(" bits", definition_address("mutual_information")),
        aligned=numbers.tell("information.aligned", share=numbers.words(percent(aligned), "deletion_rate"))
        if aligned.defined
        else "",
        level=numbers.words(figure(information.value - excess.value), "mutual_information_excess"),
        judged=numbers.tell(f"information.{judged}"),
    )


def forced_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that times were computed from the posteriors, how certain they are, and what aligning gives by itself."""
    if not numbers.get("forced_certainty").defined:
        return
    yield numbers.tell("forced.times")
    bits = "decision_mutual_information"
    if numbers.get(bits).defined and numbers.get(f"{bits}_unrelated").defined:
        yield numbers.tell("forced.bits")


def error_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the largest confusions and the kinds of errors, where the rate or the information shows that it hears."""
    if numbers.deaf:
        return
    most = [
        sentence(numbers.pair(cell.gold, cell.predicted), f" ({figure(cell.count)} of {figure(cell.tokens)})")
        for cell in numbers.most_frequent[:3]
    ]
    if most:
        yield numbers.tell("errors.most", pairs=joined("; ", most))
    kinds = [
        sentence(share_of_errors(numbers, name, share), f" {said(f'errors.{name}')}")
        for name, share in kinds_of_errors(numbers).items()
    ]
    if kinds:
        yield numbers.tell("errors.kinds", kinds=joined("; ", kinds))


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
    """Whether the rate is better than chance, and the number of errors differs from the reference's."""
    return numbers.better and numbers.get("expected_level_p").value < SIGNIFICANT


def reference_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what is beyond the reference, where the rate shows that the recogniser hears, and what weakens that."""
    if not numbers.reference:
        yield sentence(said("reference.none"))
    elif numbers.name == numbers.reference or numbers.deaf:
        return
    elif numbers.worse_or_alike:
        yield sentence(said("reference.not_better"))
    else:
        yield from _beside_reference(numbers, numbers.title(numbers.reference))


def _beside_reference(numbers: Numbers, reference: str) -> Iterator[Sentence]:
    """Yield the number of errors beside the reference's, whether it differs, and which cells do."""
    js, level = numbers.get("expected_js"), numbers.get("expected_level")
    if not js.defined:
        yield from [sentence(said("reference.nothing", reference=reference, why=js.note))] * bool(js.note)
        return
    if level.defined:
        hundred = Number(100 * level.value, 100 * level.low, 100 * level.high)
        yield numbers.tell(
            "reference.level",
            number=numbers.words(str(hundred), "expected_level"),
            reference=reference,
            kept=numbers.tell("reference.kept") if numbers.get("expected_share_kept").defined else "",
            judged=_judged(numbers),
        )
    else:
        yield sentence(said("reference.no_level", reference=reference, why=level.note))
    for part in js.note.split("; "):
        if part and not part.startswith(_OF_THE_INTERVAL):
            yield sentence(capital(part) + "." * (not part.endswith("?")))
    yield numbers.tell("reference.divergence")
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    sure = sum(cell.q < SIGNIFICANT for cell in tested)
    if sure and numbers.better:
        largest = [numbers.pair(most.gold, most.predicted) for most in numbers.beyond_reference[:1]]
        yield numbers.tell(
            "reference.cells",
            cells=numbers.table(f"{sure} of {len(tested)} cells", "expected"),
            q=f"{SIGNIFICANT}",
            largest=numbers.tell("reference.largest", pair=largest[0]) if largest else "",
        )


def _judged(numbers: Numbers) -> Sentence:
    """Return the end of the sentence on the number of errors beside the reference's: what its test shows."""
    p = numbers.get("expected_level_p")
    if not p.defined or not numbers.better:
        return sentence(said("reference.not_judged"))
    what = "more" if numbers.get("expected_level").value > 0 else "fewer"
    shown = said(f"reference.{what if p.value < SIGNIFICANT else 'no_difference'}")
    return numbers.tell("reference.tested", what=shown, p=numbers.words(equals(p.value), "expected_level_p"))
