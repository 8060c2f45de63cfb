"""What a folder of results says: its numbers by corpus, the findings on each, a verdict in one line, orders, and plans.

The verdict is of the headline rate, wPER, or of PER where there is no wPER. Where PER supports another verdict, a
second line says so, with what else the verdict alone would hide. Two recognisers of the same gold are said to err
together only where the interval and q show more than the alignment alone may bring.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from phonxling.analyses.measures import measure, nearest
from phonxling.core.estimate import Verdict
from phonxling.core.inventory import GAP
from phonxling.load.resources import corpus_titles
from phonxling.report import sections
from phonxling.report.numbers import (
    BETTER,
    Cell,
    Numbers,
    Sentence,
    figure,
    joined,
    numbers_of,
    sentence,
)
from phonxling.report.rounding import equals, rounded
from phonxling.resample.p_values import SIGNIFICANT
from phonxling.tables.files import NUMBERS, read_rows

Row = Mapping[Any, Any]

FEW_TOKENS = 20  # tokens of a phone below which nothing is said of it alone, as in phones.tsv
_MOST = 8  # corpora that a sentence names; the table has all
_SCALES = {
    "attainable_skill": "Attainable skill of wPER, from 0 (guessing) to 1 (the best with these phones)",
    "skill": "Skill of wPER, from 0 (guessing) to 1 (no errors)",
}
_OTHERWISE = "PER orders them otherwise, because it counts every wrong phone as 1, however near the right one"
BY_ALIGNMENT = 0.02  # of κ, of agreement beyond that expected, and of same answers: what the alignment alone may bring


def numbers_alone(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, without the cells that sentences name; errors as of read_rows."""
    rows: dict[str, list[Row]] = {}
    for file in NUMBERS:
        for row in read_rows(folder, file):
            rows.setdefault(row["corpus"], []).append(row)
    return {name: Numbers(by_name=numbers_of(own), name=name) for name, own in rows.items()}


def stored_numbers(folder: Path, corpora: Mapping[str, Row]) -> dict[str, Numbers]:
    """Return the numbers of each corpus of a configuration by its name, those of the results alone with values."""
    reference = next((name for name, about in corpora.items() if about["role"] == "reference"), "")
    stored, titles = numbers_alone(folder), corpus_titles(corpora)
    result = {}
    for name in corpora:
        phones, confusions, expected = (
            _rows_if_any(folder, f"{name}/{table}.tsv") for table in ("phones", "confusions", "expected")
        )
        tokens = {row["phone"]: row["tokens"] for row in phones if row["side"] == "gold"}
        paired = [row for row in confusions if GAP not in {row["gold"], row["predicted"]}]
        shares = {(row["gold"], row["predicted"]): row["p_predicted_given_gold"] for row in paired}
        result[name] = replace(
            stored.get(name, Numbers(name=name)),
            reference=reference,
            titles=titles,
            confusions=tuple(
                Cell(*pair, row["count"], tokens[pair[0]], share=row["p_predicted_given_gold"], lift=2 ** row["pmi"])
                for row, pair in zip(paired, shares, strict=True)
            ),
            residuals=tuple(_beside_expected(row, shares) for row in expected),
            phone_tokens=tuple(tokens.values()),
        )
    return result


def _beside_expected(row: Row, shares: Mapping[tuple[str, str], float]) -> Cell:
    """Return a cell of expected.tsv, its expected share brought from the phones in common to all that was predicted."""
    gold, predicted = row["gold"], row["predicted"]
    share = shares.get((gold, predicted), 0.0)
    expected = share * row["expected"] / row["observed"] if row["observed"] > 0 else math.nan
    return Cell(gold, predicted, share=share, residual=row["residual"], q=row["q"], expected=expected)


def stored_groups(folder: Path) -> dict[str, str]:
    """Return the letters of orders.tsv of the headline rate by corpus, the best first; none where it has none."""
    rows = _rows_if_any(folder, "orders.tsv")
    return {row["corpus"]: row["group"] for row in rows if row["measure"] == rows[0]["measure"]}


