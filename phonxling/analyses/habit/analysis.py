"""Pulled by sound or by habit: habit.tsv, habit_contexts.tsv, epenthesis.tsv, and their rows."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.case.same_phones import nearest_in
from phonxling.analyses.contexts.counting import POSITIONS
from phonxling.analyses.habit.bigram import bigram
from phonxling.analyses.habit.epenthesis import KINDS, Places, difference, places_of, rows, seen_pairs
from phonxling.analyses.habit.errors import Errors
from phonxling.analyses.habit.pulls import Pulls, pulls
from phonxling.analyses.habit.share import Share, share_of
from phonxling.analyses.habit.tokens import WrongTokens, usual_answers, wrong_tokens
from phonxling.analyses.rows import Row, row_of
from phonxling.core.arrays import Bools, Codes
from phonxling.core.estimate import joined
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences
from phonxling.count.neighbours import EDGE
from phonxling.resample.p_values import adjusted
from phonxling.resample.student import FEW_CLUSTERS
from phonxling.settings.habit import Habit
from phonxling.tables.files import table_of

SIDES = ("gold", "predicted")
_SHARES = ("habit_share", "habit_share_null", "habit_share_p")
_OF_EPENTHESIS = ("epenthesis_excess", "epenthesis_p", "epenthesis_q")
_NO_TEST = f"no test: too few events, or fewer than {FEW_CLUSTERS} clusters or contexts"


def habit(case: Case, _: Habit) -> Items:
    """Yield how far a target's errors follow the reference's phonotactics, or why nothing can be said."""
    if case.is_reference:
        return
    if case.refusal or case.reference is None:
        yield from _missing(case.refusal)
        return
    classes, names = _classes(case)
    near = _nearest(case, case.recogniser_inventory.phones)
    path, phones = case.counted.path, case.recogniser_inventory.phones
    every = wrong_tokens(path, phones, usual=usual_answers(case.counted.matrix, near), classes=classes)
    for side in SIDES:
        learned = bigram(getattr(case.reference.counted.corpus, side), phones)
        tokens = every.of(learned.known)
        pulled = pulls(tokens, learned)
        yield from _rows(case, side, share_of(pulled, tokens, case.counted.resampling))
        if side == "gold":
            yield "habit_contexts", table_of("habit_contexts", _contexts(case, pulled, tokens, (classes, names)))
            errors = Errors(
                tokens=tokens,
                habit=learned,
                gold=path.gold_inventory,
                phones=phones,
                nearest=near,
                resampling=case.counted.resampling,
            )
            yield "habit", table_of("habit", errors.rows())
    yield from _epenthesis(case, case.reference.counted.corpus.gold)


def _missing(why: str) -> Iterator[Row]:
    yield from (row_of(name, math.nan, 0, side, why) for side in SIDES for name in _SHARES)
    yield from (row_of("epenthesis_rate", math.nan, 0, kind, why) for kind in KINDS)
    yield from (row_of(name, math.nan, 0, kind, why) for kind in KINDS[1:] for name in _OF_EPENTHESIS)


def _nearest(case: Case, phones: Inventory) -> dict[str, str]:
    """Return the phone of an inventory that is nearest to each gold phone; the same symbol without features."""
    gold = case.counted.path.gold_inventory
    near = nearest_in(gold, phones, case.features)
    return {phone: x for phone, (x, _) in near.items()} or {phone: phone for phone in gold if phone in phones}


def _classes(case: Case) -> tuple[Codes, list[str]]:
    """Return the class of each gold phone and of the edge, [G + 1], and the classes' names."""
    labels = [*map(case.classes.default_of, case.counted.path.gold_inventory), EDGE]
    names = list(dict.fromkeys(labels))
    return np.array([names.index(label) for label in labels], np.int64), names


def _rows(case: Case, side: str, share: Share) -> Iterator[Row]:
    """Yield the share, its level of chance, and p."""
    operations = case.counted.operations
    wrong = float(np.asarray(operations)[:, 1].sum())
    rests = f"of {wrong:.0f} wrong phones those between phones that were heard as usual"
    notes = case.reference_note, case.counted.path_note, rests
    yield row_of("habit_share", share.value, share.tokens, side, *notes)
    yield row_of("habit_share_null", share.chance, share.tokens, side)
    why = "" if not math.isnan(share.p) else share.value.note or _NO_TEST
    yield row_of("habit_share_p", share.p, share.tokens, side, why)


