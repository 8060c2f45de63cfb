"""ELAN's .eaf: those that pympi writes, and what ELAN has that pympi does not write."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st
from pympi.Elan import Eaf
from support import refusal, symbols_by_utterance, times_of, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript


def save(path: Path, annotations: list[tuple[int, int, str]]) -> Path:
    """Let pympi write annotations to the tier `phones`, and one to `notes`."""
    written = Eaf(author="")
    written.remove_tier("default")
    for name in ("phones", "notes"):
        written.add_tier(name)
    for start, end, value in annotations:
        written.add_annotation("phones", start, end, value)
    written.add_annotation("notes", 0, 5, "a note")
    written.to_file(str(path))
    return path


def test_annotations_in_the_order_of_time(tmp_path: Path) -> None:
    path = save(tmp_path / "u1.eaf", [(500, 750, "k͡p"), (0, 500, ""), (750, 1000, "<a> & \n b")])
    read = load_transcript(path, tier="phones")
    assert symbols_by_utterance(read) == {"u1": ["", "k͡p", "<a> & b"]}
    assert times_of(read) == [(0, 0.5), (0.5, 0.75), (0.75, 1)]


@settings(max_examples=25)
@given(
    data=st.lists(st.tuples(st.integers(1, 999), st.sampled_from(["a", "ɛ̃́", "NA", '"', "]]>", ""])), min_size=1),
    order=st.randoms(),
)
def test_what_pympi_writes_comes_back(data: list[tuple[int, str]], order: Random) -> None:
    ends = [sum(length for length, _ in data[: place + 1]) for place in range(len(data))]
    rows = [(end - length, end, text) for end, (length, text) in zip(ends, data, strict=True)]
    mixed = rows.copy()
    order.shuffle(mixed)
    with TemporaryDirectory() as folder:
        read = load_transcript(save(Path(folder) / "u.eaf", mixed), tier="pho*")
    assert symbols_by_utterance(read) == {"u": [text for _, _, text in rows]}
    assert read.end.tolist() == [end / 1000 for end in ends]


HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT>\n<TIME_ORDER>\n'
SLOTS = "".join(
    f'<TIME_SLOT TIME_SLOT_ID="t{number}"{value}/>\n'
    for number, value in enumerate([' TIME_VALUE="0"', "", "", ' TIME_VALUE="900"', ' TIME_VALUE="1000"'])
)


def aligned(name: str, first: int, last: int, text: str) -> str:
    slots = f'TIME_SLOT_REF1="t{first}" TIME_SLOT_REF2="t{last}"'
    value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
    return f'<ALIGNABLE_ANNOTATION ANNOTATION_ID="{name}" {slots}>{value}</ALIGNABLE_ANNOTATION>\n'


def reference(name: str, parent: str, text: str, previous: str = "") -> str:
    before = f' PREVIOUS_ANNOTATION="{previous}"' if previous else ""
    return (
        f'<REF_ANNOTATION ANNOTATION_ID="{name}" ANNOTATION_REF="{parent}"{before}>'
        f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></REF_ANNOTATION>\n"
    )


def tier(name: str, kind: str, *annotations: str) -> str:
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}">\n{"".join(annotations)}</TIER>\n'


KINDS = (
    '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="words"/>\n'
    '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="one" CONSTRAINTS="Symbolic_Association"/>\n'
    '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="many" CONSTRAINTS="Symbolic_Subdivision"/>\n'
)
WORDS = tier("words", "words", aligned("w2", 3, 4, "two"), aligned("w1", 0, 3, "one"))


def document(path: Path, *tiers: str) -> Path:
    return write(path, f"{HEAD}{SLOTS}</TIME_ORDER>\n{''.join(tiers)}{KINDS}</ANNOTATION_DOCUMENT>\n")


def test_annotations_whose_limits_have_no_time_have_an_order(tmp_path: Path) -> None:
    parts = tier("p", "words", aligned("c", 2, 3, "c"), aligned("a", 0, 1, "a"), aligned("b", 1, 2, "b"))
    read = load_transcript(document(tmp_path / "u.eaf", parts))
    assert symbols_by_utterance(read) == {"u": ["a", "b", "c"]}
    assert read.start is None


def test_parts_of_words_stand_in_the_order_of_the_words(tmp_path: Path) -> None:
    parts = tier(
        "p", "many", reference("x", "w2", "d", "y"), reference("y", "w2", "c"), reference("z", "w1", "a")
    )  # y, which is c, is the first of the second word
    read = load_transcript(document(tmp_path / "u.eaf", parts, WORDS), tier="p")
    assert symbols_by_utterance(read) == {"u": ["a", "c", "d"]}
    assert read.start is None


def test_one_annotation_for_each_word_has_the_words_times(tmp_path: Path) -> None:
    path = document(tmp_path / "u.eaf", WORDS, tier("p", "one", reference("x", "w2", "b"), reference("y", "w1", "a")))
    read = load_transcript(path, tier="p")
    assert symbols_by_utterance(read) == {"u": ["a", "b"]}
    assert times_of(read) == [(0, 0.9), (0.9, 1)]
    assert read.places == (f"{path}, annotation 1", f"{path}, annotation 2")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<Trans/>", ": XML, but not a document of ELAN's: it begins with <Trans>"),
        ("<ANNOTATION_DOCUMENT><TIER/></ANNOTATION_DOCUMENT>", ": an element lacks what ELAN gives it"),
    ],
)
def test_what_is_wrong_with_an_eaf(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "u.eaf", text)
    assert refusal(load_transcript, path).startswith(complaint)


def test_references_to_nothing_or_to_themselves(tmp_path: Path) -> None:
    for annotation in (aligned("a", 0, 9, "a"), reference("a", "nobody", "a"), reference("a", "a", "a")):
        path = document(tmp_path / "u.eaf", WORDS, tier("p", "many", annotation))
        with pytest.raises(DataError, match=r"u\.eaf: an element lacks what ELAN gives it, or refers to times"):
            load_transcript(path, tier="p")
