"""Columns of posteriors to phones: summed, left out, or refused; units of writing are refused with the reason."""

import string

import numpy as np
import pytest

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors
from phonxling.load.features import panphon_features
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise_columns
from phonxling.phones.rules import SymbolRules

ALPHABET = [*string.ascii_lowercase]


def columns(
    labels: str | list[str],
    frames: list[list[float]] | None = None,
    symbols: SymbolSet = BUILT_IN["ipa"],
    rules: SymbolRules = SymbolRules(),  # noqa: B008 - it is frozen
    **more: float | str,
) -> Posteriorgrams:
    names = tuple(labels.split() if isinstance(labels, str) else labels)
    shift = more.pop("shift", 0.01)
    raw = RawPosteriors(
        source="p.npz", labels=names, utterances=("u1",), read=lambda _: np.array(frames), frame_shift=shift
    )  # type: ignore[arg-type,return-value]
    found, audit = normalise_columns(raw, symbols, panphon_features(), rules, **more)  # type: ignore[arg-type]
    assert sum(row.count for row in audit) == len(names) - ("blank" in more)
    return found


def test_columns_of_one_phone_are_summed_and_silence_left_out() -> None:
    frames = [[0.5, 0.25, 0.125, 0.0, 0.125], [0, 0, 0, 1, 0]]
    found = columns("t tcl h# b pau", frames, BUILT_IN["timit61"])
    assert (found.inventory.phones, found.columns.tolist()) == (("b", "t"), [1, 1, -1, 0, -1])
    assert found.frames("u1").tolist() == [[0.0, 0.75], [1.0, 0.0]]
    found = columns("t tcl h# b pau", frames, BUILT_IN["timit61"], SymbolRules(silence="keep", closures="alone"))
    assert found.inventory.phones == ("b", "sil", "t", "t\u031a")
    assert found.frames("u1").tolist()[0] == [0.0, 0.25, 0.5, 0.25]


def test_the_blank_is_left_out() -> None:
    assert columns("_ a", [[0.75, 0.25]], blank="_").frames("u1").tolist() == [[0.25]]
    with pytest.raises(DataError, match=r"p\.npz: blank '<b>' is none of its columns: _ a"):
        columns("_ a", [[0.75, 0.25]], blank="<b>")


def test_tone_is_summed_over_on_a_tier_and_kept_when_attached() -> None:
    assert columns("a˥ a˩ b", [[0.5, 0.25, 0.25]]).frames("u1").tolist() == [[0.75, 0.25]]
    assert columns("a˥ a˩ b", rules=SymbolRules(tone="attach")).inventory.phones == ("a˥", "a˩", "b")


def test_a_frame_shift_is_needed_and_the_one_given_counts() -> None:
    with pytest.raises(DataError, match="the frame shift is not in the file; give frame_shift"):
        columns("a", shift=None)  # type: ignore[arg-type]
    found = columns("a", frame_shift=0.02, frame_offset=0.005)
    np.testing.assert_allclose(found.centres(3), [0.015, 0.035, 0.055])
    for shift in (0.0, -0.01, float("nan"), float("inf")):
        with pytest.raises(DataError, match="the frame shift must be a positive number"):
            columns("a", shift=shift)


def test_unknown_labels_are_all_listed_with_their_columns() -> None:
    with pytest.raises(DataError, match=r"\n  ☃ .*first at p.npz: column 2\n  ☁ .*first at p.npz: column 4"):
        columns("a ☃ b ☁")


def test_a_column_of_several_phones_gives_each_an_equal_part() -> None:
    symbols = SymbolSet("mine", {"X": "k s", "a": "a", "k": "k", "Y": "a k s"})
    found = columns("X a k Y", [[0.5, 0.25, 0.125, 0.125], [0, 0, 0, 1]], symbols)
    assert found.inventory.phones == ("a", "k", "s")
    shares = np.array([[0, 1 / 2, 1 / 2], [1, 0, 0], [0, 1, 0], [1 / 3] * 3])
    np.testing.assert_allclose(found.frames("u1"), [[0.5, 0.25, 0.125, 0.125], [0, 0, 0, 1]] @ shares, rtol=1e-15)
    split = columns("ay t", [[0.5, 0.5]], BUILT_IN["timit39"], SymbolRules(diphthongs="split"))
    assert split.inventory.phones == ("a", "t", "ɪ")
    assert split.frames("u1").tolist() == [[0.25, 0.5, 0.25]]


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
def test_units_of_writing_are_refused(labels: list[str], what: str) -> None:
    with pytest.raises(DataError) as error:
        columns(labels)
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
def test_phones_are_not(labels: list[str]) -> None:
    assert len(columns(labels).inventory) > 1


def test_a_map_says_what_letters_stand_for() -> None:
    letters = SymbolSet("letters", {letter: "a" if letter in "aeiou" else "t" for letter in ALPHABET})
    assert columns([*ALPHABET, "|"], symbols=letters).inventory.phones == ("a", "t")
    assert len(columns([*ALPHABET, "▁the"], symbols=BUILT_IN["raw"]).inventory) == 27
