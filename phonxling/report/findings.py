"""What the numbers of a corpus say, in sentences: each claims what its interval supports, and no more.

The verdict on chance is that of the skill's interval (see `phonxling.analyses.beside_chance`). Where the rate is not
better than chance, nothing is said of errors that belong to the language; where the information is above its null
all the same, the symbols differ, and the sentences say so.

The verdict on a corpus in one line, and what that line must not hide.

It is of the headline rate, wPER, or of PER where there is no wPER. Where PER supports another verdict, a second line
says so.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from phonxling.analyses.beside_chance import Verdict
from phonxling.analyses.measures import measure
from phonxling.core.inventory import GAP
from phonxling.load.resources import corpus_titles
from phonxling.report.numbers import (
    Confusion,
    Number,
    Numbers,
    Part,
    Residual,
    Sentence,
    figure,
    joined,
    numbers_of,
    percent,
    sentence,
)
from phonxling.report.rounding import probability, rounded
from phonxling.report.sections import (
    cluster_sentences,
    error_sentences,
    forced_sentences,
    information_sentences,
    rate_sentences,
    reference_sentences,
    verdict_sentences,
)
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.tables.files import NUMBERS, read_rows

FEW_TOKENS = 20  # tokens of a phone below which nothing is said of it alone, as in phones.tsv


def findings(numbers: Numbers) -> list[Sentence]:
    """Return the sentences on one corpus, the most important first."""
    parts = (
        rate_sentences,
        verdict_sentences,
        information_sentences,
        forced_sentences,
        error_sentences,
        reference_sentences,
        _tone,
        _weaknesses,
    )
    return [each for part in parts for each in part(numbers)]


def _tone(numbers: Numbers) -> Iterator[Sentence]:
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield sentence("The tone error rate is ", numbers.number("tone_error_rate"), ".")
    elif tone.note and "no tone" not in tone.note:
        yield sentence(f"There is no tone error rate: {tone.note}.")


def _weaknesses(numbers: Numbers) -> Iterator[Sentence]:
    for part in numbers.rate.note.split("; "):
        if part.startswith(("descriptive", "no interval")):
            yield sentence(f"{part[0].upper()}{part[1:]}.")
    few = sum(1 for tokens in numbers.phone_tokens if tokens < FEW_TOKENS)
    if few:
        total = len(numbers.phone_tokens)
        have, them = ("has", "it") if few == 1 else ("have", "them")
        rare = numbers.table(f"{few} of {total} gold phones", "phones")
        yield sentence(rare, f" {have} fewer than {FEW_TOKENS} tokens: what is said of {them} alone is weak.")


# The numbers that sentences are made of, read from the tables of a folder of results.

_Rows = Iterable[Mapping[str, Any]]


def stored_numbers(folder: Path, corpora: Mapping[str, Mapping[str, Any]]) -> dict[str, Numbers]:
    """Return the numbers of each corpus of a configuration by its name, those of the results alone with values."""
    reference = next((name for name, about in corpora.items() if about["role"] == "reference"), "")
    stored, titles = numbers_alone(folder), corpus_titles(corpora)
    return {
        name: replace(_with_cells(folder, stored.get(name, Numbers(name=name))), reference=reference, titles=titles)
        for name in corpora
    }


def told_titles(corpora: Mapping[str, Mapping[str, Any]], numbers: Mapping[str, Numbers]) -> dict[str, str]:
    """Return what corpora are called where nothing else is said of them, as above figures: also if at chance."""
    titles = corpus_titles(corpora)
    deaf = {name for name, one in numbers.items() if one.deaf}
    return {name: f"{title} (not above chance)" if name in deaf else title for name, title in titles.items()}


def numbers_alone(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, without the cells that sentences name; errors as above."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for file in NUMBERS:
        for row in read_rows(folder, file):
            rows.setdefault(row["corpus"], []).append(row)
    return {name: Numbers(by_name=numbers_of(own), name=name) for name, own in rows.items()}


def _with_cells(folder: Path, numbers: Numbers) -> Numbers:
    phones, confusions, expected = (
        rows_if_any(folder, f"{numbers.name}/{table}.tsv") for table in ("phones", "confusions", "expected")
    )
    tokens = {row["phone"]: row["tokens"] for row in phones if row["side"] == "gold"}
    return replace(
        numbers,
        confusions=tuple(_confusions(confusions, tokens)),
        residuals=tuple(Residual(*(row[name] for name in ("gold", "predicted", "residual", "q"))) for row in expected),
        phone_tokens=tuple(tokens.values()),
    )


def rows_if_any(folder: Path, file: str) -> _Rows:
    """Return the rows of a table, none where there is no such table."""
    return read_rows(folder, file) if (folder / file).exists() else ()


def _confusions(rows: _Rows, tokens: Mapping[str, float]) -> Iterator[Confusion]:
    for row in rows:
        if GAP not in {row["gold"], row["predicted"]}:
            yield Confusion(row["gold"], row["predicted"], row["count"], tokens[row["gold"]])


# The order of corpora by their skill, in sentences: groups that a test tells apart, and where two rates disagree.

_MOST = 8  # corpora that a sentence names; the table has all
_SCALES = {
    "attainable_skill": "Attainable skill of wPER, from 0 (guessing) to 1 (the best with these phones)",
    "skill": "Skill of wPER, from 0 (guessing) to 1 (no errors)",
}
_OTHERWISE = "PER orders them otherwise, because it counts every wrong phone as 1, however near the right one"


def order_sentences(folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what orders.tsv shows: the groups by wPER, and those by PER where their order is another."""
    by_rate: dict[str, list[Mapping[str, Any]]] = {"wper": [], "per": []}
    for row in rows_if_any(folder, "orders.tsv"):
        by_rate[row["measure"].rpartition("_")[2]].append(row)
    weighted, plain = by_rate.values()
    if weighted:
        scale = _SCALES[weighted[0]["measure"].rpartition("_")[0]]
        yield f"{scale}: {_listed(weighted, titles)}. {_apart(weighted)}"
        if plain and [row["corpus"] for row in plain] != [row["corpus"] for row in weighted]:
            yield f"{_OTHERWISE}: {_listed(plain, titles)}. {_apart(plain)}"


