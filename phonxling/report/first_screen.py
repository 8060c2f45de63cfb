"""The first screen: of each corpus its rate between floor and chance; of the chosen one, what one asks first."""

import math
from collections.abc import Iterable, Mapping
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
    round_alike,
    round_estimate,
    round_number,
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
    drawn = [level.value for one in ordered for level in _levels(one).values()]
    drawn += [one.rate.high for one in ordered if one.rate.bounded]
    # One scale for all: bars are compared. The widest ends where the number of chance still has room.
    end = max(drawn, default=0.0) / (1 - (_CHANCE + _ARROW) / 100) or 1.0  # of the strips
    pers = [one.get("per").value if one.rate_name != "per" else math.nan for one in ordered]
    rates = round_alike([(one.rate.value, one.rate.low, one.rate.high) for one in ordered])
    texts = zip(ordered, rates, round_alike([(per,) for per in pers]), strict=True)
    return [
        _card(own, end) | {"group": lettered.get(own.name, ""), "rate": rate, "per": per} for own, rate, per in texts
    ]


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
    wrong = [phone for phone in numbers.phones if phone.tokens >= FEW_TOKENS and phone.accuracy.value < 1]
    worst = sorted(wrong, key=lambda phone: (phone.accuracy.value, -phone.tokens))[:_MOST_PHONES]
    excess = None
    for cell in numbers.beyond_reference[:1] if above and numbers.better else ():
        shares = f"{whole_percent(cell.share)}, expected {whole_percent(cell.expected)}"
        where = address(numbers.name, view="excess", gold=cell.gold, predicted=cell.predicted)
        excess = Part(f"{cell.gold} → {cell.predicted} {shares}", where)
    return {
        "name": numbers.name,
        "title": Part(numbers.title(numbers.name), address(numbers.name)),
        "role": "reference" if numbers.name == numbers.reference else "",
        "rate_name": measure(numbers.rate_name).short,
        "bar": _bar(numbers, end) if numbers.rate.defined else None,
        "verdict": short_verdict(numbers),
        "cautions": cautions(numbers),
        "errors": _errors(numbers) if above else [],
        "worst": [_worst_phone(numbers.name, phone) for phone in worst] if above else [],
        "beyond": excess,
        "asides": [*aside_sentences(numbers)],
        "sorting": {"rate": numbers.rate.value, "per": numbers.get("per").value},
    }


def _levels(numbers: Numbers) -> dict[str, Estimate]:
    levels = {label: numbers.get(f"{kind}{numbers.rate_name}") for label, kind in _LEVELS.items()}
    return {label: level for label, level in levels.items() if level.defined}


# The strips of all corpora stand on one scale from 0, in percent of their width. Beyond the widest number they have
# room for the number of chance. The order of phones by the IPA chart goes with it.
def _bar(numbers: Numbers, end: float) -> dict[str, Any]:
    """Return the headline rate between floor and chance: places in percent of the strip, and the levels' numbers.

    A number begins at its level, or points to it from beyond the interval. That of the floor is left out where it has
    room at neither place.
    """
    rate, levels = numbers.rate, _levels(numbers)
    ends = {"low": rate.low, "high": rate.high} if rate.bounded else {"low": rate.value, "high": rate.value}
    places = {label: level.value for label, level in levels.items()} | {"whole": 1.0} | ends
    known = {label: round(100 * place / end, 2) for label, place in places.items()}
    bar: dict[str, Any] = dict.fromkeys(_LEVELS) | known
    texts = {label: f"{label} {round_number(level.value) if level.value else 0}" for label, level in levels.items()}
    others = "".join(f", {text}" for label, text in texts.items() if label != "rate")
    floor, chance, high, labels = bar["floor"], bar["chance"], bar["high"], list[tuple[str, Any]]()
    if floor and floor + _FLOOR <= bar["low"]:
        labels.append((texts["floor"], floor))
    elif floor and high + _ARROW + _FLOOR <= (100 if chance is None else chance):
        labels.append((f"← {texts['floor']}", high))
    if chance is not None:
        labels.append((texts["chance"], chance) if high <= chance else (f"← {texts['chance']}", high))
    words = f"{measure(numbers.rate_name).short} {round_estimate(rate)}{others}"
    return {**bar, "labels": labels, "words": words}


def _errors(numbers: Numbers) -> list[dict[str, Any]]:
    """Return the errors by reason, the most first: where each part of a bar stands, in percent, and what it says."""
    parts, start = list[dict[str, Any]](), 0.0
    reference = numbers.title(numbers.reference)
    for kind, share in kinds_of_errors(numbers).items():
        own = Part(whole_percent(share.value), address(numbers.name, errors=kind))
        kind_here = kind_in_words(numbers, kind).replace("the reference", reference)
        words = sentence(own, f"{' of all errors' * (not parts)} {kind_here}")
        place = {"start": round(100 * start, 2), "width": round(100 * share.value, 2)}
        parts.append({"colour": "expected" if kind == "compared" else kind, "words": words, **place})
        start += share.value
    return parts


def _worst_phone(corpus: str, phone: Phone) -> dict[str, Any]:
    accuracy = phone.accuracy
    low, high = (accuracy.low, accuracy.high) if accuracy.bounded else (accuracy.value, accuracy.value)
    confused = address(corpus, gold=phone.phone, predicted=phone.other)
    return {
        "phone": Part(phone.phone, address(corpus, at="phones", phone=phone.phone)),
        "accuracy": whole_percent(accuracy.value),
        "interval": [round(100 * place, 2) for place in (low, accuracy.value, high)],
        "absent": phone.absent,
        "words": f"accuracy {round_estimate(accuracy)}{', absent from the labels' * phone.absent}",
        "answer": Part(f"{phone.other} {whole_percent(phone.share)}", confused) if phone.other else None,
        "tokens": round_number(phone.tokens),
        "utterances": address(corpus, at="utterances", search=phone.phone),
    }


def stored_orders(corpora: Iterable[tuple[Path, str]]) -> dict[str, Any]:
    return phone_orders(
        row[column]
        for folder, corpus in corpora
        for table, columns in _WITH_PHONES.items()
        for row in read_rows(folder, table, corpus)
        for column in columns
    )


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart, and their places there.

    The manners and places of a chart of consonants in order, and where each consonant and vowel stands.
    """
    chart = sorted((phone for phone in dict.fromkeys(phones) if phone != GAP), key=chart_key)
    consonants = {phone: place for phone in chart if (place := consonant_place(phone))}
    vowels = {phone: own for phone in chart if (own := vowel_places(phone))}
    places = {
        "manners": [MANNERS[manner] for manner in sorted({place.manner for place in consonants.values()})],
        "places": [name for _, name in sorted({(place.column, place.place_name) for place in consonants.values()})],
        "consonants": {
            phone: [MANNERS[place.manner], place.place_name, place.voiced] for phone, place in consonants.items()
        },
        "vowels": {phone: [own[0], own[-1]][: len(own)] for phone, own in vowels.items()},
    }
    return {"chart": chart, "places": places}