def _rows_if_any(folder: Path, file: str) -> list[Row]:
    return list(read_rows(folder, file)) if (folder / file).exists() else []


def told_titles(corpora: Mapping[str, Row], numbers: Mapping[str, Numbers]) -> dict[str, str]:
    """Return what corpora are called where nothing else is said of them, as above figures: also if at chance."""
    deaf = {name for name, one in numbers.items() if one.deaf}
    return {name: title + " (not above chance)" * (name in deaf) for name, title in corpus_titles(corpora).items()}


def findings(numbers: Numbers) -> list[Sentence]:
    """Return the sentences on one corpus, the most important first."""
    return [
        *sections.rate_sentences(numbers),
        *sections.verdict_sentences(numbers),
        *sections.information_sentences(numbers),
        *sections.forced_sentences(numbers),
        *sections.error_sentences(numbers),
        *sections.reference_sentences(numbers),
        *_weaknesses(numbers),
    ]


def _weaknesses(numbers: Numbers) -> Iterator[Sentence]:
    """Yield the tone error rate, or why there is none, what weakens the intervals, and how many phones are rare."""
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield numbers.tell("The tone error rate is {tone_error_rate}.")
    elif tone.note and "no tone" not in tone.note:
        yield sentence(f"There is no tone error rate: {tone.note}.")
    for part in numbers.rate.note.split("; "):
        if part.startswith(("descriptive", "no interval")):
            yield sentence(f"{sections.capital(part)}.")
    few = sum(1 for tokens in numbers.phone_tokens if tokens < FEW_TOKENS)
    if few:
        rare = numbers.table(f"{few} of {len(numbers.phone_tokens)} gold phones", "phones")
        have, them = ("has", "it") if few == 1 else ("have", "them")
        yield sentence(rare, f" {have} fewer than {FEW_TOKENS} tokens: what is said of {them} alone is weak.")


def short_verdict(numbers: Numbers) -> str:
    """Return what the interval of the skill supports, and how far from chance a better rate is."""
    rate, chance, skill = numbers.rate, numbers.get(f"chance_{numbers.rate_name}"), numbers.skill
    if not rate.defined:
        return f"No error rate: {rate.note or 'no predictions were given'}."
    if not chance.defined:
        return f"Not held against chance: {chance.note or 'no chance level was computed'}."
    if not skill.defined:
        return f"No skill above chance to speak of: {skill.note or 'it is not defined'}."
    verdict = f"{sections.capital(skill.verdict.value)} chance"
    if not numbers.better:
        reasons = {Verdict.UNTESTED: ": its skill has no interval", Verdict.DESCRIPTIVE: f": {skill.few}"}
        return f"{verdict}{reasons.get(skill.verdict, sections.hardly(skill))}."
    floor, attainable = (numbers.get(f"{kind}_{numbers.rate_name}") for kind in ("floor", "attainable_skill"))
    if floor.value > 0 and attainable.bounded:
        best = "{attainable_skill_HEADLINE:0} of the way from guessing to the best that its phones allow"
    else:
        best = "{skill_HEADLINE:0} of the way from guessing to no errors"
    return str(numbers.tell(f"{{verdict}}: {best}.", verdict=verdict))


def cautions(numbers: Numbers) -> Sentence:
    """Return what the verdict alone would hide; no words where it hides nothing."""
    told = list(_cautions(numbers)) if numbers.rate.defined else []
    return joined(" ", told) if told else sentence()


