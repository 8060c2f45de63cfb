"""Formats of lines: Kaldi's, NIST's, TIMIT's, HTK's, CHAT, and phones with times of other tools."""

from pathlib import Path

import pylangacq
import pytest
from support import error_of, refusal, symbols_by_utterance, times_of, write

import phonxling as px
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.single import load_corpus
from phonxling.load.formats import guess_format, load_transcript

MLF = """\
#!MLF!#
"*/fcjf0_sa1.lab"
0 1000000 h#
1000000 2500000 sh -41.5
.
"/data/out/u2.rec"
ix
n
.
"*/u3.lab"
.
"""
CHAT = """\
@UTF8
@Begin
@Languages:\teng
@ID:\teng|made|CHI|2;06.||||Target_Child|||
@ID:\teng|made|MOT|||||Mother|||
*CHI:\tthe dog . \x150_1500\x15
%mod:\tðə dɔɡ
%pho:\tdə dɔ
\tdɔ
*MOT:\tyes .
*CHI:\tcat .
%pho:\ttæ
%mod:\tkæt
%com:\tpoints at it
@End
"""
MFA = """Begin,End,Label,Type,Speaker
0.0,0.5,"hello, you",words,anna
0.0,0.125,h,phones,anna
0.125,0.5,ə,phones,anna
"""

FAULTS = [
    ("x.ctm", "u1 1 0 1\n", ":1: a CTM line is: utterance channel start duration phone [confidence]; found: u1 1 0 1"),
    ("x.ctm", ";; x\nu1 1 zero 1 a\n", ":2: not numbers: zero 1"),
    ("x.ctm", "u1 1 0 1 a nan\n", ":1: a duration must be ≥ 0 and a confidence lie in 0 … 1"),
    ("x.ctm", "u1 A 0 1 a\nu1 B 0 1 b\n", ":2: utterance 'u1' has the channels A and B"),
    ("x.ctm", "u1 1 0 1 a 0.5\nu1 1 1 1 b\n", ": 1 of 2 intervals have a confidence; give all or none"),
    ("x.stm", "u1 1 x 0 1 a\nu1 2 y 0 1 b\n", ":2: utterance 'u1-0000000-0000100' occurs again (first at line 1)"),
    ("x.stm", "u1 1 x 0 1 IGNORE_TIME_SEGMENT_IN_SCORING\n", ":1: a segment that is left out of scoring"),
    ("x.txt", "i am a sentence\nu1 a b\n", "a line is an id and its phones (kaldi-text), or phones alone, in the orde"),
    ("x.phn", "0 1 a\n-1 160 a\n", ":2: a .phn line is: start end label, in samples; found: -1 160 a"),
    ("x.phn", "0 1 a\n32000 16000 a\n", ":2: an interval must not end (1) before it starts (2)"),
    ("x.lab", "0 100 a\nb\n", ":2: times are whole numbers of 100 ns, start end label; found: b. Seconds belong into"),
    ("x.lab", "0 100 a\n///\n0 100 b\n", ":2: alternatives (///) are not read"),
    ("x.mlf", "", ":1: a master label file begins with #!MLF!#"),
    ("x.mlf", "#!MLF!#\na\n.\n", ":2: here stands the quoted name of a label file"),
    ("x.mlf", '#!MLF!#\n"*/u1.lab"\na\n', ":2: the entry that begins here does not end with a full stop"),
    ("x.mlf", '#!MLF!#\n"*/u*.lab"\na\n.\n', ':2: the name "*/u*.lab" stands for many files'),
    ("x.mlf", MLF, ": 2 of 4 phones have times; give all or none"),
    ("x.cha", CHAT.removesuffix("@End\n"), ":14: a CHAT file ends with @End; this one has been cut off"),
    ("x.cha", CHAT.replace("%mod", "%pho"), ":8: the utterance has a second tier %pho"),
    ("x.csv", MFA + "0.5,1,k,phones,ben\n", ":5: utterance 'x' has the speakers 'anna' and 'ben'"),
    ("x.align", "#file onset offset #phone\nf1 0.0 0.25 a\n", "looks like ZeroSpeech's list of phones: write"),
    ("x", "0.210 0.045 æ (0.577) ɛ (0.128)\n", "allosaurus with several phones for each place: run it without --topk"),
]


