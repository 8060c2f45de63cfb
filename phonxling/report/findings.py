"""What a folder of results says: its numbers by corpus, the findings on each, a verdict in one line, and orders.

The verdict is of the headline rate, wPER, or of PER where there is no wPER. Where PER supports another verdict, a
second line says so, with what else the verdict alone would hide.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from phonxling.analyses.measures import nearest
from phonxling.core.estimate import FEW_TOKENS, SIGNIFICANT, Verdict
from phonxling.core.inventory import GAP
from phonxling.load.resources import corpus_titles
from phonxling.report import sections
from phonxling.report.numbers import (
    BETTER,
    Cell,
    Number,
    Numbers,
    Sentence,
    equals,
    figure,
    joined,
    numbers_of,
    percent,
    rounded,
    said,
    sentence,
)
from phonxling.tables.files import NUMBERS, read_rows

Row = Mapping[Any, Any]

_MOST = 8  # corpora that a sentence names; the table has all


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
        shares = {(row["gold"], row["predicted"]): row["count"] / tokens[row["gold"]] for row in paired}
        result[name] = replace(
            stored.get(name, Numbers(name=name)),
            reference=reference,
            titles=titles,
            confusions=tuple(
                Cell(*pair, row["count"], tokens[pair[0]], share=share, lift=2 ** row["pmi"])
                for row, (pair, share) in zip(paired, shares.items(), strict=True)
            ),
            residuals=tuple(_beside_expected(row, shares) for row in expected),
            phone_tokens=tuple(tokens.values()),
        )
    return result


def _beside_expected(row: Row, shares: Mapping[tuple[str, str], float]) -> Cell:
    """Return a cell of expected.tsv, its expected share brought from the phones in common to all of the gold phone."""
    gold, predicted = row["gold"], row["predicted"]
    share = shares.get((gold, predicted), 0.0)
    expected = share * row["expected"] / row["observed"] if row["observed"] > 0 else math.nan
    return Cell(gold, predicted, share=share, residual=row["residual"], q=row["q"], expected=expected)


def stored_groups(folder: Path) -> dict[str, str]:
    """Return the letters of orders.tsv of the headline skill by corpus, the best first; "" where there is no test."""
    rows = _rows_if_any(folder, "orders.tsv")
    return {row["corpus"]: row["group"] for row in rows if row["measure"] == rows[0]["measure"]}


def _rows_if_any(folder: Path, file: str) -> list[Row]:
    return list(read_rows(folder, file)) if (folder / file).exists() else []


def told_titles(corpora: Mapping[str, Row], numbers: Mapping[str, Numbers]) -> dict[str, str]:
    """Return what corpora are called where nothing else is said of them, as above figures: also if at chance."""
    at_chance = {name for name, one in numbers.items() if not (one.few or one.is_above_chance)}
    return {name: title + " (not above chance)" * (name in at_chance) for name, title in corpus_titles(corpora).items()}


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
    """Yield the tone error rate, or why there is none where gold has tones, and how many phones are rare."""
    tone = numbers.get("tone_error_rate")
    if tone.defined:
        yield numbers.tell("rate.tone")
    elif tone.n > 0:  # gold has tones
        yield sentence(said("rate.no_tone", why=tone.note))
    few = sum(1 for tokens in numbers.phone_tokens if tokens < FEW_TOKENS)
    if few:
        rare = numbers.table(f"{few} of {len(numbers.phone_tokens)} gold phones", "phones")
        yield numbers.tell("errors.rare", phones=rare, least=str(FEW_TOKENS))


def short_verdict(numbers: Numbers) -> str:
    """Return what the interval of the skill supports, and how far from chance a better rate is."""
    rate, chance, skill = numbers.rate, numbers.get(f"chance_{numbers.rate_name}"), numbers.skill
    if not rate.defined:
        return said("short.no_rate", why=rate.note or "no predictions were given")
    if numbers.few:
        return said("short.few", why=sections.capital(rate.note))
    if not chance.defined:
        return said("short.no_level", why=chance.note or "none was computed")
    if not skill.defined:
        return said("short.no_skill", why=skill.note or "chance scores 0")
    verdict, end = sections.capital(skill.verdict.value), sections.end_of_skill(numbers)
    if not numbers.better:
        most = percent(Number(skill.high)) if skill.bounded else ""
        reasons = {
            Verdict.UNTESTED: said("short.untested"),
            Verdict.HARDLY_BETTER: said("short.hardly", most=most, end=end),
        }
        return f"{verdict} chance{reasons.get(skill.verdict, '')}."
    return said("short.better", verdict=verdict, best=numbers.tell("short.best", end=end))


def cautions(numbers: Numbers) -> Sentence:
    """Return what the verdict alone would hide; no words where it hides nothing."""
    told = list(_cautions(numbers)) if numbers.rate.defined else []
    return joined(" ", told) if told else sentence()


def _cautions(numbers: Numbers) -> Iterator[Sentence]:
    if numbers.mostly_deleted:
        yield numbers.tell("short.deleted")
    if numbers.mostly_inserted:
        yield numbers.tell("short.inserted")
    plain, headline = numbers.get("skill_per").verdict, numbers.skill.verdict
    if plain is not Verdict.UNTESTED and plain is not headline and not {headline, plain} <= BETTER:
        yield numbers.tell("short.per", name=numbers.words("PER", "per"), verdict=plain.value)
    if not (numbers.few or numbers.is_above_chance):
        yield sentence(said("short.none"))
    elif numbers.has_information and numbers.worse_or_alike:
        yield sentence(said("short.renamed" if numbers.a_map_helps else "short.information"))
    if not numbers.few:
        yield from sections.cluster_sentences(numbers)


def order_sentences(folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what orders.tsv shows: the order by the skill of wPER, and that of PER where tests show another."""
    by_measure: dict[str, list[Row]] = {"skill_wper": [], "skill_per": []}
    for row in _rows_if_any(folder, "orders.tsv"):
        by_measure[row["measure"]].append(row)
    weighted, plain = by_measure.values()
    if weighted:
        yield said("orders.skill", ordered=_ordered(weighted, titles))
        if _tested_otherwise(weighted, plain):
            yield said("orders.otherwise", ordered=_ordered(plain, titles))