def _cautions(numbers: Numbers) -> Iterator[Sentence]:
    if numbers.mostly_deleted:
        yield numbers.tell("Most gold phones, {deletion_rate:%}, were deleted.")
    if numbers.mostly_inserted:
        yield numbers.tell("Insertions decide the rate: {insertion_rate:3} for each gold phone.")
    plain, headline = numbers.get("skill_per").verdict, numbers.skill.verdict
    judged = plain not in {Verdict.UNTESTED, Verdict.DESCRIPTIVE}
    if judged and plain is not headline and not {headline, plain} <= BETTER:
        per = numbers.words("PER", "per")
        yield sentence(per, f", which counts every wrong phone as 1, is {plain.value} chance.")
    if numbers.deaf:
        yield sentence("Nothing shows that anything was heard.")
    elif numbers.tells and numbers.worse_or_alike:
        differ = ": the predicted symbols differ from the gold ones" if numbers.symbols_differ else ""
        yield sentence(f"Yet what was predicted tells more of the gold phones than chance does{differ}.")
    yield from sections.cluster_sentences(numbers)


def order_sentences(folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what orders.tsv shows: the groups by wPER, and those by PER where their order is another."""
    by_rate: dict[str, list[Row]] = {"wper": [], "per": []}
    for row in _rows_if_any(folder, "orders.tsv"):
        by_rate[row["measure"].rpartition("_")[2]].append(row)
    weighted, plain = by_rate.values()
    if weighted:
        yield f"{_SCALES[weighted[0]['measure'].rpartition('_')[0]]}: {_ordered(weighted, titles)}"
        if plain and [row["corpus"] for row in plain] != [row["corpus"] for row in weighted]:
            yield f"{_OTHERWISE}: {_ordered(plain, titles)}"


def _ordered(rows: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, their letters where not all have the same, and which are told apart."""
    lettered = len({row["group"] for row in rows}) > 1
    shown = [
        f"{titles.get(row['corpus'], row['corpus'])} {figure(row['value'])}" + f" ({row['group']})" * lettered
        for row in rows[:_MOST]
    ]
    listed = ", ".join(shown) + f" and {len(rows) - _MOST} more" * (len(rows) > _MOST)
    tested, pairs = (int(rows[0][name]) for name in ("tested", "comparisons"))
    if not tested:
        return f"{listed}. No two of them are tested, because speakers are too few or unknown."
    apart = "does not tell apart those that share a letter" if lettered else "tells no two of them apart"
    least = sorted(row["least_difference"] for row in rows if row.get("least_difference", math.nan) > 0)
    found = " to ".join(dict.fromkeys([*map(figure, least[:1]), *map(figure, least[-1:])]))
    finds = f" Between neighbours in this order it finds a difference of {found} in 80 % of such data."
    told = f"{listed}. The test {apart}." + finds * bool(found)
    return told + f" {tested} of {pairs} pairs are tested." * (tested < pairs)


def undecided(rows: Sequence[Row]) -> str:
    """Return which rows of comparison.tsv show no difference, and which they would show; "" where there are none."""
    alike = [row for row in rows if row["q"] >= SIGNIFICANT and row.get("least_difference", math.nan) > 0]
    if not alike:
        return ""
    between, parts = len({(row["item"], row["other"]) for row in rows}) > 1, list[str]()
    for row in alike[:_MOST]:
        one, unit = nearest(row["measure"], row["variant"]), "" if row["unit"] == "ratio" else f" {row['unit']}"
        pair = f" ({row['item']} and {row['other']})" * between
        parts.append(f"{one.short or one.title} {rounded(row['least_difference'])}{unit}{pair}")
    more = f" and {len(alike) - _MOST} more" * (len(alike) > _MOST)
    below = f"p below {1 - alike[0]['level']:.2g}"
    return (
        f"Not told apart, which does not show that they are alike. This comparison finds ({below}) in 80 % of such "
        f"data a difference of: {', '.join(parts)}{more}."
    )


def sentences(row: Row) -> Iterator[str]:
    """Yield what a row of agreement.tsv shows of two recognisers; no more than its intervals and q do."""
    if not math.isnan(row["kappa_given_phone"]):
        yield _wrong_together(row)
    if not math.isnan(row["same_excess"]):
        yield _same_answers(row)


def _wrong_together(row: Row) -> str:
    low, high = row["kappa_given_phone_low"], row["kappa_given_phone_high"]
    kappa = f"κ given the phone {rounded(row['kappa_given_phone'], low, high)}"
    both, expected = row["both_wrong"], row["both_wrong_expected"]
    told = (
        f"{both:,.0f} of {row['tokens']:,.0f} tokens are wrong in both, {expected:,.0f} were expected of independent "
        "recognisers that find the same phones hard"
    )
    if math.isnan(row["q"]):
        return f"{told}: {kappa}, not tested."
    shown = f"{kappa}, q {equals(row['q'])}"
    excess = 2 * (both - expected) / row["tokens"]  # they agree on right ones as much more
    clear = (low > BY_ALIGNMENT or high < -BY_ALIGNMENT) and abs(excess) >= BY_ALIGNMENT
    if not (row["q"] < SIGNIFICANT and clear):
        return f"{told}: {shown}. This does not show that the two err together."
    often = "more" if low > 0 else "less"
    return f"The two are wrong at the same tokens {often} often than chance has it: {told} ({shown})."


def _same_answers(row: Row) -> str:
    low, high = row["same_excess_low"], row["same_excess_high"]
    same = f"{100 * row['same_share']:.0f} % of the tokens wrong in both have the same wrong answer"
    expected = f"independent answers would be the same in {100 * row['same_expected']:.0f} %"
    excess = f"excess {rounded(row['same_excess'], low, high)}"
    if math.isnan(row["same_q"]):
        return f"{same}; {expected} ({excess}, not tested)."
    shown = f"{excess}, q {equals(row['same_q'])}"
    if row["same_q"] < SIGNIFICANT and low > BY_ALIGNMENT:
        return f"They make the same mistakes: {same}, where {expected} ({shown})."
    return f"{same}; {expected} ({shown}). This does not show more than the alignment alone may bring."


def plan_sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what the first design of one item, or of two systems, finds, and what a difference takes: from plan.tsv."""
    first = rows[0]
    one = measure(first["measure"])
    study = f"{' and '.join(filter(None, (first['item'], first['other'])))}: {_design(first)}"
    where = "between two systems on the same utterances" if first["other"] else "between two such corpora"
    what = f"in {one.short or one.title} {where} with a probability of"
    least = _least(first)
    if math.isnan(first["least_difference"]):
        why = "nothing varies" if math.isnan(first["standard_error"]) else "fewer than five are not tested"
        yield f"{study}: no least difference, since {why}."
    elif math.isnan(first["difference"]):
        yield f"{study} find a difference of {least} {what} {_percent(first, 'power')}."
    else:
        asked, power = _percent(first, "difference_power"), f"{100 * first['power']:g} %"
        yield f"{study} find a difference of {first['difference']:g} {what} {asked}; with {power} they find {least}."
    for row in rows:
        if row["needed"] == "yes" and (math.isnan(row["speakers"]) or row["utterances"] == first["utterances"]):
            found = _percent(row, "difference_power")
            yield f"A difference of {row['difference']:g} takes {_design(row)}, which find it with {found}."
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
    yield ["speakers", *map(_utterances, each)]
    for speakers in sorted({row["speakers"] for row in chosen}):
        yield [f"{speakers:,.0f}", *(cells[speakers, number] for number in each)]


def _least(row: Row) -> str:
    return rounded(row["least_difference"]) or "–"


def _design(row: Row) -> str:
    utterances = _utterances(row["utterances"])
    return utterances if math.isnan(row["speakers"]) else f"{row['speakers']:,.0f} speakers of {utterances} each"


def _utterances(number: float) -> str:
    return "any number of utterances" if math.isinf(number) else f"{number:,.0f} utterances"


def _percent(row: Row, name: str) -> str:
    value, low, high = (min(100 * row[f"{name}{end}"], 99.4) for end in ("", "_low", "_high"))
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