@pytest.mark.parametrize(("name", "text", "complaint"), FAULTS)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    said = refusal(load_transcript, write(tmp_path / name, text))
    assert said.startswith(complaint) if complaint[0] == ":" else complaint in said


def test_ctm_with_confidence_comments_and_equal_start_times(tmp_path: Path) -> None:
    lines = ";; made by hand\nu1 1 0.50 0.25 b 0.75\nu1 1 0.50 0.00 a 1\n  ;; more\n\nu2\tA\t0\t0.5\tc\t0\n"
    path = write(tmp_path / "out.ctm", lines)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u1": ["b", "a"], "u2": ["c"]}
    assert times_of(read) == [(0.5, 0.75), (0.5, 0.5), (0, 0.5)]
    assert (read.confidence.tolist(), read.speakers) == ([0.75, 1.0, 0.0], None)
    assert read.places == (f"{path}:2", f"{path}:3", f"{path}:6")
    read = load_transcript(write(tmp_path / "out.ctm", "u1 1 0.5 0.5 b\r\nu1 1 0.25 0.25 nan\r\n"))
    assert (symbols_by_utterance(read), read.confidence) == ({"u1": ["nan", "b"]}, None)  # in the order of time


@pytest.mark.parametrize(
    ("labels", "symbols"), [("<O>", ("a",)), ("<o,f0,male>", ("a",)), ("<,F>", ("a",)), ("<sil>", ("<sil>", "a"))]
)
def test_stm_labels_are_ids_of_categories_and_no_symbols(labels: str, symbols: tuple[str, ...], tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.stm", f"u1 1 spk 0 1 {labels} a\n"))
    assert read.symbols == symbols


def test_stm_with_labels_without_and_segments_of_one_recording(tmp_path: Path) -> None:
    lines = ";; x\nu1 1 anna 0.0 1.5 <o,f0,female> a b\nu2 1 ben 0 1 a < c\nu3 1 ben 1 2\nu4 1 ben 1 2 <o,f0,male>\n"
    read = load_transcript(write(tmp_path / "gold.stm", lines))
    assert symbols_by_utterance(read) == {"u1": ["a", "b"], "u2": ["a", "<", "c"], "u3": [], "u4": []}
    assert read.speakers == ("anna", "ben", "ben", "ben")
    lines = "talk 1 anna 12.345 15 a b\ntalk 1 ben 15 16.5 c\nalone 1 cleo 0 1 d\n"
    read = load_transcript(write(tmp_path / "gold.stm", lines))
    assert symbols_by_utterance(read) == {
        "talk-0001234-0001500": ["a", "b"],
        "talk-0001500-0001650": ["c"],
        "alone": ["d"],
    }
    assert read.speakers == ("anna", "ben", "cleo")


def test_trn_with_brackets_among_the_phones(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "gold.trn", "a x( b (anna-1)\n(ben_2)\nc(u3)  \r\n"))
    assert symbols_by_utterance(read) == {"anna-1": ["a", "x(", "b"], "ben_2": [], "u3": ["c"]}


_OPEN = "alternatives ({ a / b } or <ALT>) are not read here"


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("a.trn", "a (u0)\nk { a / ɑ } t (u1)\n{ i / @ } (u2)\n", f":2: {_OPEN}, nor in 1 more line; write one of"),
        ("a.stm", "u1 1 x 0 1 <o,f0> a { / b }\n", f":1: {_OPEN}; write"),
        ("a.ctm", "u1 1 * * <ALT_BEGIN>\nu1 1 0 1 a\nu1 1 * * <ALT>\n", f":1: {_OPEN}, nor in 1 more line"),
    ],
)
def test_what_nists_scorer_leaves_open_is_refused(tmp_path: Path, name: str, lines: str, message: str) -> None:
    assert refusal(load_transcript, write(tmp_path / name, lines)).startswith(message)


