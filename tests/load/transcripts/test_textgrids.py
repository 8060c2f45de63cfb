"""Praat's TextGrids: those that praatio writes, and those that Praat may."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st
from praatio.data_classes.interval_tier import IntervalTier
from praatio.data_classes.point_tier import PointTier
from praatio.data_classes.textgrid import Textgrid
from support import refusal, symbols_by_utterance, times_of, write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript

Labels = list[tuple[float, float, str]]
PHONES: Labels = [(0.0, 0.25, ""), (0.25, 0.5, "ɛ̃́"), (0.5, 1.0, 'a "b"'), (1.0, 1.5, "")]
MARKS = [(0.125, "H*"), (0.75, "L%")]


def save(path: Path, form: str, tiers: dict[str, Labels], encoding: str = "utf-8") -> Path:
    """Let praatio write a TextGrid of interval tiers and one point tier, `tones`."""
    grid = Textgrid()
    for name, labels in tiers.items():
        grid.addTier(IntervalTier(name, labels, 0, max(label[1] for label in labels)))
    grid.addTier(PointTier("tones", MARKS, 0, 2), reportingMode="silence")
    grid.save(str(path), form, includeBlankSpaces=True, reportingMode="silence")
    return write(path, path.read_text(encoding="utf-8"), encoding)


@pytest.mark.parametrize("form", ["long_textgrid", "short_textgrid"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_forms_and_encodings(tmp_path: Path, form: str, encoding: str) -> None:
    path = save(tmp_path / "u1.TextGrid", form, {"words": [(0, 2, "x")], "phones": PHONES}, encoding)
    read = load_transcript(path, tier="phones")
    assert symbols_by_utterance(read) == {"u1": ["", "ɛ̃́", 'a "b"', "", ""]}  # praatio fills up to the end of the file
    assert times_of(read) == [(0, 0.25), (0.25, 0.5), (0.5, 1), (1, 1.5), (1.5, 2)]


def test_points_have_no_length(tmp_path: Path) -> None:
    read = load_transcript(save(tmp_path / "u1.TextGrid", "long_textgrid", {"x": PHONES}), tier="tones")
    assert symbols_by_utterance(read) == {"u1": ["H*", "L%"]}
    assert times_of(read) == [(0.125, 0.125), (0.75, 0.75)]


LABEL = st.text(st.sampled_from('ab" \n!<>[]=ɛ1'), max_size=6).map(str.strip)


@settings(max_examples=40)
@given(labels=st.lists(LABEL, min_size=1, max_size=6), form=st.sampled_from(["long_textgrid", "short_textgrid"]))
def test_what_praatio_writes_comes_back(labels: list[str], form: str) -> None:
    intervals = [(place / 4, (place + 1) / 4, label) for place, label in enumerate(labels)]
    with TemporaryDirectory() as folder:
        read = load_transcript(save(Path(folder) / "u.TextGrid", form, {"phones": intervals}), tier="phones")
    found = symbols_by_utterance(read)["u"]
    assert found[: len(labels)] == [" ".join(label.split()) for label in labels]
    assert times_of(read)[: len(labels)] == [label[:2] for label in intervals]


def test_praats_own_rules(tmp_path: Path) -> None:
    text = """"ooTextFile"\t"TextGrid"
! 99 "no value"
0 1.5e0 <exists> 1 ! of tiers
"IntervalTier" "a ""quoted"" name" 0 1.5 2
xmin=0 xmax = 5e-1 text = "it's 7 ""!"" [3]"
0.5 1.5 "two
lines" """
    path = write(tmp_path / "u.TextGrid", text)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u": ['it\'s 7 "!" [3]', "two lines"]}
    assert times_of(read) == [(0, 0.5), (0.5, 1.5)]
    assert read.places == (f"{path}:5", f"{path}:6")


def test_a_tier_without_labels_is_an_utterance_without_phones(tmp_path: Path) -> None:
    text = '"ooTextFile" "TextGrid" 0 3 <exists> 1 "TextTier" "p" 0 3 0'
    assert symbols_by_utterance(load_transcript(write(tmp_path / "u.TextGrid", text))) == {"u": []}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["long_textgrid", "short_textgrid"])
def test_a_file_that_is_cut_off_is_never_read(tmp_path: Path, form: str) -> None:
    path = save(tmp_path / "u.TextGrid", form, {"p": [(0, 1, 'a "b"')]})
    whole = path.read_text(encoding="utf-8").rstrip()
    for end in range(len(whole)):
        write(path, whole[:end])
        with pytest.raises(DataError, match=r"u\.TextGrid"):
            load_transcript(path, tier="tones")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("phones", "a"), ("Mary - phones", "b"), ("Mary - p*", "b"), ("* - words", "c"), ("[xp]hones", "a")],
)
def test_a_tier_by_name_or_glob(tmp_path: Path, wanted: str, found: str) -> None:
    tiers = {"phones": "a", "Mary - phones": "b", "Mary - words": "c"}
    path = save(tmp_path / "u.TextGrid", "long_textgrid", {name: [(0, 2, text)] for name, text in tiers.items()})
    assert symbols_by_utterance(load_transcript(path, tier=wanted)) == {"u": [found]}


def test_no_tier_or_several(tmp_path: Path) -> None:
    path = save(tmp_path / "u.TextGrid", "short_textgrid", {"phones": PHONES, "words": PHONES})
    several = "has 3 tiers; choose one with tier: (--tier), by name or glob: 'phones', 'words', 'tones'"
    for wanted, told in ((None, several), ("phone", "has no tier 'phone'"), ("*s", "has 3 tiers whose name fits '*s'")):
        assert refusal(load_transcript, path, tier=wanted).startswith(f": {told}")


START = '"ooTextFile" "TextGrid" 0 1 <exists> '


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("just words\n", ":1: the file ends before a file type"),
        ('"Praat chronological TextGrid text file"', ": a chronological TextGrid; save it as a text file"),
        (START + '1 "IntervalTier" "x" 0 1 1\n0 "a" 1', ":2: a number is needed for label 1 of 1 of tier 'x', not tex"),
    ],
)
def test_what_is_wrong_with_a_textgrid(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "u.TextGrid", text)
    assert refusal(load_transcript, path).startswith(complaint)


def test_tiers_of_one_name_and_binary_files(tmp_path: Path) -> None:
    path = write(tmp_path / "u.TextGrid", START + '2 "TextTier" "x" 0 1 0 "TextTier" "x" 0 1 0')
    with pytest.raises(DataError, match="tiers need different names: rename them"):
        load_transcript(path, tier="x")
    path.write_bytes(b"ooBinaryFile\x08TextGrid\xff\xfe\x00")
    with pytest.raises(DataError, match="a binary TextGrid; save it as a text file in Praat"):
        load_transcript(path)
