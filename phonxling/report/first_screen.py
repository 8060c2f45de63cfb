"""The first screen: of each corpus a verdict, its rate between floor and chance, and its most telling confusions.

The bars of all corpora stand on one scale, from 0 to a little beyond the widest number, in percent of their width.
The orders of phones that the page offers go with it: by the IPA chart, and by features.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phonxling.analyses.features import by_features
from phonxling.analyses.languages import short_letters
from phonxling.analyses.measures import measure
from phonxling.core.estimate import FEW_TOKENS
from phonxling.core.inventory import GAP, chart_key
from phonxling.load.resources import panphon_features
from phonxling.phones.chart import MANNERS, consonant_place, vowel_places
from phonxling.report.findings import cautions, short_verdict
from phonxling.report.numbers import Cell, Number, Numbers, Part, address, figure, whole_percent
from phonxling.report.sections import kind_in_words, kinds_of_errors
from phonxling.tables.files import read_rows

_MOST = 3  # confusions that are shown
_LEVELS = {"floor": "floor_", "people": "people_", "rate": "", "chance": "chance_"}
_WITH_PHONES = {"confusions": ("gold", "predicted"), "association": ("recognised",), "sounds": ("recognised",)}


def cards(corpora: Mapping[str, Numbers], groups: Mapping[str, str] = {}) -> list[dict[str, Any]]:
    """Return what the first screen says of each corpus, the best first, the reference last.

    `groups` has the letters of corpora, best first: those that share one are not told apart.
    """
    levels = [level for numbers in corpora.values() for level in _levels(numbers, numbers.rate_name).values()]
    widest = max((level.high if level.bounded else level.value for level in levels), default=0.0) or 1.0
    lettered = short_letters(groups) if len(set(groups.values())) > 1 else {}
    return [_card(corpora[name], 100 / (widest * 1.05), lettered.get(name, "")) for name in best_first(corpora, groups)]


def best_first(corpora: Mapping[str, Numbers], groups: Mapping[str, str] = {}) -> list[str]:
    """Return the names of corpora in the order of their groups, then by skill, the reference last."""
    rank = {name: place for place, name in enumerate(groups)}

    def place(name: str) -> tuple[bool, float, float]:
        numbers = corpora[name]
        skill = numbers.skill.value if numbers.skill.defined else -math.inf
        return name == numbers.reference, rank.get(name, math.inf), -skill

    return sorted(corpora, key=place)


def _card(numbers: Numbers, scale: float, group: str) -> dict[str, Any]:
    per = numbers.get("per")
    return {
        "name": numbers.name,
        "title": Part(numbers.title(numbers.name), address(numbers.name)),
        "role": "reference" if numbers.name == numbers.reference else "",
        "group": group,
        "verdict": Part(short_verdict(numbers), address(numbers.name, at="utterances")),
        "cautions": cautions(numbers),
        "bar": _bar(numbers, scale) if numbers.rate.defined else None,
        "per": numbers.words(f"PER {figure(per.value)}", "per") if per.defined and numbers.rate_name != "per" else None,
        "errors": _most_errors(numbers) if numbers.is_above_chance else None,
        "often": _most_telling(numbers) if numbers.is_above_chance else [],
        "beyond": _beyond(numbers) if numbers.is_above_chance else None,
        "sorting": {"rate": numbers.rate.value, "per": per.value},
    }


def _levels(numbers: Numbers, rate: str) -> dict[str, Number]:
    """Return the floor, what people score, the value and the chance level of a rate, those that are defined."""
    levels = {label: numbers.get(f"{kind}{rate}") for label, kind in _LEVELS.items()}
    return {label: level for label, level in levels.items() if level.defined}


def _bar(numbers: Numbers, scale: float) -> dict[str, Any]:
    """Return the headline rate between floor and chance: places in percent of the bar, and labels."""
    rate, levels = numbers.rate, _levels(numbers, numbers.rate_name)
    places = {label: level.value for label, level in levels.items()}
    places |= {"low": rate.low, "high": rate.high} if rate.bounded else {"low": rate.value, "high": rate.value}
    name = measure(numbers.rate_name).short
    labels = {
        label: numbers.words(
            f"{name if label == 'rate' else label} {figure(level.value) if level.value else 0}",
            f"{kind}{numbers.rate_name}",
        )
        for label, kind in _LEVELS.items()
        if (level := levels.get(label))
    }
    return {
        **dict.fromkeys(_LEVELS),
        **{label: round(place * scale, 2) for label, place in places.items()},
        "whole": round(scale, 2),
        "name": name,
        "labels": labels,
        "words": f"{name} {numbers.rate}" + "".join(f", {part.text}" for key, part in labels.items() if key != "rate"),
    }


def _most_errors(numbers: Numbers) -> Part | None:
    """Return the largest kind of errors, as words that lead to the phones behind it."""
    for kind, share in list(kinds_of_errors(numbers).items())[:1]:
        told = kind_in_words(numbers, kind).replace("the reference", numbers.title(numbers.reference))
        return Part(f"{whole_percent(share.value)} of all errors {told}", address(numbers.name, errors=kind))
    return None


def _most_telling(numbers: Numbers) -> list[Part]:
    """Return the most frequent confusions of phones that are not rare; without a reference, by share × lift."""
    cells = [cell for cell in numbers.most_frequent if cell.tokens >= FEW_TOKENS]
    if not numbers.reference:
        cells = sorted(cells, key=lambda cell: -cell.share * cell.lift)
    return [_leading(numbers, cell, whole_percent(cell.share)) for cell in cells[:_MOST]]


def _leading(numbers: Numbers, cell: Cell, told: str, **state: str) -> Part:
    where = address(numbers.name, **state, gold=cell.gold, heard=cell.predicted)
    return Part(f"{cell.gold} → {cell.predicted} {told}", where)


def _beyond(numbers: Numbers) -> Part | None:
    """Return the confusion that exceeds most what the reference leads one to expect; none where chance does as well."""
    for cell in numbers.beyond_reference[:1] if numbers.better else []:
        told = f"{whole_percent(cell.share)}, expected {whole_percent(cell.expected)}"
        return _leading(numbers, cell, told, view="excess")
    return None


def stored_orders(corpora: Iterable[tuple[Path, str]]) -> dict[str, Any]:
    """Return the orders of all phones of corpora, each in a folder of results."""
    rows = ((row, columns) for place in corpora for table, columns in _WITH_PHONES.items()
            for row in read_rows(place[0], table, place[1]))  # fmt: skip
    return phone_orders(row[column] for row, columns in rows for column in columns)


def phone_orders(phones: Iterable[str]) -> dict[str, Any]:
    """Return the phones, ∅ left out, in the order of the chart and in that of features, and their places there."""
    listed, table = [phone for phone in dict.fromkeys(phones) if phone != GAP], panphon_features()
    vectors = {phone: vector.astype(np.float64) for phone in listed if (vector := table.vector(phone)[0]) is not None}
    chart = sorted(listed, key=chart_key)
    return {"chart": chart, "places": _chart_places(chart), "features": by_features(listed, vectors)}


def _chart_places(phones: Sequence[str]) -> dict[str, Any]:
    """Return the manners and places of a chart of consonants in order, and where each consonant and vowel stands."""
    consonants = {phone: place for phone in phones if (place := consonant_place(phone))}
    places = sorted({(place.column, place.place_name) for place in consonants.values()})
    vowels = {phone: own for phone in phones if (own := vowel_places(phone))}
    return {
        "manners": [MANNERS[manner] for manner in sorted({place.manner for place in consonants.values()})],
        "places": [name for _, name in places],
        "consonants": {phone: [MANNERS[place.manner], place.place_name] for phone, place in consonants.items()},
        "vowels": {phone: [own[0], own[-1]][: len(own)] for phone, own in vowels.items()},
    }