def test_braces_of_x_sampa_are_no_alternatives(tmp_path: Path) -> None:
    read = load_transcript(write(tmp_path / "a.trn", "k { t @ } / { (u1)\n"))
    assert read.symbols == ("k", "{", "t", "@", "}", "/")


def test_formats_without_columns_refuse_names_for_them(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ctm", "u1 1 0 1 a\n")
    for wrong, options in (("columns", {"columns": {"utterance": "id"}}), ("tier", {"tier": "phones"})):
        with pytest.raises(ConfigurationError, match=f"`{wrong}` is for the formats "):
            load_transcript(path, **options)


def test_kaldis_text_is_an_id_then_phones(tmp_path: Path) -> None:
    path = write(tmp_path / "test" / "text", "anna-1 a  k͡p\nben_2\ncleo\tb NA\n")
    expected = {"anna-1": ["a", "k͡p"], "ben_2": [], "cleo": ["b", "NA"]}
    write(tmp_path / "test" / "wav.scp", "anna-1 a.wav\n")
    for read in (load_transcript(path), load_transcript(path.parent), load_transcript(path, "kaldi-text")):
        assert symbols_by_utterance(read) == expected


@pytest.mark.parametrize("text", ["a b\n\nc\n", "a b\r\n\r\nc\r\n", "\ufeffa b\n\nc", "a b\r\rc\r"])
def test_a_line_an_utterance(tmp_path: Path, text: str) -> None:
    read = load_transcript(write(tmp_path / "ref.txt", text), "lines")
    assert symbols_by_utterance(read) == {"1-of-3": ["a", "b"], "2-of-3": [], "3-of-3": ["c"]}
    assert "holds no utterance" in refusal(load_transcript, write(tmp_path / "empty.txt", ""), "lines")


def test_files_of_as_many_lines_pair(tmp_path: Path) -> None:
    gold, predicted = write(tmp_path / "ref.txt", "a b\nb\n"), write(tmp_path / "hyp.txt", "a p\n\n")
    corpus = px.load_corpus(gold, predicted, format="lines")
    assert corpus.gold.utterances == corpus.predicted.utterances == ("1-of-2", "2-of-2")
    longer = write(tmp_path / "long.txt", "a p\n\nb\n")
    message = error_of(DataError, px.load_corpus, gold, longer, format="lines", allow_unpaired=0.5)
    pairing = "Files without ids pair line by line: find the line that one lacks."
    assert message.endswith(f"{gold} has 2 lines, {longer} 3. {pairing}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, ["a", "k͡p", "1"]) for text in ("a k͡p 1\n", "a\nk͡p\n1\n", "a k͡p\n1")),
        ("", []),
        ("\\311\\233\\314\\203 r\\ \\377 a\\123\n", ["ɛ̃", "r\\", "\\377", "a\\123"]),  # octal bytes are letters
    ],
)
def test_labels_without_times_are_plain_text(tmp_path: Path, text: str, expected: list[str]) -> None:
    read = load_transcript(write(tmp_path / "u1.lab", text))
    assert (symbols_by_utterance(read), read.start) == ({"u1": expected}, None)


def test_a_master_label_file(tmp_path: Path) -> None:
    timed, plain = MLF.split('"/data', 1)
    read = load_transcript(write(tmp_path / "all.mlf", timed))
    assert symbols_by_utterance(read) == {"fcjf0_sa1": ["h#", "sh"]}
    assert times_of(read) == [(0, 0.1), (0.1, 0.25)]
    read = load_transcript(write(tmp_path / "plain.mlf", '#!MLF!#\n"/data' + plain))
    assert (symbols_by_utterance(read), read.start) == ({"u2": ["ix", "n"], "u3": []}, None)


def test_a_folder_as_timits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "timit [v2]"  # looks like a glob
    write(folder / "dr1" / "fcjf0" / "sa1.phn", "0 8000 h#\n8000 16000 sh\n")
    write(folder / "dr1" / "mdab0" / "sa1.PHN", "0 160 iy\n")
    read = load_transcript(folder)
    assert symbols_by_utterance(read) == {"dr1_fcjf0_sa1": ["h#", "sh"], "dr1_mdab0_sa1": ["iy"]}
    assert times_of(read) == [(0, 0.5), (0.5, 1), (0, 0.01)]
    assert read.speakers == ("fcjf0", "mdab0")
    monkeypatch.chdir(folder / "dr1" / "fcjf0")
    assert load_transcript(Path("*.phn")).utterances == load_transcript(Path("sa1.phn")).utterances == ("sa1",)
    assert load_transcript(Path("*.phn")).speakers is None  # files side by side


