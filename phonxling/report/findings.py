"""What results say in words: findings on a corpus, a verdict in one line, orders, further analyses, comparisons."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from phonxling.analyses.languages import ranked_items
from phonxling.analyses.measures import Measure, measure, nearest_measure
from phonxling.core.estimate import SIGNIFICANT, Estimate, Verdict
from phonxling.core.inventory import GAP
from phonxling.load.resources import corpus_titles
from phonxling.report import sections
from phonxling.report.numbers import (
    BETTER,
    Cell,
    Numbers,
    Part,
    Phone,
    Sentence,
    address,
    equals,
    fill_template,
    join_sentences,
    percent,
    round_number,
    sentence,
)
from phonxling.results.tables import read_rows, table_if_any

Row = Mapping[Any, Any]

_MOST_NAMED = 8  # corpora that a sentence names; the table has all


def numbers_alone(folder: Path) -> dict[str, Numbers]:
    """Return the numbers of each corpus by its name, without the cells that sentences name; errors as of read_rows."""
    rows: dict[str, list[Row]] = {}
    for row in read_rows(folder, "summary"):
        rows.setdefault(row["corpus"], []).append(row)
    return {name: Numbers.of_rows(own, name) for name, own in rows.items()}


def stored_numbers(folder: Path, corpora: Mapping[str, Row]) -> dict[str, Numbers]:
    """Return the numbers of each corpus of a configuration by its name, those of the results alone with values."""
    reference = next((name for name, about in corpora.items() if about["role"] == "reference"), "")
    stored, titles = numbers_alone(folder), corpus_titles(corpora)
    result = {}
    for name in corpora:
        gold = [row for row in read_rows(folder, "phones", name) if row["side"] == "gold"]
        tables = ("confusions", "expected", "errors")
        confusions, expected, errors = (read_rows(folder, table, name) for table in tables)
        absent = {row["gold"] for row in errors if row["reason"] == "absent" and row["count"] > 0}
        tokens = {row["phone"]: row["tokens"] for row in gold}
        cells = {
            (row["gold"], row["predicted"]): Cell(row["gold"], row["predicted"], row["count"], tokens[row["gold"]])
            for row in confusions
            if GAP not in {row["gold"], row["predicted"]}
        }
        result[name] = replace(
            stored.get(name, Numbers(name=name)),
            reference=reference,
            titles=titles,
            confusions=tuple(cells.values()),
            residuals=tuple(_read_residual(row, cells) for row in expected),
            phones=tuple(_read_phone(row, absent) for row in gold),
            groups=tuple(read_rows(folder, "groups", name)),
        )
    return result


def _read_phone(row: Row, absent: Collection[str]) -> Phone:
    accuracy = Estimate(row["accuracy"], row["accuracy_low"], row["accuracy_high"])
    # deletion counts as an answer: it may be what mostly becomes of a phone
    answers = {row["confused_with"]: row["share"], GAP: row["deletion_rate"]}
    other = max((answer for answer, share in answers.items() if share > 0), key=lambda one: answers[one], default="")
    absent_here = row["phone"] in absent
    return Phone(row["phone"], row["tokens"], accuracy, other, answers.get(other, math.nan), absent=absent_here)


def _read_residual(row: Row, cells: Mapping[tuple[str, str], Cell]) -> Cell:
    pair = row["gold"], row["predicted"]
    share = cells[pair].count / cells[pair].tokens if pair in cells else 0.0
    # expected of the phones common to both corpora: brought to all of the gold phone
    expected = share * row["expected"] / row["observed"] if row["observed"] > 0 else math.nan
    return Cell(*pair, share=share, residual=row["residual"], q=row["q"], expected=expected)


def stored_groups(folder: Path) -> dict[str, str]:
    """Return the letters of the targets by the headline skill, the best first; "" where there is no test."""
    skills = _read_skills(folder)
    return {row["corpus"]: row["letters"] for row in skills["skill_wper"] or skills["skill_per"]}


def _read_skills(folder: Path) -> dict[str, list[Row]]:
    rows = read_rows(folder, "languages")
    return {skill: [row for row in rows if row["measure"] == skill] for skill in ("skill_wper", "skill_per")}


def display_titles(corpora: Mapping[str, Row], numbers: Mapping[str, Numbers]) -> dict[str, str]:
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
        *sections.detection_sentences(numbers),
        *sections.error_sentences(numbers),
        *sections.reference_sentences(numbers),
        *sections.weakness_sentences(numbers),
    ]


def short_verdict(numbers: Numbers) -> str:
    """Return what the interval of the skill supports, and how far from chance a better rate is."""
    rate, chance, skill = numbers.rate, numbers.get(f"chance_{numbers.rate_name}"), numbers.skill
    if not rate.defined:
        return fill_template("short.no_rate", why=rate.note or "no predictions were given")
    if numbers.few:
        return fill_template("short.few", why=sections.capitalise(rate.note))
    if not chance.defined:
        return fill_template("short.no_level", why=chance.note or "none was computed")
    if not skill.defined:
        return fill_template("short.no_skill", why=skill.note or "chance scores 0")
    verdict, end = sections.capitalise(skill.verdict.value), sections.end_of_skill(numbers)
    if numbers.better:
        return fill_template("short.better", verdict=verdict, best=numbers.fill("short.best", end=end))
    reason = ""
    if skill.verdict is Verdict.UNTESTED:
        reason = fill_template("short.untested")
    elif skill.verdict is Verdict.HARDLY_BETTER:
        most = percent(Estimate(skill.high)) if skill.bounded else ""
        reason = fill_template("short.hardly", most=most, end=end)
    return f"{verdict} chance{reason}."


def cautions(numbers: Numbers) -> Sentence:
    """Return what the verdict alone would hide; no words where it hides nothing."""
    if not numbers.rate.defined:
        return sentence()
    hidden = [numbers.fill("short.deleted")] if numbers.mostly_deleted else []
    hidden += [numbers.fill("short.inserted")] if numbers.mostly_inserted else []
    # worth a sentence only where PER would be judged otherwise
    plain, headline = numbers.get("skill_per").verdict, numbers.skill.verdict
    if plain is not Verdict.UNTESTED and plain is not headline and not {headline, plain} <= BETTER:
        hidden.append(numbers.fill("short.per", name=numbers.words("PER", "per"), verdict=plain.value))
    if not (numbers.few or numbers.is_above_chance):
        hidden.append(sentence(fill_template("short.none")))
    elif numbers.has_information and numbers.worse_or_alike:
        hidden.append(sentence(fill_template("short.renamed" if numbers.a_map_helps else "short.information")))
    hidden += [] if numbers.few else sections.cluster_sentences(numbers)
    return join_sentences(" ", hidden) if hidden else sentence()


def order_sentences(folder: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield the order of the targets by the skill of wPER, and that of PER where tests show another."""
    weighted, plain = _read_skills(folder).values()
    if not weighted:
        return
    yield fill_template("orders.skill", ordered=_order_corpora(weighted, titles))
    clear, other = (  # pairs that a test tells apart, the better one first
        {
            (first["corpus"], second["corpus"])
            for first, second in combinations(rows, 2)
            if first["letters"] and second["letters"] and not {*first["letters"]} & {*second["letters"]}
        }
        for rows in (weighted, plain)
    )
    if any((second, first) in other for first, second in clear):
        yield fill_template("orders.otherwise", ordered=_order_corpora(plain, titles))