def _listed(rows: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, and their letters where not all have the same."""
    lettered = len({row["group"] for row in rows}) > 1
    shown = [
        f"{titles.get(row['corpus'], row['corpus'])} {figure(row['value'])}" + f" ({row['group']})" * lettered
        for row in rows[:_MOST]
    ]
    return ", ".join(shown) + f" and {len(rows) - _MOST} more" * (len(rows) > _MOST)


def _apart(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return which of the corpora are told apart."""
    tested, pairs = (int(rows[0][name]) for name in ("tested", "comparisons"))
    if not tested:
        return "No two of them are tested, because speakers are too few or unknown."
    some = f" {tested} of {pairs} pairs are tested." * (tested < pairs)
    if len({row["group"] for row in rows}) == 1:
        return f"The test tells no two of them apart.{some}"
    return f"The test does not tell apart those that share a letter.{some}"


# The verdict on a corpus in one line, and what that line must not hide.

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
    yield from cluster_sentences(numbers)


def _is_another(plain: Verdict, headline: Verdict) -> bool:
    """Whether the verdict on PER is another; better and far better are of one kind."""
    return plain not in _OPEN and plain is not headline and not {headline, plain} <= set(_FAR_OR_NOT)


def _heard_all_the_same(numbers: Numbers) -> Sentence:
    above = numbers.number("mutual_information_excess")
    differ = ": the predicted symbols differ from the gold ones" if numbers.symbols_differ else ""
    return sentence(f"Yet something was heard{differ} (", above, Part(" bits above chance)."))


def _capital(verdict: Verdict) -> str:
    return verdict.value[0].upper() + verdict.value[1:]


# What two recognisers of the same gold get wrong together, in sentences.

BY_ALIGNMENT = 0.02  # of κ, of agreement beyond that expected, and of same answers: what the alignment alone may bring


def sentences(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a row of agreement.tsv shows; no more than its intervals and q do."""
    if not math.isnan(row["kappa_given_phone"]):
        yield _wrong_together(row)
    if not math.isnan(row["same_excess"]):
        yield _same_answers(row)


def _wrong_together(row: Mapping[str, Any]) -> str:
    low, high = row["kappa_given_phone_low"], row["kappa_given_phone_high"]
    kappa = f"κ given the phone {rounded(row['kappa_given_phone'], low, high)}"
    both = f"{row['both_wrong']:,.0f} of {row['tokens']:,.0f} tokens are wrong in both"
    expected = (
        f"{row['both_wrong_expected']:,.0f} were expected of independent recognisers that find the same phones hard"
    )
    if math.isnan(row["q"]):
        return f"{both}, {expected}: {kappa}, not tested."
    shown = f"{kappa}, q {_q(row['q'])}"
    excess = (
        2 * (row["both_wrong"] - row["both_wrong_expected"]) / row["tokens"]
    )  # they agree on right ones as much more
    clear = (low > BY_ALIGNMENT or high < -BY_ALIGNMENT) and abs(excess) >= BY_ALIGNMENT
    if not (row["q"] < SIGNIFICANT and clear):
        return f"{both}, {expected}: {shown}. This does not show that the two err together."
    often = "more" if low > 0 else "less"
    return f"The two are wrong at the same tokens {often} often than chance has it: {both}, {expected} ({shown})."


def _same_answers(row: Mapping[str, Any]) -> str:
    low, high = row["same_excess_low"], row["same_excess_high"]
    same = f"{100 * row['same_share']:.0f} % of the tokens wrong in both have the same wrong answer"
    expected = f"independent answers would be the same in {100 * row['same_expected']:.0f} %"
    excess = f"excess {rounded(row['same_excess'], low, high)}"
    if math.isnan(row["same_q"]):
        return f"{same}; {expected} ({excess}, not tested)."
    shown = f"{excess}, q {_q(row['same_q'])}"
    if row["same_q"] < SIGNIFICANT and low > BY_ALIGNMENT:
        return f"They make the same mistakes: {same}, where {expected} ({shown})."
    return f"{same}; {expected} ({shown}). This does not show more than the alignment alone may bring."


def _q(q: float) -> str:
    shown = probability(q)
    return shown if shown.startswith("<") else f"= {shown}"


# What a plan says, in sentences: what its first design finds, and how many speakers a difference takes.

Row = Mapping[str, Any]


def plan_sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the sentences of one item, or of two systems: from its rows of plan.tsv, the first design first."""
    first = rows[0]
    names, one = " and ".join(filter(None, (first["item"], first["other"]))), measure(first["measure"])
    study, least, power = f"{names}: {_design(first)}", _least(first), _percent(first, "power")
    where = "between two systems on the same utterances" if first["other"] else "between two such corpora"
    what = f"in {one.short or one.title} {where} with a probability of"
    if math.isnan(first["least_difference"]):
        yield f"{study}: {_untested(first)}."
    elif math.isnan(first["difference"]):
        yield f"{study} find a difference of {least} {what} {power}."
    else:
        asked, power = _percent(first, "difference_power"), f"{100 * first['power']:g} %"
        yield f"{study} find a difference of {first['difference']:g} {what} {asked}; with {power} they find {least}."
    yield from (_needed(row) for row in rows if row["needed"] == "yes" and _alike(row, first))
    if not math.isnan(first["least_difference"]):
        yield "A probability is the mean over what the pilot leaves open (assurance), with its limits in brackets."
    if first["note"]:
        yield f"Note: {first['note']}."


def designs(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield rows of text, the heads first: least differences of the chosen designs, by speakers and utterances."""
    chosen = [row for row in rows if row["needed"] == "no"]
    each = sorted({row["utterances"] for row in chosen})
    if math.isnan(rows[0]["speakers"]):
        least = {row["utterances"]: _least(row) for row in chosen}
        yield ["utterances", "least difference"]
        yield from ([f"{number:,.0f}", least[number]] for number in each)
        return
    cells = {(row["speakers"], row["utterances"]): _least(row) for row in chosen}
    yield ["speakers", *(_utterances(number) for number in each)]
    for speakers in sorted({row["speakers"] for row in chosen}):
        yield [f"{speakers:,.0f}", *(cells[speakers, number] for number in each)]


def _least(row: Row) -> str:
    return rounded(row["least_difference"]) or "–"


def _design(row: Row) -> str:
    utterances = _utterances(row["utterances"])
    return utterances if math.isnan(row["speakers"]) else f"{row['speakers']:,.0f} speakers of {utterances} each"


def _utterances(number: float) -> str:
    return "any number of utterances" if math.isinf(number) else f"{number:,.0f} utterances"


def _untested(row: Row) -> str:
    if math.isnan(row["standard_error"]):
        return "no least difference, since nothing varies"
    return "no least difference, since fewer than five are not tested"


def _alike(row: Row, first: Row) -> bool:
    """Whether two designs have as many utterances a speaker; without speakers, any two."""
    return math.isnan(row["speakers"]) or bool(row["utterances"] == first["utterances"])


def _needed(row: Row) -> str:
    found = _percent(row, "difference_power")
    return f"A difference of {row['difference']:g} takes {_design(row)}, which find it with {found}."


def _percent(row: Row, name: str) -> str:
    """Return an assurance with its limits."""
    value, low, high = (min(100 * row[f"{name}{end}"], 99.4) for end in ("", "_low", "_high"))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