def test_a_folder_or_glob_without_files_and_two_files_of_one_id(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "x")
    said = refusal(load_transcript, tmp_path)
    assert said.startswith(": the folder holds no file with a known ending; looked for ")
    assert "*.phn" in said
    remedy = f"; give a glob for other endings, such as '{tmp_path}/**/*.txt', and a format:"
    assert said.endswith(f"*.tsv{remedy} (--format) if their lines do not show it")
    assert refusal(load_transcript, tmp_path, "phn").startswith(f": holds no *.phn file{remedy}")
    assert load_transcript(tmp_path / "**/*.txt", "lab").utterances == ("notes",)
    assert refusal(load_transcript, tmp_path / "*.phn") == ": no such file (nothing matches the pattern)"
    write(tmp_path / "a_b.phn", "0 1 a\n")
    write(tmp_path / "a" / "b.phn", "0 1 a\n")
    assert "would both be the utterance 'a_b'" in refusal(load_transcript, tmp_path)


def test_the_tier_of_what_a_child_said_unless_another_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "anna.cha", CHAT)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"anna-1": ["də", "dɔ", "dɔ"], "anna-3": ["tæ"]}
    assert (read.speakers, read.start, read.places[0]) == (("anna_CHI", "anna_CHI"), None, f"{path}:8")
    for name in ("mod", "%mod", "m?d"):
        assert symbols_by_utterance(load_transcript(path, tier=name)) == {"anna-1": ["ðə", "dɔɡ"], "anna-3": ["kæt"]}
    for tier in ("pho", "mod"):
        tiers = [each.tiers.get(f"%{tier}") for each in pylangacq.read_chat(str(path)).utterances()]
        expected = {f"anna-{place}": text.split() for place, text in enumerate(tiers, start=1) if text is not None}
        assert symbols_by_utterance(load_transcript(path, tier=tier)) == expected
    corpus = load_corpus(path, path, symbols=("raw", "raw"), tier=("mod", "pho"))
    assert corpus.utterances == ("anna-1", "anna-3")


def test_the_aligners_csv_is_an_utterance_a_file(tmp_path: Path) -> None:
    path = tmp_path / "anna"
    write(path / "u1.csv", MFA.replace("\n", "\r\n"))
    write(path / "u2.csv", "\n".join(MFA.splitlines()[:2]))
    assert guess_format(path) == guess_format(path / "u1.csv") == guess_format(path / "*.csv") == "mfa-csv"
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"u1": ["h", "ə"], "u2": []}
    assert (times_of(read), read.speakers) == ([(0, 0.125), (0.125, 0.5)], ("anna", "anna"))


def test_allosaurus(tmp_path: Path) -> None:
    path = write(tmp_path / "u1.txt", "0.210 0.045 æ\n0.390 0.045 l\n")
    assert symbols_by_utterance(load_transcript(path)) == {"u1": ["æ", "l"]}
    assert times_of(load_transcript(path)) == [(0.21, 0.21 + 0.045), (0.39, 0.39 + 0.045)]
    write(tmp_path / "u2.txt", "")
    assert symbols_by_utterance(load_transcript(tmp_path, "allosaurus")) == {"u1": ["æ", "l"], "u2": []}
    whole = write(
        tmp_path / "of_a_folder.out", "#u1.wav\n0.210 0.045 æ\n0.390 0.045 l\n#u2.wav\n\n#u3.wav\n0.1 0.045 æ\n"
    )
    assert guess_format(whole) == "allosaurus"
    read = load_transcript(whole)
    assert symbols_by_utterance(read) == {"u1.wav": ["æ", "l"], "u2.wav": [], "u3.wav": ["æ"]}
    assert times_of(read)[-1] == (0.1, 0.1 + 0.045)
