"""What a caller of the library gives as one side of a corpus: a path, a URL, data in memory, or phones."""

import os
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from phonxling.core.errors import ConfigurationError, DataError, shown
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.load.formats import known_endings, load_transcript
from phonxling.load.in_memory import Data, Given, read_data, read_speakers
from phonxling.load.remote import LocalCopies
from phonxling.load.resources import load_speakers, speakers_of
from phonxling.load.urls import is_url

Source: TypeAlias = str | PathLike[str]
Speakers: TypeAlias = Source | Data


def read_side(
    data: Source | Data | PhoneSequences,
    side: str,
    copies: LocalCopies,
    *,
    form: str | None,
    tier: str | None,
    columns: Mapping[str, str],
) -> Given:
    """Return a side's symbols, or its phones where they are given; a file is named after what the caller gave."""
    if isinstance(data, str | PathLike):
        _refuse_phones(data, side)
        path = copies.path(text_or_path(data), known_endings(form))
        transcript = load_transcript(path, form, columns or None, tier)
        return Given(replace(transcript, source=copies.named(transcript.source)))
    unused = [name for name, value in (("format", form), ("tier", tier)) if value is not None]
    if isinstance(data, PhoneSequences | Transcript) and columns:
        unused.append("columns")
    if unused:
        raise ConfigurationError(f"{side}: {' and '.join(unused)} cannot be given for {type(data).__name__}; leave out")
    if isinstance(data, PhoneSequences):
        return Given(replace(data, source=data.source or side))
    return read_data(data, side, columns)


def check_sides(gold: Given, predicted: Given, *, joined: bool) -> None:
    """Raise DataError where the two sides have no ids in common because one has none, or positions do not pair them."""
    first, second = gold.content.source, predicted.content.source
    if gold.letters and predicted.letters and not joined:
        one = f'["{" ".join(gold.letters)} …"]'
        msg = f"{first} and {second}: every text is a single phone, so each would be an utterance of its own"
        raise DataError(f"{msg}. If they are one utterance, give {first}={one}; if not, lists: [[…], […]]")
    if gold.numbered != predicted.numbered:
        without, named = (first, second) if gold.numbered else (second, first)
        msg = f"{without} has no ids and {named} has; give {without} as a mapping {{id: phones}}"
        raise DataError(f"{msg}, or as a table with a column of ids")
    sizes = len(gold.content), len(predicted.content)
    if gold.numbered and sizes[0] != sizes[1]:
        msg = f"{first} has {sizes[0]} utterances and {second} has {sizes[1]}; without ids they are paired by position"
        raise DataError(f"{msg}, so give as many (an utterance without phones is an empty list), or a mapping by id")


def speakers_given(speakers: Speakers, utterances: tuple[str, ...], copies: LocalCopies) -> tuple[str, ...]:
    """Return the speaker of each utterance, from a path, a mapping or Series by id, a DataFrame, or a list."""
    if isinstance(speakers, str | PathLike):
        path = copies.path(text_or_path(speakers))
        return speakers_of(utterances, load_speakers(path), copies.named(str(path)))
    return speakers_of(utterances, read_speakers(speakers, len(utterances)), "speakers")


def text_or_path(source: Source) -> str | Path:
    """Return a path, or a text, which may be a URL."""
    return source if isinstance(source, str) else Path(source)


def _refuse_phones(source: Source, side: str) -> None:
    text = os.fspath(source)
    if len(text.split()) > 1 and not set(text) & set("/\\.*?[") and not is_url(text) and not os.path.exists(text):  # noqa: PTH110 - no error for long names
        msg = f"{side}: there is no file '{shown(text)}'; phones in memory come in a list, a text an utterance"
        raise DataError(f'{msg}: {side}=["{shown(text)}"]')
