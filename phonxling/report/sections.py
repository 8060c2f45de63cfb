"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from phonxling.analyses.measures import measure
from phonxling.core.costs import KINDS
from phonxling.core.estimate import FEW_TOKENS, SIGNIFICANT, Estimate
from phonxling.report.numbers import (
    Numbers,
    Part,
    Sentence,
    Words,
    address,
    definition_address,
    equals,
    fill_template,
    join_sentences,
    percent,
    round_number,
    sentence,
    templates,
    whole_percent,
)

PARTS = ("absent", "expected", "level", "unexplained", "deleted", "inserted")
_BOTH = ("people", "recogniser")


def capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


def rate_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the rate, and what became of the gold phones."""
    rate, name = numbers.rate, numbers.rate_name
    if not rate.defined:
        yield sentence(fill_template("rate.none", why=rate.note or "no predictions were given"))
        return
    title = Part(measure(name).short, definition_address(name))
    beside = numbers.fill("rate.beside") if name != "per" and numbers.get("per").defined else ""
    tokens = numbers.words(round_number(numbers.tokens_of(name)), "gold_tokens")
    yield numbers.fill("rate.headline", title=title, beside=beside, tokens=tokens)
    lost = numbers.get("substitution_rate").value + numbers.get("deletion_rate").value
    if not math.isnan(lost):
        yield numbers.fill("rate.tokens", right=percent(Estimate(1 - lost)))


def rate_in_words(numbers: Numbers, alignment: Mapping[str, Any]) -> str:
    """Return what the headline rate adds up, in a sentence; `alignment` are the settings of the configuration."""
    if numbers.rate_name == "per":
        return fill_template("rate.per")
    name = str(alignment.get("costs", "panphon"))
    known = name if f"costs.{name}" in templates() else "others"
    return fill_template("rate.wper", wrong=fill_template(f"costs.{known}", name=name), **gaps_in_words(alignment))


def gaps_in_words(alignment: Mapping[str, Any]) -> dict[str, str]:
    """Return what an insertion and a deletion cost, as set, or else as the costs have it."""
    kind = KINDS.get(str(alignment.get("costs", "panphon")))
    gap = kind.gap if kind else None
    usual = zip(("deletion", "insertion"), gap if isinstance(gap, tuple) else (gap, gap), strict=True)
    own = {side: fill_template("costs.gap") if one is None else f"{float(one):g}" for side, one in usual}
    return own | {side: str(alignment[side]) for side in own if alignment.get(side, "auto") != "auto"}


# The verdict on chance is that of the skill's interval (see `phonxling.analyses.beside_chance`). Where the rate is not
# better than chance, nothing is said of errors that belong to the language; where the information is above its null
# all the same, the symbols differ, and the sentences say so. Beside a reference, whether errors are more is told by its
# test, and which confusions differ by the tests of the cells.
def verdict_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield whether the rate is better than chance, and what decides it; all that the terminal shows."""
    if not numbers.rate.defined:
        return
    yield from _beside_chance(numbers)
    people = numbers.get(f"people_{numbers.rate_name}")
    if people.defined:
        yield numbers.fill("chance.people", about=people.note)
    if numbers.mostly_deleted:
        yield numbers.fill(f"chance.{'all_' * (not numbers.aligned.value)}deleted", rest=percent(numbers.aligned))
    if numbers.mostly_inserted:
        yield numbers.fill("chance.inserted")
    if numbers.has_information and numbers.worse_or_alike:
        yield numbers.fill("chance.information")
        if numbers.a_map_helps:
            yield numbers.fill("chance.renamed")
    if not (numbers.few or numbers.is_above_chance):
        yield sentence(fill_template("chance.none"))
    yield from cluster_sentences(numbers)