def _contexts(case: Case, pulled: Pulls, tokens: WrongTokens, classes: tuple[Codes, list[str]]) -> list[dict[str, Any]]:
    """Return the share of all tokens, of those in each position, and of those beside gold neighbours of each class."""
    edge, (codes, names) = len(case.counted.path.gold_inventory), classes
    first, last = tokens.gold_left == edge, tokens.gold_right == edge
    kinds: dict[str, tuple[Codes, tuple[str, ...]]] = {
        "all": (np.zeros(len(tokens), np.int64), ("all",)),
        "position": (np.select([first & last, first, last], [3, 0, 2], 1), POSITIONS),
        "left": (codes[tokens.gold_left], tuple(names)),
        "right": (codes[tokens.gold_right], tuple(names)),
    }
    chosen = {(kind, name): of == code for kind, (of, labels) in kinds.items() for code, name in enumerate(labels)}
    resampling = case.counted.resampling
    shares = [(*key, share_of(pulled, tokens, resampling, some)) for key, some in chosen.items() if some.any()]
    q = adjusted([math.nan if kind == "all" else share.p for kind, _, share in shares]).tolist()
    rows = [_context(*row, one) for row, one in zip(shares, q, strict=True)]
    return [{**row, "note": joined([case.reference_note * (row["kind"] == "all"), row["note"]])} for row in rows]


def _context(kind: str, name: str, share: Share, q: float) -> dict[str, Any]:
    note = share.value.note or (_NO_TEST if math.isnan(share.p) else "")
    limits = {"share": share.value.value, "low": share.value.low, "high": share.value.high}
    return {"kind": kind, "context": name, "tokens": share.tokens, **limits, "p": share.p, "q": q, "note": note}


def _epenthesis(case: Case, reference: PhoneSequences) -> Items:
    """Yield how often vowels are inserted in clusters that the reference lacks, and its tests."""
    path, resampling = case.counted.path, case.counted.resampling
    gold, vowels = path.gold_inventory, _vowels(case, path.gold_inventory)
    if vowels is None:
        why = "the feature table does not tell vowels from consonants"
        yield from (row for row in _missing(why) if row.measure.startswith("epenthesis"))
        return
    said = np.unique(reference.codes).tolist()
    near = _nearest(case, Inventory(tuple(reference.inventory.phones[code] for code in said)))
    seen = seen_pairs(reference, near, gold.phones)
    answers = _vowels(case, path.predicted_inventory)
    known = np.array([case.features.vector(phone)[0] is not None for phone in gold], dtype=bool)
    told = answers if answers is not None else np.zeros(len(path.predicted_inventory), dtype=bool)
    places = places_of(path, vowels=(vowels, told), consonants=known & ~vowels, seen=seen > 0)
    yield from _rates(case, places)
    tests = {kind: difference(places, 1 + code, resampling) for code, kind in enumerate(KINDS[1:])}
    q = adjusted([test.p for test in tests.values()]).tolist()
    for (kind, test), one in zip(tests.items(), q, strict=True):
        n, why = float((places.kind == 0).sum()), "" if not math.isnan(test.p) else test.value.note or _NO_TEST
        yield row_of("epenthesis_excess", test.value, n, kind, case.reference_note)
        yield row_of("epenthesis_p", test.p, n, kind, why)
        yield row_of("epenthesis_q", one, n, kind, why)
    yield "epenthesis", table_of("epenthesis", rows(places, seen, gold.phones))


def _rates(case: Case, places: Places) -> Iterator[Row]:
    utterances = len(case.counted.path)
    sums = places.sums(places.utterance, utterances)
    for kind, broken, number in zip(KINDS, *sums, strict=True):
        none = "" if number.any() else f"no place is {kind}"
        rate = case.counted.resampling.ratio(broken, number, "share") if number.any() else math.nan
        yield row_of("epenthesis_rate", rate, float(number.sum()), kind, none)


def _vowels(case: Case, phones: Inventory) -> Bools | None:
    """Return which phones are vowels; None where the feature table cannot tell."""
    if not {"syl", "cons"} <= set(case.features.features):
        return None
    table = case.features
    return np.array([table.vector(phone)[0] is not None and table.is_vowel(phone) for phone in phones], dtype=bool)
