"""Labels "canonical,perceived,type": each part is a sequence of its own, in every format."""

import json
from pathlib import Path

import pytest
from support import symbols_by_utterance, times_of, write

from phonxling.load.formats import load_transcript
from phonxling.load.in_memory import read_data

LABELS = ["W", "IY1,IH1,s", "sil,AH0,a", "L,sil,d", "sil", "K", "AH,err,s", "P"]
PERCEIVED = ["W", "IH1", "AH0", "sil", "K", "err", "P"]
CANONICAL = ["W", "IY1", "L", "sil", "K", "AH", "P"]
GRID = '"ooTextFile" "TextGrid" 0 8 <exists> 1 "IntervalTier" "phones" 0 8 8 '
TEXTS = {
    "u.tsv": "utterance\tphones\nu\t" + " ".join(LABELS),
    "u.jsonl": json.dumps({"id": "u", "phones": LABELS}),
    "u.lab": "".join(f"{n}00 {n + 1}00 {label}\n" for n, label in enumerate(LABELS)),
    "u.ctm": "".join(f"u 1 {n} 1 {label}\n" for n, label in enumerate(LABELS)),
    "u.TextGrid": GRID + " ".join(f'{n} {n + 1} "{label.replace(",", ", ")}"' for n, label in enumerate(LABELS)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_gold_is_what_was_perceived_and_the_canonical_part_can_be_read(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, TEXTS[name])
    assert symbols_by_utterance(load_transcript(path, side="gold")) == {"u": PERCEIVED}
    canonical = load_transcript(path, side="canonical")
    assert symbols_by_utterance(canonical) == {"u": CANONICAL}
    assert canonical.symbols == tuple(dict.fromkeys(CANONICAL))
    assert canonical.notes[0].startswith('of labels "canonical,perceived,type" (4, first IY1')
    assert canonical.notes[0].endswith("what should be said is read")
    assert canonical.start is None or len(canonical.start) == len(CANONICAL)


def test_times_stay_with_their_labels(tmp_path: Path) -> None:
    times = [(n, n + 1) for n, label in enumerate(LABELS) if label != "L,sil,d"]
    assert times_of(load_transcript(write(tmp_path / "u.ctm", TEXTS["u.ctm"]))) == times
    assert symbols_by_utterance(read_data({"u": LABELS}, "gold", {}).content) == {"u": PERCEIVED}


@pytest.mark.parametrize(
    "phones",
    [
        "k,a,s p,a,s",  # phones between commas
        "T,AA,d AA K",  # a deletion of which something was perceived
        "sil,K,s AA K",
    ],
)
def test_other_commas_are_left_alone(tmp_path: Path, phones: str) -> None:
    read = load_transcript(write(tmp_path / "x.tsv", f"utterance\tphones\nu\t{phones}\n"))
    assert (symbols_by_utterance(read), read.notes) == ({"u": phones.split()}, ())


@pytest.mark.parametrize(
    ("row", "symbols"),
    [
        *((f"{a}k{b} {a}a{b} {a}k{b}", ("k", "a")) for a, b in ("''", "‘’", "«»")),
        ("'k' 'k'", ("'k'",)),  # one symbol may be an ejective with stress
        ("'k' 'a t'", ("'k'", "'a", "t'")),
    ],
)
def test_quotation_marks_around_every_phone_are_left_out(row: str, symbols: tuple[str, ...], tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.trn", f"{row} (u1)\n"))
    assert read.symbols == symbols
    assert any("each phone stands in quotation marks" in note for note in read.notes) == (symbols == ("k", "a"))
