"""Pairs two sides by the ids of their utterances; nothing is left out in silence."""

import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from string import digits

import numpy as np

from phonxling.core.arrays import Codes
from phonxling.core.errors import DataError, join_problems
from phonxling.core.ids import ALIKE_BUT_FOR, WAYS, join_names, same_ids, strip_parts
from phonxling.core.posteriorgram import Posteriorgrams, RenamedReader
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, reading_notes

_Side = PhoneSequences | Posteriorgrams
_WORD_START = re.compile(r"(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])")  # where the rest of an id may begin
_ENOUGH = 0.5  # of the ids of the side that has fewer: the share that a way must pair to be worth naming
_LINE = re.compile(r"\d+-of-(\d+)")  # the id of a line, in files without ids


def pair(
    gold: PhoneSequences,
    predicted: PhoneSequences,
    audits: tuple[SymbolAudit, SymbolAudit] = ((), ()),
    allow_unpaired: float = 0.0,
    *,
    what: str = "predicted",
) -> Corpus:
    ids = same_ids(gold.utterances, predicted.utterances)
    notes = [*reading_notes({"gold": gold, what: predicted}), ids.note(what)]
    if ids.names:
        predicted = replace(predicted, utterances=tuple(ids.names.get(name, name) for name in predicted.utterances))
    same = len(gold) > 0 and gold.utterances == predicted.utterances
    unpaired: tuple[str, ...] = ()
    for side in (gold,) if same else (gold, predicted):
        if twice := sorted(utterance for utterance, count in Counter(side.utterances).items() if count > 1):
            raise DataError(f"{side.source}: utterance ids must differ; these occur twice: {shorten(twice)}")
    if not same:
        common, unpaired = _find_common_ids(gold, predicted, allow_unpaired)
        gold, predicted = (side.select(side.places_of(common)) for side in (gold, predicted))
    if not len(gold.codes):
        raise DataError(f"{gold.source}: no gold phone is left in any utterance (empty, or silence alone)")
    return Corpus(
        gold=gold,
        predicted=PhoneSequences(**{**predicted.__dict__, "utterances": gold.utterances}),  # kept once, not twice
        gold_audit=audits[0],
        predicted_audit=audits[1],
        speakers=gold.speakers or predicted.speakers,
        unpaired=unpaired,
        notes=tuple(filter(None, notes)),
    )


def pair_posteriors(
    posteriorgrams: Posteriorgrams, segments: PhoneSequences, allow_unpaired: float = 0.0
) -> tuple[Posteriorgrams, PhoneSequences, tuple[str, ...]]:
    """Return posteriors and segments of the utterances that both have, and the ids that were left out."""
    if names := same_ids(segments.utterances, posteriorgrams.utterances).names:
        own = {names.get(name, name): name for name in posteriorgrams.utterances}
        read = RenamedReader({name: (posteriorgrams.read, other) for name, other in own.items()})
        posteriorgrams = replace(posteriorgrams, utterances=tuple(own), read=read)
    if set(posteriorgrams.utterances) == set(segments.utterances):
        return posteriorgrams, segments, ()
    common, unpaired = _find_common_ids(segments, posteriorgrams, allow_unpaired)
    return replace(posteriorgrams, utterances=tuple(common)), segments.select(segments.places_of(common)), unpaired


def places_among(first: Sequence[str], second: Sequence[str]) -> Codes | None:
    """Return where each utterance of the first side stands on the second, [U]; None where these are others."""
    names = same_ids(first, second).names
    places = {names.get(name, name): place for place, name in enumerate(second)}
    if not len(first) == len(second) == len(places) or places.keys() != {*first}:
        return None
    return np.array([places[name] for name in first], np.int64)


def shorten(ids: Sequence[str], most: int = 5) -> str:
    return " ".join(ids[:most]) + (f" … and {len(ids) - most} more" if len(ids) > most else "")


