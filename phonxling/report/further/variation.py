"""Where variation comes from, in sentences: which share each component has, and which are shown to differ."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from phonxling.core.estimate import is_descriptive
from phonxling.report.findings.sentence import Sentence, sentence
from phonxling.report.further.part import FurtherPart, Tables
from phonxling.report.rounding import rounded

_Row = Mapping[Any, Any]  # of the table
_RESIDUAL = "residual"
_WORDS = {  # where a component lies, and what has one of its levels
    "language": ("between languages", "a language"),
    "recogniser": ("between recognisers", "a recogniser"),
    "phone": ("between phones", "a phone"),
    "phone × language": ("between languages in single phones", "a phone in a language"),
    "phone × recogniser": ("between recognisers in single phones", "a phone with a recogniser"),
    "speaker": ("between speakers", "a speaker"),
    "utterance": ("between utterances", "an utterance"),
}


def variation_sentences(_: str, tables: Tables) -> Iterator[Sentence]:
    """Yield the sentences: shares, what is shown to be more than what, what is not shown, what is only described."""
    rows = tables["variation"].sort_values("share", ascending=False, kind="stable")
    components = rows[rows["component"] != _RESIDUAL]
    estimated = components[components["low"].notna()].to_dict("records")
    described = components[components["low"].isna()].to_dict("records")
    yield from map(sentence, (*_of_estimated(estimated), *(_described(row) for row in described)))
    noted = rows[rows["note"].ne("") & (rows["low"].notna() | (rows["component"] == _RESIDUAL))]
    yield from (sentence(f"{row['component'].capitalize()}: {row['note']}.") for row in noted.to_dict("records"))


def _of_estimated(rows: Sequence[_Row]) -> Iterator[str]:
    if not rows:
        return
    first, *others = rows
    shares = (f"{_percent(row)} {'lies ' * (row is first)}{_place(row)}" for row in rows)
    yield f"Of the variance of being right, {', '.join(shares)}."
    if smaller := [_place(row) for row in others if row["high"] < first["low"] and not _few(first, row)]:
        yield f"More lies {_place(first)} than {' and '.join(smaller)}: their intervals do not overlap."
    yield _what_it_means(first)
    if none := [_place(row) for row in rows if not row["low"] > 0]:
        yield f"That anything lies {' or '.join(none)} is not shown: the interval reaches 0."


def _few(*rows: _Row) -> bool:
    return any(is_descriptive(row["note"]) for row in rows)


def _described(row: _Row) -> str:
    return f"{_percent(row)} lies {_place(row)} ({row['note']}). {_what_it_means(row)}"


def _what_it_means(row: _Row) -> str:
    below, above = (f"{100 * row[name]:.0f} %" for name in ("right_below", "right_above"))
    one = _WORDS[row["component"]][1].capitalize()
    return f"{one} one standard deviation below the mean has {below} of its tokens right, one above it {above}."


def _place(row: _Row) -> str:
    return _WORDS[row["component"]][0]


def _percent(row: _Row) -> str:
    value, bracket, limits = rounded(*(100 * row[name] for name in ("share", "low", "high"))).partition(" [")
    return f"{value} %{bracket}{limits}"


PART = FurtherPart(
    name="variation",
    title="Where variation comes from",
    of="results",
    tables=("variation",),
    columns=("component", "levels", "share", "variance", "right_below", "right_above", "note"),
    interval="share",
    sentences=variation_sentences,
)
