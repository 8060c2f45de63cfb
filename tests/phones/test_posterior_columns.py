"""Columns of posteriors to phones: summed, left out, or refused; units of writing are refused with the reason."""

import string
from dataclasses import replace

import numpy as np
import pytest
from made_posteriors import timed_phones
from support import error_of

from phonxling.core.errors import DataError
from phonxling.core.inventory import Inventory
from phonxling.core.posteriorgram import Posteriorgrams, RawPosteriors
from phonxling.load.resources import panphon_features
from phonxling.phones.normalise import normalise_columns
from phonxling.phones.symbols import BUILT_IN, SymbolRules, SymbolSet
from phonxling.posteriors.decode import decode
from phonxling.posteriors.forced_learning import align_posteriors
from phonxling.posteriors.joint import joint_distribution, token_posteriors

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
    assert found.inventory.phones == ("b", "t", "t\u031a", "sil")
    assert found.frames("u1").tolist()[0] == [0.0, 0.5, 0.25, 0.25]


def test_the_blank_is_left_out() -> None:
    assert columns("_ a", [[0.75, 0.25]], blank="_").frames("u1").tolist() == [[0.25]]
    with pytest.raises(DataError, match=r"p\.npz: blank '<b>' is not one of its columns: _ a"):
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
    assert split.inventory.phones == ("ɪ", "a", "t")
    assert split.frames("u1").tolist() == [[0.25, 0.25, 0.5]]


KS = SymbolSet("mine", {"X": "k s", "k": "k", "half": "k", "other": "s", "a": "a", "_": ""})


def test_tokens_and_forced_times_share_the_mass_as_two_columns_of_half_of_it_would() -> None:
    rows = [[0, 0, 0.1, 0.9], [0.7, 0.1, 0.1, 0.1], [0, 0.1, 0.9, 0], [0, 0.8, 0.1, 0.1]]
    heard = np.repeat(rows, [3, 6, 4, 3], axis=0)
    heard = 0.95 * heard + 0.05 * np.random.default_rng(1).dirichlet(np.ones(4), len(heard))
    halves = np.c_[heard[:, :1] / 2, heard[:, :1] / 2, heard[:, 1:]]
    both = [
        columns(names, np.log(each).tolist(), KS, scale="log-probability")
        for names, each in (("X k a _", heard), ("half other k a _", halves))
    ]
    spans = [("k", 0.03, 0.06), ("s", 0.06, 0.09), ("a", 0.09, 0.13), ("k", 0.13, 0.16)]
    gold = timed_phones([spans], Inventory(tuple("aks")))
    gold = replace(gold, utterances=("u1",))
    one, two = (token_posteriors(each, gold, entropies=True) for each in both)
    for name in ("rows", "weight", "codes"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-12)
    np.testing.assert_allclose(one.entropy.bits, two.entropy.bits, atol=1e-12)
    one_mass, two_mass = (joint_distribution(each, gold).mass for each in both)
    np.testing.assert_allclose(one_mass, two_mass, atol=1e-12)
    first, second = (align_posteriors(each, gold, minimum_frames=2) for each in both)
    np.testing.assert_array_equal(first.times.segments.start, second.times.segments.start)
    np.testing.assert_allclose(first.tokens.rows, second.tokens.rows, atol=1e-9)


def test_decoding_gives_all_phones_of_a_column_and_divides_its_span() -> None:
    rows = [[0.1, 0.9], [0.8, 0.2], [1, 0], [0.9, 0.1], [0.6, 0.4], [0, 1]]
    for more in ({"blank": "_"}, {}):  # a CTC network, and a classifier of frames
        phones = decode(columns("X _", rows, KS, **more))  # type: ignore[arg-type]
        assert phones.phones_of(0) == ["k", "s"]
        assert phones.start is not None
        assert phones.end is not None
        assert phones.confidence is not None
        np.testing.assert_allclose([phones.start, phones.end], [[0.01, 0.03], [0.03, 0.05]])
        np.testing.assert_allclose(phones.confidence, (0.8 + 1 + 0.9 + 0.6) / 4)


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (["<unk>", "a", "▁the", "▁a", "ing"], "pieces of written words, not phones: ▁the;"),
        (["<pad>", "|", *string.ascii_uppercase, "'"], "the letters of an alphabet, not phones: A B C D E …;"),
        ([*ALPHABET, "ñ", "á"], "the letters of an alphabet, not phones: a b c d e …;"),
        (["<pad>", "|", *"абвгд"], "characters of a script, not phones: а б в г д;"),
    ],
)
def test_units_of_writing_are_refused(labels: list[str], what: str) -> None:
    assert error_of(DataError, columns, labels).startswith(
        f"p.npz: its columns are {what} take a recogniser of phones, "
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["<blk>", "▁", *"abdefhijklmnoprstuvwz", "ʃ"],  # a phone recogniser that marks words
        [*"abdefhijklmnoprstu"],  # few phones, all of them Latin letters
    ],
)
def test_phones_are_not(labels: list[str]) -> None:
    assert len(columns(labels).inventory) > 1


def test_marks_with_columns_of_their_own_are_joined_in_what_is_decoded_and_have_no_posteriors() -> None:
    found = columns(
        "t ʰ a ː d͡ ʒ _", np.eye(7)[[6, 0, 0, 1, 6, 2, 3, 6, 4, 5, 2]].tolist(), BUILT_IN["ipa-joined"], blank="_"
    )
    assert decode(found).phones_of(0) == ["tʰ", "aː", "d͡ʒ", "a"]
    message = error_of(DataError, found.frames, "u1")
    assert message.startswith("p.npz: columns are marks or letters to be tied, so phones have no posteriors: ʰ ː d͡\n")