def _order_corpora(rows: Sequence[Row], titles: Mapping[str, str]) -> str:
    """Return corpora with their values, their letters where not all have the same, and which of them differ."""
    lettered = [row["letters"] for row in rows if row["letters"]]
    several, called = len({*lettered}) > 1, [titles.get(row["corpus"], row["corpus"]) for row in rows]
    listed = ", ".join(
        f"{title} {round_number(row['value'])}" + f" ({row['letters']})" * bool(several and row["letters"])
        for title, row in zip(called[:_MOST_NAMED], rows, strict=False)
    )
    if len(rows) > _MOST_NAMED:
        listed = fill_template("orders.more", listed=listed, number=len(rows) - _MOST_NAMED)
    if not lettered and all(math.isnan(row["q"]) for row in rows):
        return fill_template("orders.untested", listed=listed)
    kind = "letters" if several else "alike" if lettered else "neighbours"
    pairs = zip(pairwise(called), rows, strict=False)
    apart = [f"{' and '.join(both)} (q {equals(row['q'])})" for both, row in pairs if row["q"] < SIGNIFICANT]
    order = fill_template(f"orders.{kind}", listed=listed, differ=", ".join(apart) or "none")
    least = sorted(row["least_difference"] for row in rows if row["least_difference"] > 0)
    if least:
        ends = dict.fromkeys(map(round_number, (least[0], least[-1])))
        order += fill_template("orders.least", least=" to ".join(ends))
    if 0 < len(lettered) < len(rows):
        order += fill_template("orders.tested", lettered=len(lettered), corpora=len(rows))
    return order


class FurtherPart(NamedTuple):
    """An analysis on the page: its sentences, of a corpus' name and its rows of a table, or of all results'."""

    name: str
    title: str
    table: str
    sentences: Callable[[str, pd.DataFrame], Iterator[Sentence]]
    of: Literal["corpus", "results"] = "corpus"


_NAMES = {
    "TC": "two-category (TC)",
    "SC": "single-category (SC)",
    "CG": "category-goodness (CG)",
    "UC": "uncategorised–categorised (UC)",
    "UU": "uncategorised–uncategorised (UU)",
}
_CONTRASTS = 5  # that are named


