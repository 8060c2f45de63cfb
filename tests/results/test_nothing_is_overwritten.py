"""No command writes over a file that it did not write: each is given a place that holds something of the user's."""

import os
import shutil
from pathlib import Path

import pytest
from running import command

GOLD, PREDICTED = "english/gold.tsv", "english/predicted.tsv"
Try = tuple[str, ...]


def content(folder: Path) -> dict[str, bytes]:
    """Return each file below a folder with its bytes, and each link with where it leads."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[path.relative_to(folder).as_posix()] = os.fsencode(path.readlink())
        elif path.is_file():
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


@pytest.fixture(scope="module")
def made(small_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, results (with a note of the user's) that hold inputs of theirs, a comparison, a score, posteriors."""
    folder = tmp_path_factory.mktemp("made") / "all"
    shutil.copytree(small_run, folder)
    assert command_in(folder, "report", "results", "--figures", "rates")[0] == 0  # quick to draw again
    (folder / "results" / "paper" / "note.txt").write_text("mine", encoding="utf-8")
    (folder / "link to data").symlink_to("english")
    (folder / "link to posteriors.npz").symlink_to("english/posteriors.npz")
    (folder / "link to a result.tsv").symlink_to("results/speakers.tsv")
    (folder / "link to nothing").symlink_to("gone")
    shutil.copytree(folder / "results", folder / "other")
    for words in (
        ("compare", "results", "other", "-o", "comparison", "--allow-different"),
        ("score", GOLD, PREDICTED, "--symbols", "ipa,arpabet", "-o", "scored"),
    ):
        assert command_in(folder, *words)[0] == 0
    return folder


def command_in(folder: Path, *words: str) -> tuple[int, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return command(*words)


RUN = ("run", "small.yaml", "-o")
SCORE = ("score", GOLD, PREDICTED, "--symbols", "ipa,arpabet", "-o")
COMPARE = ("compare", "results", "other", "-o")
DECODE = ("decode", "english/posteriors.npz", "--symbols", "arpabet", "-o")
TRIES: tuple[Try, ...] = (
    *(
        (*words, place)
        for words in (RUN, SCORE, COMPARE)
        for place in ("english", "link to nothing", "english/gold.tsv")
    ),
    *((*RUN, place) for place in (".", "small.yaml", "link to data", "comparison", "scored")),
    *((*words, "results") for words in (SCORE, COMPARE)),
    (*RUN, "results", "--set", "corpora.english.speakers.path=link to a result.tsv"),
    (*RUN, "results", "--set", "corpora.english.gold.path=other/../results/alignments.tsv"),
    ("score", "scored/alignments.tsv", PREDICTED, "--symbols", "ipa,arpabet", "-o", "scored"),
    *((*DECODE, place) for place in (GOLD, "link to posteriors.npz", "link to nothing", "results")),
    ("init", "."),
)


@pytest.mark.parametrize("words", TRIES, ids=" ".join)
def test_what_is_the_users_is_refused_and_stays(made: Path, words: Try) -> None:
    if words[0] == "init":
        shutil.copyfile(made / "small.yaml", made / "experiment.yaml")
    before = content(made)
    code, said = command_in(made, *words)
    assert code in {1, 2}, said
    assert content(made) == before


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy", symlinks=True))


AGAIN: dict[str, tuple[str, ...]] = {
    "report": ("report", "results", "--figures", "rates"),
    "compare": (*COMPARE, "comparison", "--allow-different"),
    "score": (*SCORE, "scored"),
}


@pytest.mark.parametrize("name", AGAIN)
def test_what_a_user_put_among_results_stays_when_they_are_written_again(copy: Path, name: str) -> None:
    folder = copy / {"report": "results", "compare": "comparison", "score": "scored"}[name]
    before = content(folder)
    (folder / "notes").mkdir()
    for file in ("notes/mine.tsv", "mine.txt"):
        (folder / file).write_text("mine", encoding="utf-8")
    code, said = command_in(copy, *AGAIN[name])
    assert code == 0, said
    after = content(folder)
    assert (after.pop("notes/mine.tsv"), after.pop("mine.txt")) == (b"mine", b"mine")
    assert after.keys() == before.keys()
