"""The first screen: of each corpus its rate between floor and chance; of the chosen one, what a phonetician asks first.

The strips of all corpora stand on one scale from 0, in percent of their width. Beyond the widest number they have room
for the number of chance.
The order of phones by the IPA chart goes with it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from phonxling.analyses.languages import short_letters
from phonxling.analyses.measures import measure
from phonxling.core.estimate import FEW_TOKENS, Estimate
from phonxling.core.inventory import GAP, chart_key
from phonxling.phones.chart import MANNERS, consonant_place, vowel_places
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.numbers import (
    Numbers,
    Part,
    Phone,
    address,
    figure,
    round_alike,
    round_estimate,
    sentence,
    whole_percent,
)
from phonxling.report.sections import aside_sentences, kind_in_words, kinds_of_errors
from phonxling.results.tables import read_rows

_MOST_PHONES = 6  # phones that are shown
_FLOOR, _CHANCE, _ARROW = 21.0, 24.0, 4.0  # percent of a small screen's strip that a level's number, or an arrow, takes
_LEVELS = {"floor": "floor_", "people": "people_", "rate": "", "chance": "chance_"}
_WITH_PHONES = {"confusions": ("gold", "predicted"), "association": ("recognised",), "sounds": ("recognised",)}


def cards(corpora: Mapping[str, Numbers], groups: Mapping[str, str] = {}) -> list[dict[str, Any]]:
    """Return what the first screen says of each corpus, the best first, the reference last.

    `groups` has the letters of corpora, best first: those that share one are not told apart.
    """
    ordered = [corpora[name] for name in best_first(corpora, groups)]
    lettered = short_letters(groups) if len(set(groups.values())) > 1 else {}
    end = _end_of_strips(ordered)
    pers = [one.get("per").value if one.rate_name != "per" else math.nan for one in ordered]
    texts = (
        round_alike([(one.rate.value, one.rate.low, one.rate.high) for one in ordered]),
        round_alike([(per,) for per in pers]),
    )
    return [
        _card(numbers, end) | {"group": lettered.get(numbers.name, ""), "rate": rate, "per": per}
        for numbers, rate, per in zip(ordered, *texts, strict=True)
    ]


def _end_of_strips(corpora: Sequence[Numbers]) -> float:
    drawn = [level.value for one in corpora for level in _levels(one).values()]
    drawn += [one.rate.high for one in corpora if one.rate.bounded]
    return max(drawn, default=0.0) / (1 - (_CHANCE + _ARROW) / 100) or 1.0


def best_first(corpora: Mapping[str, Numbers], groups: Mapping[str, str] = {}) -> list[str]:
    """Return the names of corpora in the order of their groups, then by skill, the reference last."""
    rank = {name: place for place, name in enumerate(groups)}

    def place(name: str) -> tuple[bool, float, float]:
        numbers = corpora[name]
        skill = numbers.skill.value if numbers.skill.defined else -math.inf
        return name == numbers.reference, rank.get(name, math.inf), -skill

    return sorted(corpora, key=place)


def _card(numbers: Numbers, end: float) -> dict[str, Any]:
    above = numbers.is_above_chance
    return {
        "name": numbers.name,
        "title": Part(numbers.title(numbers.name), address(numbers.name)),
        "role": "reference" if numbers.name == numbers.reference else "",
        "rate_name": measure(numbers.rate_name).short,
        "bar": _bar(numbers, end) if numbers.rate.defined else None,
        "verdict": short_verdict(numbers),
        "cautions": cautions(numbers),
        "errors": _errors(numbers) if above else [],
        "worst": [_worst_phone(numbers.name, phone) for phone in worst_phones(numbers)] if above else [],
        "beyond": _most_excessive(numbers) if above else None,
        "asides": [*aside_sentences(numbers)],
        "sorting": {"rate": numbers.rate.value, "per": numbers.get("per").value},
    }


def _levels(numbers: Numbers) -> dict[str, Estimate]:
    """Return the floor, what people score, the value and the chance level of the rate, those that are defined."""
    levels = {label: numbers.get(f"{kind}{numbers.rate_name}") for label, kind in _LEVELS.items()}
    return {label: level for label, level in levels.items() if level.defined}


def _bar(numbers: Numbers, end: float) -> dict[str, Any]:
    """Return the headline rate between floor and chance: places in percent of the strip, and the levels' numbers."""
    rate, levels = numbers.rate, _levels(numbers)
    places = {label: level.value for label, level in levels.items()} | {"whole": 1.0}
    places |= {"low": rate.low, "high": rate.high} if rate.bounded else {"low": rate.value, "high": rate.value}
    bar = dict.fromkeys(_LEVELS) | {label: round(100 * place / end, 2) for label, place in places.items()}
    told = {label: f"{label} {figure(level.value) if level.value else 0}" for label, level in levels.items()}
    others = "".join(f", {text}" for label, text in told.items() if label != "rate")
    return {
        **bar,
        "labels": _labels(told, bar),
        "words": f"{measure(numbers.rate_name).short} {round_estimate(rate)}{others}",
    }


