"""CHAT: phones on dependent tiers; pylangacq reads the same."""

from pathlib import Path

import pylangacq
import pytest
from support import symbols_by_utterance, write

from phonxling.core.errors import DataError
from phonxling.experiment.loading import load_corpus
from phonxling.load.formats import guess_format, load_transcript

CHAT = """\
@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Anna Target_Child, MOT Mother
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


def test_the_tier_of_what_was_said_unless_another_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "anna.cha", CHAT)
    read = load_transcript(path)
    assert symbols_by_utterance(read) == {"anna-1": ["də", "dɔ", "dɔ"], "anna-3": ["tæ"]}
    assert read.speakers == ("anna_CHI", "anna_CHI")
    assert read.start is None
    assert read.places[0] == f"{path}:9"
    for name in ("mod", "%mod", "m?d"):
        assert symbols_by_utterance(load_transcript(path, tier=name)) == {"anna-1": ["ðə", "dɔɡ"], "anna-3": ["kæt"]}
    assert guess_format(path.rename(tmp_path / "anna")) == "cha"


@pytest.mark.parametrize("tier", ["pho", "mod"])
def test_pylangacq_reads_the_same(tmp_path: Path, tier: str) -> None:
    path = write(tmp_path / "anna.cha", CHAT)
    tiers = [each.tiers.get(f"%{tier}") for each in pylangacq.read_chat(str(path)).utterances()]
    expected = {f"anna-{place}": text.split() for place, text in enumerate(tiers, start=1) if text is not None}
    assert symbols_by_utterance(load_transcript(path, tier=tier)) == expected


def test_model_and_actual_pair(tmp_path: Path) -> None:
    path = write(tmp_path / "anna.cha", CHAT)
    corpus = load_corpus(path, path, symbols=("raw", "raw"), tier=("mod", "pho"))
    assert corpus.utterances == ("anna-1", "anna-3")
    assert corpus.speakers == ("anna_CHI", "anna_CHI")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ":1: a CHAT file begins with @UTF8"),
        (CHAT.removeprefix("@UTF8\n@Begin\n"), ":1: a CHAT file begins with @UTF8"),
        (CHAT.removesuffix("@End\n"), ":15: a CHAT file ends with @End; this one has been cut off"),
        (CHAT.replace("%mod", "%pho"), ":9: the utterance has a second tier %pho"),
        (CHAT.replace("%pho", "%xpho"), ": has no tier 'pho'; choose one with tier: (--tier), by name or glob: 'mod',"),
        ("@UTF8\n@Begin\n*CHI:\tyes .\n@End\n", ": has no tier"),
    ],
)
def test_what_is_wrong_with_a_chat_file(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "anna.cha", text)
    with pytest.raises(DataError) as caught:
        load_transcript(path)
    assert str(caught.value).startswith(str(path) + complaint)