def _tested_otherwise(weighted: Sequence[Row], plain: Sequence[Row]) -> bool:
    """Return whether two corpora stand in one order by one measure and in the other by the other, both by a test."""
    ways = [
        {
            (first["corpus"], second["corpus"])
            for first, second in combinations(rows, 2)
            if first["group"] and second["group"] and not {*first["group"]} & {*second["group"]}
        }
        for rows in (weighted, plain)
    ]
    return any((second, first) in ways[1] for first, second in ways[0])


def _ordered(rows: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, their letters where not all have the same, and which of them differ."""
    groups, called = {row["group"] for row in rows} - {""}, [titles.get(row["corpus"], row["corpus"]) for row in rows]
    listed = ", ".join(
        f"{title} {figure(row['value'])}" + f" ({row['group']})" * bool(len(groups) > 1 and row["group"])
        for title, row in zip(called[:_MOST], rows, strict=False)
    )
    if len(rows) > _MOST:
        listed = said("orders.more", listed=listed, number=len(rows) - _MOST)
    tested, pairs = (int(rows[0][name]) for name in ("tested", "comparisons"))
    if not tested:
        return said("orders.untested", listed=listed)
    kind = ("neighbours", "alike", "letters")[min(len(groups), 2)]
    apart = (f"{' and '.join(both)} (q {equals(row['q'])})" for both, row in zip(pairwise(called), rows, strict=False)
             if row["q"] < SIGNIFICANT)  # fmt: skip
    least = sorted(row["least_difference"] for row in rows if row["least_difference"] > 0)
    least = [*dict.fromkeys([*map(figure, least[:1]), *map(figure, least[-1:])])]
    return "".join(
        [
            said(f"orders.{kind}", listed=listed, differ=", ".join(apart) or "none"),
            said("orders.least", least=" to ".join(least)) if least else "",
            said("orders.tested", tested=tested, pairs=pairs) if tested < pairs else "",
        ]
    )


def undecided(rows: Sequence[Row]) -> str:
    """Return which rows of comparison.tsv show no difference, and which they would show; "" where there are none."""
    alike = [row for row in rows if row["q"] >= SIGNIFICANT and row["least_difference"] > 0]
    if not alike:
        return ""
    between, parts = len({(row["item"], row["other"]) for row in rows}) > 1, list[str]()
    for row in alike[:_MOST]:
        one, unit = nearest(row["measure"], row["variant"]), "" if row["unit"] == "ratio" else f" {row['unit']}"
        pair = f" ({row['item']} and {row['other']})" * between
        parts.append(f"{one.short or one.title} {rounded(row['least_difference'])}{unit}{pair}")
    listed = ", ".join(parts)
    if len(alike) > _MOST:
        listed = said("orders.more", listed=listed, number=len(alike) - _MOST)
    below = f"{1 - alike[0]['level']:.2g}/{alike[0]['comparisons']:.0f}"
    return said("comparison.undecided", below=below, listed=listed)


def below_chance(rows: Sequence[Row]) -> str:
    """Return which items of comparison.tsv have a pair of which nothing is said, because one is not above chance."""
    pairs = dict.fromkeys((row["item"], row["other"]) for row in rows if row["status"] == "not-above-chance")
    listed = ", ".join(" and ".join(pair) for pair in [*pairs][:_MOST])
    if len(pairs) > _MOST:
        listed = said("orders.more", listed=listed, number=len(pairs) - _MOST)
    return said("comparison.not_above_chance", pairs=listed) if pairs else ""
