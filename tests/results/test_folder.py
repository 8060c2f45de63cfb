"""A folder of results: whole or as it was, and nothing in it is lost that a manifest does not name."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running import python

import phonxling as px
from phonxling.core.files import digest
from phonxling.results.folder import check_folder, guard_reading, lock_folder, replace_folder, write_manifest

WRITTEN = {"summary.tsv": "new", "yoruba/phones.tsv": "new", "figures/map.pdf": "new"}


def write_results(folder: Path, files: dict[str, str], inputs: tuple[Path, ...] = ()) -> None:
    """Write results of these files, as a run does."""
    with lock_folder(folder, print, inputs=inputs), replace_folder(folder) as new:
        for name, text in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_text(text, encoding="utf-8")
        named = {name: digest(new / name) for name in files}
        write_manifest(new, {"phonxling": "1", "inputs": {}, "libraries": {}}, named)


def content(folder: Path) -> dict[str, str]:
    """Return the files below a folder but the manifest, with their texts; of a link, where it leads."""
    files = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    texts = {path: str(path.readlink()) if path.is_symlink() else path.read_text(encoding="utf-8") for path in files}
    return {path.relative_to(folder).as_posix(): text for path, text in texts.items() if path.name != "manifest.json"}


def earlier_results(tmp_path: Path) -> Path:
    """Return a folder of earlier results, to which a user has added files, folders and a link."""
    folder = tmp_path / "out"
    write_results(folder, {"summary.tsv": "old", "swahili/phones.tsv": "old", "figures/map.pdf": "old"})
    for name in ("notes.txt", "swahili/mine.tsv", "figures/drawn by me.pdf", "own/deep/x"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine", encoding="utf-8")
    (folder / "empty").mkdir()
    (folder / "to the data").symlink_to(tmp_path)
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return earlier_results(tmp_path)


THEIRS = {"notes.txt": "mine", "swahili/mine.tsv": "mine", "figures/drawn by me.pdf": "mine", "own/deep/x": "mine"}


def test_results_take_the_place_of_earlier_ones_and_what_a_user_added_stays(out: Path) -> None:
    write_results(out, WRITTEN)
    assert content(out) == {**WRITTEN, **THEIRS, "to the data": str(out.parent)}
    assert (out / "empty").is_dir()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_what_fails_leaves_everything_as_it_was(out: Path) -> None:
    before = content(out)
    with pytest.raises(TypeError):
        write_results(out, {"summary.tsv": "half", "figures/map.pdf": None})  # type: ignore[dict-item]
    assert content(out) == before
    with pytest.raises(px.DataError, match="bad"), lock_folder(out.parent / "a" / "b" / "new", print):
        raise px.DataError("bad data")
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("yoruba/phones.tsv", False),
        ("yoruba", False),
        ("figures/map.pdf", True),
        ("figures", True),
        ("tones.tsv", False),
    ],
)
def test_a_file_of_the_user_with_the_name_of_a_result_is_never_replaced(out: Path, name: str, *, link: bool) -> None:
    """Also where a link replaced an earlier result, or a folder, and of a table that these results do not have."""
    path = out / name
    path.parent.mkdir(exist_ok=True)
    if link:
        if path.exists():
            path.rename(out.parent / "elsewhere")
        path.symlink_to(out.parent / "elsewhere")
    else:
        path.write_text("mine", encoding="utf-8")
    before = content(out.parent)
    with pytest.raises(px.DataError, match=f"have the names of results:\n  {name}"):
        write_results(out, WRITTEN)
    assert content(out.parent) == before


@pytest.mark.parametrize("name", ["../outside", "figures/../../outside", "/outside"])
def test_names_that_lead_out_of_a_folder_are_nobodys(out: Path, name: str) -> None:
    outside = out.parent / "outside"
    outside.write_text("mine", encoding="utf-8")
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    manifest["outputs"][name.replace("/outside", str(outside)) if name[0] == "/" else name] = "0"
    (out / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    write_results(out, WRITTEN)
    assert outside.read_text(encoding="utf-8") == "mine"
    assert content(out).items() >= THEIRS.items()


def test_an_input_that_is_a_result_there_is_refused(out: Path) -> None:
    link = out.parent / "link.tsv"
    link.symlink_to(out / "swahili" / "phones.tsv")
    before = content(out)
    for given in (out / "figures" / ".." / "swahili" / "phones.tsv", link):
        with pytest.raises(px.ConfigurationError, match=r"would be replaced:\n .*swahili/phones\.tsv"):
            write_results(out, WRITTEN, (given,))
    assert content(out) == before
    write_results(out, WRITTEN, (out / "swahili" / "mine.tsv",))  # which stays


def test_what_is_no_place_for_results_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "own" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "own" / "below")
    refused = {
        "file": "is a file",
        "nowhere": "leads nowhere",
        "own": r"holds files that are not results \(below\)",
        "own/below": "you stand in it",
    }
    for name, why in refused.items():
        with pytest.raises(px.ConfigurationError, match=why):
            check_folder(tmp_path / name)
    monkeypatch.chdir("/")
    monkeypatch.setattr(Path, "is_mount", lambda _: True)
    with pytest.raises(px.ConfigurationError, match="is a disk of its own"):
        check_folder(tmp_path / "own" / "below")


KILLED = """
import os, signal, sys
sys.path[:0] = sys.argv[3:]
from pathlib import Path
from test_folder import WRITTEN, write_results

left = int(sys.argv[2])


def count(event, _):
    global left
    if event in {"os.rename", "os.remove", "os.rmdir"}:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(count)
write_results(Path(sys.argv[1]), WRITTEN)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
def test_killed_at_any_change_of_the_disk_nothing_is_lost(tmp_path: Path) -> None:
    """What is read afterwards is the earlier results or the new ones, whole, with all that is the user's."""
    made: list[str] = []
    for number in range(1, 40):
        folder = tmp_path / str(number)
        folder.mkdir()
        earlier = content(earlier_results(folder))
        done = python("-c", KILLED, str(folder / "out"), str(number), *map(str, Path(__file__).parents[:2]))
        with guard_reading(folder / "out"):
            found = content(folder / "out")
        made.append("new" if found["summary.tsv"] == "new" else "old")
        theirs = {**THEIRS, "to the data": str(folder)}
        assert found == ({**WRITTEN, **theirs} if made[-1] == "new" else earlier), number
        assert (folder / "out" / "empty").is_dir()
        write_results(folder / "out", WRITTEN)
        assert content(folder / "out") == {**WRITTEN, **theirs}
        assert [path.name for path in folder.iterdir()] == ["out"]
        if done.returncode == 0:
            break
    assert done.returncode == 0
    assert {"old", "new"} == {*made}
    assert len(made) > 10


HOLD = """
import sys, time
from pathlib import Path
from phonxling.results.folder import lock_folder
with lock_folder(Path(sys.argv[1]), print):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_is_refused_until_the_first_ends_or_is_killed(out: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ourselves
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        for begin in (lambda: lock_folder(out, print), lambda: guard_reading(out)):
            with pytest.raises(px.DataError, match="another run is writing there"), begin():
                pass
        process.send_signal(signal.SIGKILL)
    with guard_reading(out):
        pass
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_results_that_are_replaced_while_they_are_read_are_refused(out: Path) -> None:
    with pytest.raises(px.DataError, match="another run wrote there while it was read"), guard_reading(out):
        write_results(out, WRITTEN)