def _labels(told: Mapping[str, str], bar: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the numbers of the levels and where each begins: at its level, or pointing to it from beyond the interval.

    That of the floor is left out where it has room at neither place.
    """
    floor, chance, high = bar["floor"], bar["chance"], bar["high"]
    labels = []
    if floor and floor + _FLOOR <= bar["low"]:
        labels.append((told["floor"], floor))
    elif floor and high + _ARROW + _FLOOR <= (100 if chance is None else chance):
        labels.append((f"← {told['floor']}", high))
    if chance is not None:
        labels.append((told["chance"], chance) if high <= chance else (f"← {told['chance']}", high))
    return labels


def _errors(numbers: Numbers) -> list[dict[str, Any]]:
    """Return the errors by reason, the most first: where each part of a bar stands, in percent, and what it says."""
    parts, start = list[dict[str, Any]](), 0.0
    reference = numbers.title(numbers.reference)
    for kind, share in kinds_of_errors(numbers).items():
        told = kind_in_words(numbers, kind).replace("the reference", reference)
        own = Part(whole_percent(share.value), address(numbers.name, errors=kind))
        words = sentence(own, f"{' of all errors' * (not parts)} {told}")
        colour = "expected" if kind == "compared" else kind
        place = {"start": round(100 * start, 2), "width": round(100 * share.value, 2)}
        parts.append({"colour": colour, "words": words, **place})
        start += share.value
    return parts


def worst_phones(numbers: Numbers) -> list[Phone]:
    """Return the phones that are least often right, those of more tokens first; none that is rare or always right."""
    wrong = [phone for phone in numbers.phones if phone.tokens >= FEW_TOKENS and phone.accuracy.value < 1]
    return sorted(wrong, key=lambda phone: (phone.accuracy.value, -phone.tokens))[:_MOST_PHONES]


def _worst_phone(corpus: str, phone: Phone) -> dict[str, Any]:
    accuracy = phone.accuracy
    low, high = (accuracy.low, accuracy.high) if accuracy.bounded else (accuracy.value, accuracy.value)
    answer = Part(
        f"{phone.other} {whole_percent(phone.share)}", address(corpus, gold=phone.phone, predicted=phone.other)
    )
    return {
        "phone": Part(phone.phone, address(corpus, at="phones", phone=phone.phone)),
        "accuracy": whole_percent(accuracy.value),
        "interval": [round(100 * place, 2) for place in (low, accuracy.value, high)],
        "absent": phone.absent,
        "words": f"accuracy {round_estimate(accuracy)}{', absent from the labels' * phone.absent}",
        "answer": answer if phone.other else None,
        "tokens": figure(phone.tokens),
        "utterances": address(corpus, at="utterances", search=phone.phone),
    }


def _most_excessive(numbers: Numbers) -> Part | None:
    """Return the confusion that exceeds most what the reference leads one to expect; none where chance does as well."""
    for cell in numbers.beyond_reference[:1] if numbers.better else []:
        told = f"{whole_percent(cell.share)}, expected {whole_percent(cell.expected)}"
        where = address(numbers.name, view="excess", gold=cell.gold, predicted=cell.predicted)
        return Part(f"{cell.gold} → {cell.predicted} {told}", where)
    return None


def stored_orders(corpora: Iterable[tuple[Path, str]]) -> dict[str, Any]:
    """Return the orders of all phones of corpora, each in a folder of results."""
    rows = ((row, columns) for place in corpora for table, columns in _WITH_PHONES.items()
            for row in read_rows(place[0], table, place[1]))  # fmt: skip
    return phone_orders(row[column] for row, columns in rows for column in columns)


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart, and their places there."""
    chart = sorted((phone for phone in dict.fromkeys(phones) if phone != GAP), key=chart_key)
    return {"chart": chart, "places": _chart_places(chart)}


def _chart_places(phones: Sequence[str]) -> dict[str, Any]:
    """Return the manners and places of a chart of consonants in order, and where each consonant and vowel stands."""
    consonants = {phone: place for phone in phones if (place := consonant_place(phone))}
    places = sorted({(place.column, place.place_name) for place in consonants.values()})
    vowels = {phone: own for phone in phones if (own := vowel_places(phone))}
    return {
        "manners": [MANNERS[manner] for manner in sorted({place.manner for place in consonants.values()})],
        "places": [name for _, name in places],
        "consonants": {
            phone: [MANNERS[place.manner], place.place_name, place.voiced] for phone, place in consonants.items()
        },
        "vowels": {phone: [own[0], own[-1]][: len(own)] for phone, own in vowels.items()},
    }