def contrast_sentences(corpus: str, contrasts: pd.DataFrame) -> Iterator[Sentence]:
    """Yield how many contrasts are of which type, and which are told apart least."""
    known = contrasts[contrasts["js"].notna()]
    if known.empty:
        yield sentence(fill_template("contrasts.none"))
        return
    number = f"{len(known)} contrasts" if len(known) > 1 else "1 contrast"
    counted = known.loc[known["type"] != "", "type"].value_counts()
    counts = ", ".join(f"{counted[name]} {meaning}" for name, meaning in _NAMES.items() if name in counted)
    if untyped := len(known) - int(counted.sum()):
        counts += fill_template("contrasts.untyped", number=untyped)
    kind = "no_type" if counted.empty else "types"
    yield sentence(fill_template(f"contrasts.{kind}", number=number, counts=counts))
    named = []
    for row in known.sort_values("js", kind="stable").head(_CONTRASTS).to_dict("records"):
        both = ((row["phone"], row["category"]), (row["other"], row["other_category"]))  # each leads to its answers
        one, other = (Part(gold, address(corpus, gold=gold, predicted=answer)) for gold, answer in both)
        named.append(sentence(one, " – ", other, f" {round_number(row['js'], row['js_low'], row['js_high'])}"))
    yield Numbers().fill("contrasts.least", contrasts=join_sentences(", ", named))


_GROUPS = 3  # that are named


def language_sentences(_: str, rows: pd.DataFrame) -> Iterator[Sentence]:
    """Yield the mean over target languages, and which groups differ from all other languages."""
    measure = rows["measure"].iloc[0]
    every, *groups = rows[rows["measure"] == measure].to_dict("records")
    own = {"measure": nearest_measure(measure, "").short or measure, "languages": f"{every['languages']:.0f}"}
    own |= {"mean": round_number(every["value"], every["low"], every["high"])}
    yield sentence(fill_template("languages.mean", note=f" ({every['note']})" * bool(every["note"]), **own))
    for by in ("seen", "family", "group"):
        of = [row for row in groups if row["by"] == by]
        tested = sorted((row for row in of if row["q"] >= 0), key=lambda row: row["q"])
        differ = [row for row in tested if row["q"] < SIGNIFICANT]
        total = sum(row["languages"] for row in of)
        if len(of) == 2:  # both tests are one
            yield from (_group_sentence(row, total) for row in tested[:1])
        elif tested:
            counts = {"differ": len(differ), "tested": len(tested), "q": f"{SIGNIFICANT:g}"}
            yield sentence(fill_template("languages.groups", by=by, **counts))
            yield from (_group_sentence(row, total) for row in differ[:_GROUPS])


def _group_sentence(row: Mapping[Any, Any], total: float) -> Sentence:
    languages = {"languages": f"{row['languages']:.0f}", "others": f"{total - row['languages']:.0f}"}
    sides = fill_template("languages.sides", group=row["group"], **languages)
    difference = round_number(row["difference"], row["difference_low"], row["difference_high"])
    kind = "differ" if row["q"] < SIGNIFICANT else "alike"
    text = fill_template(f"languages.{kind}", by=row["by"], sides=sides, difference=difference, q=equals(row["q"]))
    return sentence(text)


PARTS = (
    FurtherPart("languages", "Target languages", "language_groups", language_sentences, "results"),
    FurtherPart("contrasts", "Perceptual assimilation", "contrasts", contrast_sentences),
)
StoredPart = tuple[FurtherPart, dict[str, list[Sentence]]]
"""A part, and the sentences of each corpus that has it, by the corpus' name."""


def stored_parts(folder: Path, corpora: Mapping[str, Numbers], parts: Iterable[FurtherPart]) -> list[StoredPart]:
    """Return the parts that a folder of results has; DataError when a table cannot be read."""
    stored = []
    for part in parts:
        own: dict[str, list[Sentence]] = {}
        for corpus in corpora if part.of == "corpus" else [""]:
            table = table_if_any(folder, part.table, corpus)
            if corpus in corpora and not corpora[corpus].is_above_chance and len(table):
                own[corpus] = [sentence(fill_template("chance.none"))]  # its answers show nothing of the language
            elif len(table):
                own[corpus] = [*part.sentences(corpus, table)]
        if own:
            stored.append((part, own))
    return stored


# The verdict is of the headline rate, wPER, or of PER where there is no wPER. Where PER supports another verdict, a
# second line says so, with what else the verdict alone would hide. Systems on the same utterances are compared by their
# rate. Items of other utterances are compared by their skill: languages differ in how many of their phones a recogniser
# lacks.
def judging_measure(differences: pd.DataFrame) -> str:
    """Return the measure by which items are judged: the first that all pairs have, else the first that one has."""
    same = bool((differences["test"] == "paired").any()) and not (differences["test"] == "unpaired").any()
    names = ("wper", "per") if same else ("skill_wper", "skill_per", "wper", "per")
    known = differences[differences["difference"].notna()].groupby("measure").size()
    return max(names, key=lambda name: known.get(name, 0))  # the first of equals


