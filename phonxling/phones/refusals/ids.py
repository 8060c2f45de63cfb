"""Ids that differ in writing alone: by case, ending, folder, zeros or a prefix; and how to say which."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_CUT = re.compile(r"(?<=[^A-Za-z0-9])(?=[A-Za-z0-9])")  # where the rest of an id may begin
_ENOUGH = 0.5  # share of the ids of the side that has fewer which a way must pair

_LINE = re.compile(r"\d+-of-(\d+)")  # the id of a line, in files without ids

_Key = Callable[[str], str]
_SINGLE: dict[str, _Key] = {
    "case": str.casefold,
    "the ending": lambda name: _ENDING.sub("", name),
    "the folder": lambda name: re.split(r"[/\\]", name)[-1],
    "zeros before numbers": lambda name: re.sub(r"0+(?=\d)", "", name),
    "Unicode form": lambda name: unicodedata.normalize("NFC", name),
    "spaces": lambda name: "".join(name.split()),
}
_WAYS: tuple[tuple[str, ...], ...] = (
    *((name,) for name in _SINGLE),
    ("the folder", "the ending"),
    ("case", "the ending"),
    ("the folder", "the ending", "case"),
)


def near_ids(first: Sequence[str], second: Sequence[str], names: tuple[str, str]) -> str:
    """Return in what ids that lack a partner differ from ids of the other side, with a pair of them; "" if in more.

    Examples
    --------
    >>> near_ids(["u1", "u2"], ["clips/u1.wav", "clips/u2.wav"], ("gold.tsv", "heard.tsv"))
    "2 of them are equal but for the folder and the ending: 'u1' in gold.tsv, 'clips/u1.wav' in heard.tsv"
    """
    for way in _WAYS:
        if pairs := _pairs(first, second, partial(_key, way=way)):
            return _said(pairs, " and ".join(way), names)
    for longer, shorter, turned in ((first, second, True), (second, first, False)):
        if pairs := _with_prefix(longer, shorter):
            ordered = [(short, long) for long, short in pairs] if not turned else pairs
            prefixes = {long.removesuffix(short) for long, short in pairs}
            (prefix,) = prefixes if len(prefixes) == 1 else ("",)
            what = f"the prefix '{prefix}'" if prefix else "a prefix"
            return _said(ordered, what, names)
    return ""


def unequal_lines(ids: Sequence[Sequence[str]], names: tuple[str, str]) -> str:
    """Return what to do about files without ids that differ in their number of lines, "" for others.

    Examples
    --------
    >>> unequal_lines((["1-of-2", "2-of-2"], ["1-of-1"]), ("ref.txt", "hyp.txt"))
    'ref.txt has 2 lines, hyp.txt 1. Files without ids pair line by line: find the line that one lacks.'
    """
    counts = [match[1] for side in ids if side and (match := _LINE.fullmatch(side[0]))]
    if len(counts) < 2:
        return ""
    number = f"{names[0]} has {counts[0]} lines, {names[1]} {counts[1]}"
    return f"{number}. Files without ids pair line by line: find the line that one lacks."


def _said(pairs: Sequence[tuple[str, str]], what: str, names: tuple[str, str]) -> str:
    one, other = pairs[0]
    number = "1 of them is" if len(pairs) == 1 else f"{len(pairs)} of them are"
    return f"{number} equal but for {what}: '{one}' in {names[0]}, '{other}' in {names[1]}"


def _key(name: str, way: Sequence[str]) -> str:
    for part in way:
        name = _SINGLE[part](name)
    return name


def _pairs(first: Sequence[str], second: Sequence[str], key: _Key) -> list[tuple[str, str]]:
    """Return the pairs of ids whose keys are equal, when they are many; a key that several ids share pairs none."""
    keys = [Counter(map(key, side)) for side in (first, second)]
    partners = {key(name): name for name in second}
    pairs = [(name, partners[key(name)]) for name in first if all(side[key(name)] == 1 for side in keys)]
    return pairs if len(pairs) >= max(1, _ENOUGH * min(len(first), len(second))) else []


def _with_prefix(longer: Sequence[str], shorter: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of ids, when they are many, of which one ends as the other, after a sign that separates."""
    ends = set(shorter)
    pairs = []
    for name in longer:
        cuts = (name[match.start() :] for match in _CUT.finditer(name) if match.start())
        if end := next((cut for cut in cuts if cut in ends), ""):
            pairs.append((name, end))
    taken = Counter(end for _, end in pairs)
    pairs = [pair for pair in pairs if taken[pair[1]] == 1]
    return pairs if len(pairs) >= max(1, _ENOUGH * min(len(longer), len(shorter))) else []
