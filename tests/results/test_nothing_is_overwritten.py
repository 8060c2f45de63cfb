"""No command writes over a file that it did not write: each is given a place that holds something of the user's."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
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
    (folder / "SMALL.YAML").write_text("mine", encoding="utf-8")
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
    *((*words, place) for words in (RUN, SCORE, COMPARE) for place in ("english", ".", "small.yaml", "link to data")),
    *((*words, place) for words in (RUN, SCORE, COMPARE) for place in ("link to nothing", "english/gold.tsv")),
    *((*words, place) for words in (RUN, SCORE) for place in ("comparison", "english/../english")),
    *((*words, "results") for words in (SCORE, COMPARE)),
    (*RUN, "scored"),
    (*COMPARE, "scored"),
    (*RUN, "results", "--set", "corpora.english.speakers.path=results/speakers.tsv"),
    (*RUN, "results", "--set", "corpora.english.speakers.path=link to a result.tsv"),
    (*RUN, "results", "--set", "corpora.english.gold.path=other/../results/alignments.tsv"),
    ("score", "scored/alignments.tsv", PREDICTED, "--symbols", "ipa,arpabet", "-o", "scored"),
    *((*DECODE, place) for place in (GOLD, "link to posteriors.npz", "link to nothing", "results", "SMALL.YAML")),
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


def test_other_letters_in_a_name_are_the_same_file_where_the_file_system_says_so(made: Path) -> None:
    before = content(made)
    code, _ = command_in(made, *DECODE, GOLD.upper())
    assert (code == 0) == (not (made / GOLD.upper()).exists() or not (made / GOLD.upper()).samefile(made / GOLD))
    assert content(made).items() >= before.items()


def test_a_folder_of_figures_that_became_a_link_is_not_written_into(made: Path, tmp_path: Path) -> None:
    results = Path(shutil.copytree(made / "results", tmp_path / "results"))
    (results / "figures").rename(tmp_path / "elsewhere")
    (results / "figures").symlink_to(tmp_path / "elsewhere")
    before = content(tmp_path)
    code, said = command("report", results, "--figures", "rates")
    assert code == 1
    assert "have the names of results:\n  figures" in said
    assert content(tmp_path) == before


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


def test_what_is_decoded_again_may_have_its_own_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", phones=np.array(["a", "b"]), frame_shift_s=0.01, u=np.eye(2).repeat(4, axis=0))
    decode: Callable[[], int] = lambda: command_in(tmp_path, "decode", "p.npz", "-o", "decoded.tsv")[0]  # noqa: E731
    assert (decode(), decode()) == (0, 0)
    (tmp_path / "decoded.tsv").write_text("mine", encoding="utf-8")
    assert decode() == 2
    assert (tmp_path / "decoded.tsv").read_text(encoding="utf-8") == "mine"
