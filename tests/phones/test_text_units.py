"""Columns that are units of writing are refused with the reason; columns of phones never are."""

import string

import pytest

import phonxling as px
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import RawPosteriors
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise_columns
from phonxling.phones.rules import SymbolRules

ALPHABET = [*string.ascii_lowercase]


def columns(labels: list[str], table: FeatureTable, symbols: SymbolSet | None = None) -> px.Inventory:
    raw = RawPosteriors(source="p.npz", labels=tuple(labels), utterances=(), read=lambda _: [], frame_shift=0.01)  # type: ignore[arg-type,return-value]
    return normalise_columns(raw, symbols or BUILT_IN["ipa"], table, SymbolRules())[0].inventory


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (["<unk>", "a", "▁the", "▁a", "ing"], "pieces of written words, not phones: ▁the;"),
        (["the", "##ing", "##s"], "pieces of written words, not phones: ##ing;"),
        (["th@@", "e"], "pieces of written words, not phones: th@@;"),
        (["Ġthe", "e"], "pieces of written words, not phones: Ġthe;"),
        (["<pad>", "|", *string.ascii_uppercase, "'"], "the letters of an alphabet, not phones: A B C D E …;"),
        ([*ALPHABET, "ñ", "á"], "the letters of an alphabet, not phones: a b c d e …;"),
        (["|", *"abdefghijklmnopqrstuy", "ẹ", "ọ", "ṣ"], "the letters of an alphabet, not phones: a b d e f …;"),
        (["<pad>", "|", *"абвгд"], "characters of a script, not phones: а б в г д;"),
        ([*"天地玄黄宇宙a"], "characters of a script, not phones: 天 地 玄 黄 宇 …;"),
    ],
)
def test_units_of_writing_are_refused(table: FeatureTable, labels: list[str], what: str) -> None:
    with pytest.raises(px.DataError) as error:
        columns(labels, table)
    assert str(error.value) == (
        f"p.npz: its columns are {what} take a recogniser of phones, or map each label to a phone with a two-column "
        "TSV (symbol, ipa) (docs/ctc.md)"
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["<blk>", "▁", *"abdefhijklmnoprstuvwz", "ʃ"],  # a phone recogniser that marks words
        [*"abdefhijklmnoprstu"],  # few phones, all of them Latin letters
        [*ALPHABET, "ɡ", "ɾ", "t͡ʃ"],
        ["<pad>", "<s>", "</s>", "<unk>", "a", "aː", "t͡ʃ"],
    ],
)
def test_phones_are_not(table: FeatureTable, labels: list[str]) -> None:
    assert len(columns(labels, table)) > 1


def test_a_map_says_what_letters_stand_for(table: FeatureTable) -> None:
    letters = SymbolSet("letters", {letter: "a" if letter in "aeiou" else "t" for letter in ALPHABET})
    assert columns([*ALPHABET, "|"], table, letters).phones == ("a", "t")
    assert len(columns([*ALPHABET, "▁the"], table, BUILT_IN["raw"])) == 27