def short_title(one: Measure) -> str:
    """Return what a measure is called in a sentence, without its unit."""
    if one.kind == "skill":
        return f"skill of {measure(one.of).short}"
    return one.short.removesuffix(f" {one.unit}") or one.title[0].lower() + one.title[1:]


def verdict(differences: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Return in a sentence or two which item is better, or that no clear difference was found."""
    name = judging_measure(differences)
    chosen = differences[differences["measure"] == name]
    above, below = (chosen[(chosen["status"] == "not-above-chance") == is_below] for is_below in (False, True))
    if len(chosen) == 1 and not above.empty:
        return _of_two(chosen.to_dict("records")[0], titles)
    sentences = []
    if not above.empty:  # the best first, by letters, or else with how many pairs differ clearly
        order = ranked_items(above, name)
        lettered = all(letters for _, letters in order.values())
        shown = [
            f"{titles[item]} {round_number(value)}" + f" ({group})" * lettered for item, (value, group) in order.items()
        ]
        counts = {"clear": (above["q"] < SIGNIFICANT).sum(), "tested": above["q"].count()}
        listed = fill_template("comparison.order", measure=short_title(measure(name)), listed=_join_texts(shown))
        sentences += [listed, fill_template(f"comparison.{'letters' if lettered else 'several'}", **counts)]
    if not below.empty:  # nothing is said of a pair of which one is not above chance
        apart = dict.fromkeys(zip(below["item"], below["other"], strict=True))
        pairs = [" and ".join(titles[item] for item in pair) for pair in apart]
        sentences.append(fill_template("comparison.not_above_chance", pairs=_join_texts(pairs)))
    return " ".join(sentences)


def _of_two(row: Row, titles: Mapping[str, str]) -> str:
    one, unit = measure(row["measure"]), unit_of(row)
    clear = row["q"] < SIGNIFICANT
    sides = [(titles[row["item"]], row["value"]), (titles[row["other"]], row["other_value"])]
    apart = [row["difference"], row["low"], row["high"]]
    if clear and (row["difference"] < 0) != (one.direction == "lower"):  # the better one stands first
        sides, apart = sides[::-1], [-apart[0], -apart[2], -apart[1]]
    (item, value), (other, other_value) = sides
    numbers = f"{short_title(one)} {round_number(value)} against {round_number(other_value)}{unit}"
    own = {"item": item, "other": other, "numbers": numbers}
    if math.isnan(row["q"]):
        return fill_template("comparison.untested", why=row["note"] or row["status"].replace("-", " "), **own)
    own |= {"difference": round_number(*apart), "q": equals(row["q"])}
    if clear:
        return fill_template(f"comparison.{'better' if row['test'] == 'paired' else 'easier'}", **own)
    least = f"{round_number(row['least_difference'])}{unit}"
    smallest = fill_template("comparison.least", least=least) if row["least_difference"] > 0 else ""
    return f"{fill_template('comparison.no_difference', **own)} {smallest}".rstrip()


def unit_of(row: Row) -> str:
    """Return the unit of a row's numbers behind a space, "" for ratios."""
    unit = nearest_measure(row["measure"], row["variant"]).unit
    return "" if unit == "ratio" else f" {unit}"


def _join_texts(texts: Sequence[str]) -> str:
    if len(texts) <= _MOST_NAMED + 1:  # the last takes no more room than "and 1 more"
        return ", ".join(texts)
    return fill_template("orders.more", listed=", ".join(texts[:_MOST_NAMED]), number=len(texts) - _MOST_NAMED)


def undecided_measures(rows: Sequence[Row], tests: int, level: float) -> str:
    """Return which of a comparison's rows show no difference, and which they would show, of so many tests."""
    shown = list[str]()
    for row in rows:
        if row["q"] >= SIGNIFICANT and row["least_difference"] > 0:
            title = short_title(nearest_measure(row["measure"], row["variant"]))
            shown.append(f"{title} {round_number(row['least_difference'])}{unit_of(row)}")
    below = f"{1 - level:.2g}/{tests}"
    return fill_template("comparison.undecided", below=below, listed=_join_texts(shown)) if shown else ""


def settings_apart(differ: Mapping[str, Sequence[str]], most: int) -> str:
    """Return in a line the settings in which items differ, with their values; "" where there is none."""
    texts = [f"{key} {' against '.join(values)}" for key, values in differ.items()]
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return fill_template("comparison.settings", listed="; ".join(texts[:most]) + more) if texts else ""
