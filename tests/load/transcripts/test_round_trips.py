"""Corpora made by hypothesis, written in every format and read again: nothing is lost, added or moved."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st
from support import symbols_by_utterance, write

from phonxling.load.formats import load_transcript

LETTERS = ["a", "ɛ̃́", "k͡p", "NA", "nan", "'x", '"', "1", "é", "e\u0301", "ɡ", "∅", "h#", "<eps>", ",", "a\u200db"]
IDS = st.text(st.sampled_from("abU019_-é"), min_size=1, max_size=6)
CORPORA = st.dictionaries(IDS, st.lists(st.sampled_from(LETTERS), max_size=6), min_size=1, max_size=6)
Corpus = dict[str, list[str]]
UTTERANCES_EACH = 25


LINES = {
    "x.tsv": ("utterance\tphones\n", "{}\t{}\n"),
    "x.csv": ("utterance,phones\n", '{},"{}"\n'),
    "x.trn": ("", "{1} ({0})\n"),
    "x.stm": ("", "{} 1 anna 0 1 <o,f0,f> {}\n"),
    "x.mlf": ("#!MLF!#\n", '"*/{}.lab"\n{}.\n'),
    "text": ("", "{} {}\n"),
}


def text_of(name: str, corpus: Corpus) -> str:
    """Return a corpus as a file of this name."""
    head, line = LINES[name]
    if name == "x.mlf":
        return head + "".join(line.format(utt, "".join(f"{phone}\n" for phone in row)) for utt, row in corpus.items())
    rows = {utt: " ".join(row).replace('"', '""' if name == "x.csv" else '"') for utt, row in corpus.items()}
    return head + "".join(line.format(*row) for row in rows.items())


@pytest.mark.parametrize("name", LINES)
@settings(max_examples=UTTERANCES_EACH, deadline=None)
@given(corpus=CORPORA)
def test_utterances_come_back(name: str, corpus: Corpus) -> None:
    with TemporaryDirectory() as folder:
        read = load_transcript(write(Path(folder) / name, text_of(name, corpus)))
    assert symbols_by_utterance(read) == corpus
    assert read.utterances == tuple(corpus)
    assert len(read.symbols) == len(set(read.symbols)) == len(read.places)


INTERVALS = st.lists(
    st.tuples(st.sampled_from(LETTERS), st.integers(0, 99), st.integers(0, 9), st.floats(0, 1)), min_size=1, max_size=5
)


@settings(max_examples=UTTERANCES_EACH, deadline=None)
@given(corpus=st.dictionaries(IDS, INTERVALS, min_size=1, max_size=5))
def test_intervals_come_back_with_times_and_confidences(corpus: dict[str, list[tuple[str, int, int, float]]]) -> None:
    rows = [(name, *interval) for name, intervals in corpus.items() for interval in intervals]
    tsv = [
        f"{name}\t{start / 4}\t{(start + length) / 4}\t{phone}\t{score!r}" for name, phone, start, length, score in rows
    ]
    ctm = [f"{name} 1 {start / 4} {length / 4} {phone} {score!r}" for name, phone, start, length, score in rows]
    with TemporaryDirectory() as folder:
        table = write(Path(folder) / "x.tsv", "\n".join(["utterance\tstart\tend\tphone\tconfidence", *tsv]))
        reads = [load_transcript(table), load_transcript(write(Path(folder) / "x.ctm", "\n".join(ctm)))]
    corpus = {name: sorted(each, key=lambda interval: interval[1]) for name, each in corpus.items()}
    rows = [(name, *interval) for name, intervals in corpus.items() for interval in intervals]
    for read in reads:
        assert symbols_by_utterance(read) == {name: [interval[0] for interval in each] for name, each in corpus.items()}
        assert read.start.tolist() == [row[2] / 4 for row in rows]
        assert read.end.tolist() == [(row[2] + row[3]) / 4 for row in rows]
        assert read.confidence.tolist() == [row[4] for row in rows]


@pytest.mark.parametrize(("ending", "second"), [("phn", 16_000), ("lab", 10_000_000)])
@settings(max_examples=UTTERANCES_EACH, deadline=None)
@given(corpus=CORPORA)
def test_files_of_one_utterance_come_back(ending: str, second: int, corpus: Corpus) -> None:
    with TemporaryDirectory() as folder:
        for name, phones in corpus.items():
            lines = [f"{second * place} {second * (place + 1)} {phone}" for place, phone in enumerate(phones)]
            write(Path(folder) / "all" / f"{name}.{ending}", "\n".join(lines))
        read = load_transcript(Path(folder) / "all")
    assert symbols_by_utterance(read) == corpus
    assert read.utterances == tuple(sorted(corpus))
    if any(corpus.values()):
        assert read.end.tolist() == [place + 1 for name in sorted(corpus) for place in range(len(corpus[name]))]