def _beside_chance(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the level of the hardest model of chance with the floor, and what the skill supports."""
    name, skill = numbers.rate_name, numbers.skill
    chance, by_name = numbers.get(f"chance_{name}"), numbers.by_name
    # The model whose level is the lowest, as the variants of the level name it; "" for none.
    levels = {model: one.value for (own, model), one in by_name.items() if own == f"chance_{name}" and one.defined}
    model = min((model for model in levels if model != "best"), key=lambda model: levels[model], default="")
    if not chance.defined:
        yield sentence(fill_template("chance.no_level", why=chance.note or "none was computed"))
        return
    how = fill_template("chance.model", model=model) if model else ""
    if model == "constant":  # which answer that is
        how = numbers.get(f"chance_{name}", model).note
    yield numbers.fill(
        "chance.level",
        how=fill_template("chance.how", how=how) if model else "",
        floor=numbers.fill("chance.floor") if numbers.get(f"floor_{name}").value > 0 else "",
    )
    if numbers.few:
        return
    if not skill.defined:
        yield sentence(fill_template("chance.no_skill", why=skill.note or "chance scores 0"))
        return
    most = percent(Estimate(skill.high)) if skill.bounded else ""
    yield numbers.fill(f"chance.{skill.verdict.name.lower()}", end=end_of_skill(numbers), most=most)


def end_of_skill(numbers: Numbers) -> str:
    """Return what a skill of 1 is: the floor where the recogniser's phones are known, else no errors."""
    return fill_template("chance.best" if numbers.get(f"floor_{numbers.rate_name}").defined else "chance.perfect")


def cluster_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield of what the intervals are, or why there are none, once for a corpus: the note of its rate."""
    if numbers.rate.note:
        yield sentence(f"{capitalise(numbers.rate.note)}.")


def information_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield how many bits about the gold phones are in the predicted ones, beside chance, and of which share."""
    information, excess = numbers.get("mutual_information"), numbers.get("mutual_information_excess")
    if not information.defined or not excess.defined:
        return
    judged = "more" if excess.low > 0 else "less" if excess.high < 0 else "alike" if excess.bounded else "untested"
    aligned: Words = ""
    if numbers.aligned.defined:
        share = numbers.words(percent(numbers.aligned), "deletion_rate")
        aligned = numbers.fill("information.aligned", share=share)
    yield numbers.fill(
        "information.value",
        bits=Part(" bits", definition_address("mutual_information")),
        aligned=aligned,
        level=numbers.words(round_number(information.value - excess.value), "mutual_information_excess"),
        judged=numbers.fill(f"information.{judged}"),
    )
    if numbers.get("posterior_mutual_information").defined and numbers.get("decision_mutual_information").defined:
        yield numbers.fill("information.posterior")


def forced_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield that times were computed from the posteriors, how certain they are, and what the phones there contain."""
    if numbers.get("times_certainty").defined:
        yield numbers.fill("forced.times")
        if numbers.get("decision_mutual_information").defined:
            yield numbers.fill("forced.bits")


def detection_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield how many mispronounced phones are detected, and how many right ones rejected, where canonical are given."""
    names = ("mdd_recall", "mdd_false_rejection")
    if not any(numbers.get(name).defined for name in names):
        return
    tokens = [numbers.tokens_of(name) if numbers.get(name).defined else 0 for name in names]
    counts = [round(numbers.get(name) * n) if n else 0 for name, n in zip(names, tokens, strict=True)]
    detected, rejected = (numbers.words(round_number(n), name) for name, n in zip(names, counts, strict=True))
    wrong, right = map(round_number, tokens)
    own: dict[str, Words] = {"wrong": wrong, "right": right, "phones": numbers.table("errors", "errors")}
    yield numbers.fill("mispronunciation.detected", detected=detected, rejected=rejected, **own)


def aside_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield, a line each, vowels and consonants, mispronunciations, groups of speakers, and a second transcriber."""
    if numbers.is_above_chance and numbers.get("per_vowels").defined and numbers.get("per_consonants").defined:
        yield numbers.fill("short.classes")
    if numbers.get("mdd_recall").defined and numbers.get("mdd_false_rejection").defined:
        yield numbers.fill("short.detected")
    for by in dict.fromkeys(row["by"] for row in numbers.groups):
        rows = [row for row in numbers.groups if row["by"] == by and row["measure"] == numbers.rate_name]
        own: dict[str, Words] = {"by": numbers.table(by, "groups"), "rate": measure(numbers.rate_name).short}
        # The group that differs most from all others in the headline rate, if one does clearly.
        if clear := [row for row in rows if row["q"] < SIGNIFICANT]:
            most = max(clear, key=lambda row: abs(row["difference"]))
            value, other = (round_number(one) for one in (most["value"], most["value"] - most["difference"]))
            yield numbers.fill("short.group", group=str(most["group"]), value=value, other=other, **own)
        else:
            tested = any(row["q"] >= SIGNIFICANT for row in rows)
            yield numbers.fill("short.groups_alike" if tested else "short.groups_untested", **own)
    if numbers.get(f"people_{numbers.rate_name}").defined:
        kappas = {
            f"of_{one}": numbers.words(round_number(numbers.get("kappa", one).value), "kappa", one) for one in _BOTH
        }
        yield numbers.fill("short.people", rate=measure(numbers.rate_name).short, **kappas)


def error_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the largest confusions and the kinds of errors, where the rate or the information shows that it hears."""
    if not numbers.is_above_chance:
        return
    wrong = sorted((one for one in numbers.confusions if one.gold != one.predicted), key=lambda one: -one.count)
    most = [
        sentence(numbers.pair(one.gold, one.predicted), f" ({round_number(one.count)} of {round_number(one.tokens)})")
        for one in wrong[:3]
    ]
    if most:
        yield numbers.fill("errors.most", pairs=join_sentences("; ", most))
    near, kinds = numbers.get("error_share", "absent near"), list[Sentence]()
    for name, share in kinds_of_errors(numbers).items():
        own = Part(percent(share, limits=True), address(numbers.name, errors=name))  # leads to the phones behind it
        kinds.append(sentence(own, f" {kind_in_words(numbers, name)}"))
        if name == "absent" and near.defined:  # answered by a phone one feature away
            kinds[-1] = sentence(kinds[-1], fill_template("errors.near", share=whole_percent(near.value / share.value)))
    if kinds:
        yield numbers.fill("errors.kinds", kinds=join_sentences("; ", kinds))


def kinds_of_errors(numbers: Numbers) -> dict[str, Estimate]:
    """Return the shares of the kinds of errors that occur, largest first; they sum to all errors.

    Those that are expected and those beyond are one kind, `compared`, unless the test shows that there are more.
    """
    shares = {name: numbers.get("error_share", name) for name in PARTS}
    # unless the test shows that there are more, a split at the expected number is sampling error
    more = numbers.get("expected_level").value > 0 and numbers.get("expected_level_p", "q").value < SIGNIFICANT
    if shares["level"].defined and not (numbers.better and more):
        shares["compared"] = Estimate(shares.pop("expected") + shares.pop("level"))
    occur = [name for name in shares if shares[name].value > 0]
    return {name: shares[name] for name in sorted(occur, key=lambda name: -shares[name].value)}


def kind_in_words(numbers: Numbers, name: str) -> str:
    """Return what errors of a kind are; where nothing is expected, those that are not explained are confusions."""
    alone = name == "unexplained" and not numbers.get("error_share", "expected").defined
    return fill_template(f"errors.{'confused' if alone else name}")


def reference_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield what is beyond the reference, where the rate shows that the recogniser hears, and what weakens that."""
    if not numbers.reference:
        yield sentence(fill_template("reference.none"))
    elif numbers.name != numbers.reference and numbers.is_above_chance:
        js = numbers.get("expected_js")
        alike = numbers.worse_or_alike and (js.defined or not js.note)  # else its reason holds whatever the rate is
        yield from [sentence(fill_template("reference.not_better"))] if alike else _beside_reference(numbers)


def _beside_reference(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the number of errors beside the reference's, whether it differs, and which cells do."""
    js, level, reference = numbers.get("expected_js"), numbers.get("expected_level"), numbers.title(numbers.reference)
    if not js.defined:
        yield from [sentence(fill_template("reference.nothing", reference=reference, why=js.note))] * bool(js.note)
        return
    if level.defined:
        judged, q = sentence(fill_template("reference.not_judged")), numbers.get("expected_level_p", "q")
        if q.defined and numbers.better:
            kind = "no_difference" if q.value >= SIGNIFICANT else "more" if level.value > 0 else "fewer"
            of_test = numbers.words(equals(q.value), "expected_level_p", "q")
            judged = numbers.fill("reference.tested", what=fill_template(f"reference.{kind}"), q=of_test)
        hundred = round_number(100 * level, 100 * level.low, 100 * level.high)
        number = numbers.words(hundred, "expected_level")
        yield numbers.fill("reference.level", number=number, reference=reference, judged=judged)
    else:
        yield sentence(fill_template("reference.no_level", reference=reference, why=level.note))
    if note := level.note if level.defined else js.note:
        yield sentence(capitalise(note) + "." * (not note.endswith("?")))
    halves = numbers.get("expected_js", "reference halves")
    apart = numbers.words(round_number(halves.value), "expected_js", "reference halves")
    between = numbers.fill("reference.halves", reference=reference, halves=apart) if halves.defined else ""
    few = fill_template("reference.few") if js.status == "bias-warning" else ""
    yield numbers.fill("reference.divergence", halves=between, few=few)
    tested = [cell for cell in numbers.residuals if not math.isnan(cell.q)]
    sure = sum(cell.q < SIGNIFICANT for cell in tested)
    if sure and numbers.better:
        cells = numbers.table(f"{sure} of {len(tested)} cells", "expected")
        pairs = [numbers.pair(most.gold, most.predicted) for most in numbers.beyond_reference[:1]]
        largest = numbers.fill("reference.largest", pair=pairs[0]) if pairs else ""
        yield numbers.fill("reference.cells", cells=cells, q=f"{SIGNIFICANT}", largest=largest)


def weakness_sentences(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the tone error rate, or why there is none where gold has tones, and how many phones are rare."""
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield numbers.fill("rate.tone")
    elif numbers.tokens_of("tone_error_rate") > 0:  # gold has tones
        yield sentence(fill_template("rate.no_tone", why=tone.note))
    if few := sum(phone.tokens < FEW_TOKENS for phone in numbers.phones):
        rare = numbers.table(f"{few} of {len(numbers.phones)} gold phones", "phones")
        yield numbers.fill("errors.rare", phones=rare, least=str(FEW_TOKENS))
