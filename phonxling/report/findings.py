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
    said,
    sentence,
)
from phonxling.tables.files import read_rows

Row = Mapping[Any, Any]

_MOST = 8  # corpora that a sentence names; the table has all


def numbers_alone(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, without the cells that sentences name; errors as of read_rows."""
    rows: dict[str, list[Row]] = {}
    for row in read_rows(folder, "summary"):
        rows.setdefault(row["corpus"], []).append(row)
    return {name: Numbers(by_name=numbers_of(own), name=name) for name, own in rows.items()}


def stored_numbers(folder: Path, corpora: Mapping[str, Row]) -> dict[str, Numbers]:
    """Return the numbers of each corpus of a configuration by its name, those of the results alone with values."""
    reference = next((name for name, about in corpora.items() if about["role"] == "reference"), "")
    stored, titles = numbers_alone(folder), corpus_titles(corpora)
    result = {}
    for name in corpora:
        phones, confusions, expected = (
            read_rows(folder, table, name) for table in ("phones", "confusions", "expected")
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
    """Return a cell beside the reference, its expected share brought from common phones to all of the gold phone."""
    gold, predicted = row["gold"], row["predicted"]
    share = shares.get((gold, predicted), 0.0)
    expected = share * row["expected"] / row["observed"] if row["observed"] > 0 else math.nan
    return Cell(gold, predicted, share=share, residual=row["residual"], q=row["q"], expected=expected)


def stored_groups(folder: Path) -> dict[str, str]:
    """Return the letters of the targets by the headline skill, the best first; "" where there is no test."""
    skills = _skills(folder)
    return {row["corpus"]: row["letters"] for row in skills["skill_wper"] or skills["skill_per"]}


def _skills(folder: Path) -> dict[str, list[Row]]:
    """Return the rows of the targets' skills by measure, the best first."""
    rows = read_rows(folder, "languages")
    return {skill: [row for row in rows if row["measure"] == skill] for skill in ("skill_wper", "skill_per")}


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
    """Yield the order of the targets by the skill of wPER, and that of PER where tests show another."""
    weighted, plain = _skills(folder).values()
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
            if first["letters"] and second["letters"] and not {*first["letters"]} & {*second["letters"]}
        }
        for rows in (weighted, plain)
    ]
    return any((second, first) in ways[1] for first, second in ways[0])


def _ordered(rows: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, their letters where not all have the same, and which of them differ."""
    lettered = [row["letters"] for row in rows if row["letters"]]
    several, called = len({*lettered}) > 1, [titles.get(row["corpus"], row["corpus"]) for row in rows]
    listed = ", ".join(
        f"{title} {figure(row['value'])}" + f" ({row['letters']})" * bool(several and row["letters"])
        for title, row in zip(called[:_MOST], rows, strict=False)
    )
    if len(rows) > _MOST:
        listed = said("orders.more", listed=listed, number=len(rows) - _MOST)
    if not lettered and all(math.isnan(row["q"]) for row in rows):
        return said("orders.untested", listed=listed)
    kind = "letters" if several else "alike" if lettered else "neighbours"
    apart = (f"{' and '.join(both)} (q {equals(row['q'])})" for both, row in zip(pairwise(called), rows, strict=False)
             if row["q"] < SIGNIFICANT)  # fmt: skip
    least = sorted(row["least_difference"] for row in rows if row["least_difference"] > 0)
    least = [*dict.fromkeys([*map(figure, least[:1]), *map(figure, least[-1:])])]
    return "".join(
        [
            said(f"orders.{kind}", listed=listed, differ=", ".join(apart) or "none"),
            said("orders.least", least=" to ".join(least)) if least else "",
            said("orders.tested", lettered=len(lettered), corpora=len(rows)) if 0 < len(lettered) < len(rows) else "",
        ]
    )