def _find_common_ids(first: _Side, second: _Side, allow_unpaired: float) -> tuple[list[str], tuple[str, ...]]:
    # The ids of both sides in the order of the first, and those of one; DataError when these are too many.
    both = {*first.utterances} & {*second.utterances}
    common = [utterance for utterance in first.utterances if utterance in both]
    alone = [[utterance for utterance in side.utterances if utterance not in both] for side in (first, second)]
    number = len(alone[0]) + len(alone[1])
    together = len(common) + number
    # As a fraction, since 0.29 of 100 is 29, and less in binary floats.
    if common and number <= Fraction(str(allow_unpaired)) * together:
        return common, (*alone[0], *alone[1])
    if not together:
        raise DataError(f"neither {first.source} nor {second.source} holds an utterance")
    names = first.source, second.source
    if first.source == second.source:
        names = f"gold of {first.source}", f"predicted of {first.source}"
    lines = [f"only in {name} ({len(ids)}): {shorten(ids)}" for name, ids in zip(names, alone, strict=True) if ids]
    if common or not (remedy := _explain_without_ids(alone, names)):
        share = math.ceil(100 * number / together) / 100
        allow = f", or allow a share to be left out with pairing: {{allow_unpaired: {share:g}}}"
        allow = f"{allow} (for score: --set pairing.allow_unpaired={share:g})"
        if not (difference := _explain_difference(alone, names)) and not common and len(alone[0]) == len(alone[1]) > 1:
            order = f"If the {len(alone[0])} utterances stand in the same order in both files"
            difference = f"No two look alike. {order}, copy the ids of one to the other.\n"
        remedy = f"{difference}Make the ids agree{allow if common and share < 1 else ''}."
    raise DataError(join_problems(f"{number} of {together} utterances lack a partner:", lines, remedy))


def _explain_without_ids(ids: list[list[str]], names: tuple[str, str]) -> str:
    # What to do about files without ids, of other numbers of lines or called otherwise, "" for others.
    counts = [match[1] for side in ids if side and (match := _LINE.fullmatch(side[0]))]
    if len(counts) > 1:
        number = f"{names[0]} has {counts[0]} lines, {names[1]} {counts[1]}"
        return f"{number}. Files without ids pair line by line: find the line that one lacks."
    for own, others, name, other in zip(ids, reversed(ids), names, reversed(names), strict=True):
        if len(own) == 1 and others and own[0] == (file := Path(name)).stem:
            called = f"{others[0]}{file.suffix}"
            return f"The id '{own[0]}' is the name of its file. Name the file {called}, or give this id in {other}."
    return ""


def _explain_difference(alone: list[list[str]], names: tuple[str, str]) -> str:
    for what, pairs in _pair_alike(*alone) if all(alone) else ():
        if len(pairs) >= max(1, _ENOUGH * min(map(len, alone))):
            number = "1 of them is" if len(pairs) == 1 else f"{len(pairs)} of them are"
            one, other = pairs[0]
            return f"{number} equal but for {what}: '{one}' in {names[0]}, '{other}' in {names[1]}.\n"
    return ""


def _pair_alike(first: list[str], second: list[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    # Only what pairs one id with one counts, or two recordings that share a suffix would be proposed as one.
    for way in (*WAYS[1:], *((part,) for part in ALIKE_BUT_FOR)):
        keys = [[strip_parts(name, way) for name in side] for side in (first, second)]
        partners, counts = dict(zip(keys[1], second, strict=True)), [Counter(side) for side in keys]
        once = {key for key in partners if all(count[key] == 1 for count in counts)}
        yield join_names(way), [(name, partners[key]) for name, key in zip(first, keys[0], strict=True) if key in once]
    for longer, shorter in ((first, second), (second, first)):
        known, ends = {*shorter}, dict[str, str]()
        for name in longer:
            cuts = (name[each.start() :] for each in _WORD_START.finditer(name))
            ends[name] = next((cut for cut in cuts if cut in known), "")
        taken = Counter(ends.values())
        pairs = [(name, end) for name, end in ends.items() if end and taken[end] == 1]
        prefixes = {long.removesuffix(short) for long, short in pairs}
        what = f"the prefix '{prefixes.pop()}'" if len(prefixes) == 1 else "a prefix"
        yield what, pairs if longer is first else [(short, long) for long, short in pairs]
    # What all ids of a side have: u1_gold and u1_pred, gold-1 and pred-1, or a letter that no terminal shows.
    sides = first, second
    shared = [(_find_beginning(side), _find_beginning([name[::-1] for name in side])[::-1]) for side in sides]
    if min(map(len, sides)) > 1 and shared[0] != shared[1]:
        bare, others = (
            {name.removeprefix(begin).removesuffix(end): name for name in side}
            for side, (begin, end) in zip(sides, shared, strict=True)
        )
        what = " and ".join(f"'{'…'.join(parts)}'" for parts in shared)
        yield f"{what}, which all ids of a side have", [(bare[key], others[key]) for key in bare if key in others]


def _find_beginning(names: list[str]) -> str:
    # Without digits at its end, which belong to numbers that go on.
    return os.path.commonprefix(names).rstrip(digits)  # noqa: RUF071 - letters are compared
