"""Copies of what addresses stand for, from an object store and a web server on loopback and from memory."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import fsspec
import pytest
from object_store import Store, Web
from support import write

from phonxling.core.errors import DataError
from phonxling.load.formats import load_transcript
from phonxling.load.remote.copies import Copies
from phonxling.load.remote.fetching import LocalCopies
from phonxling.load.remote.listing import Wanted
from phonxling.load.remote.wanted import TABLE, posteriors, transcripts

_BUCKETS = (f"copies-{number}" for number in count())


@dataclass(frozen=True)
class Fetched:
    """What is read instead of a URL, the folder of copies and what they are copies of, and how many bytes came."""

    path: Path
    folder: Path
    copies: Copies
    bytes: int


def fetch(url: str, folder: Path, wanted: Wanted = TABLE, heard: Callable[[int], object] = lambda _: None) -> Fetched:
    """Fetch a URL."""
    numbers: list[int] = []

    def both(number: int) -> None:
        numbers.append(number)
        heard(number)

    fetcher = LocalCopies(folder, both)
    path = fetcher.path(url, wanted)
    return Fetched(path, next(iter(fetcher.copies.folders)), fetcher.copies, sum(numbers))


def problem(address: str, folder: Path, wanted: Wanted = TABLE) -> str:
    with pytest.raises(DataError) as error:
        fetch(address, folder, wanted)
    return str(error.value)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def timit(tmp_path: Path) -> Path:
    """A folder as TIMIT's: .PHN files of speakers, and files that nobody asked for."""
    for speaker in ("FAKS0", "MDAB0"):
        for sentence in ("SA1", "SX1"):
            write(tmp_path / "timit" / "DR1" / speaker / f"{sentence}.PHN", "0 1600 h#\n1600 3200 ae\n3200 4800 h#\n")
            write(tmp_path / "timit" / "DR1" / speaker / f"{sentence}.WAV", "RIFF" * 1000)
    return tmp_path / "timit"


@pytest.fixture
def bucket(store: Store, timit: Path) -> str:
    """The address of a bucket that holds it."""
    return store.fill(next(_BUCKETS), timit.parent)


class TestAnObjectStore:
    def test_a_folder_is_read_as_on_this_machine_and_only_what_is_needed_is_fetched(
        self, bucket: str, timit: Path, tmp_path: Path
    ) -> None:
        copy = fetch(f"{bucket}/timit", tmp_path / "copies", transcripts(None))
        here, there = load_transcript(timit), load_transcript(copy.path)
        assert (
            there.utterances
            == here.utterances
            == tuple(f"DR1_{speaker}_{name}" for speaker in ("FAKS0", "MDAB0") for name in ("SA1", "SX1"))
        )
        assert (there.speakers, there.codes.tolist()) == (here.speakers, here.codes.tolist())
        assert copy.bytes == sum(len(path.read_bytes()) for path in timit.rglob("*.PHN"))
        assert sorted(url for path, url in copy.copies.files.items() if path != copy.path) == [
            f"{bucket}/{path.relative_to(tmp_path).as_posix()}" for path in sorted(timit.rglob("*.PHN"))
        ]

    @pytest.mark.parametrize("pattern", ["*/*/*.PHN", "**/*.PHN", "DR1/M*/S[AX]1.PHN", "DR1/FAKS0/SX?.PHN"])
    def test_a_glob_stands_for_the_same_files_as_on_this_machine(
        self, bucket: str, timit: Path, tmp_path: Path, pattern: str
    ) -> None:
        copy = fetch(f"{bucket}/timit/{pattern}", tmp_path / "copies", transcripts(None))
        assert load_transcript(copy.path).utterances == load_transcript(timit / pattern).utterances

    def test_an_object_whose_name_holds_wildcards_is_itself(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        store.put(name, "u[1].tsv", b"itself")
        store.put(name, "u1.tsv", b"another")
        copy = fetch(f"s3://{name}/u[1].tsv", tmp_path)
        assert copy.path.read_bytes() == b"itself"

    def test_what_has_not_changed_is_not_fetched_again_and_what_has_is(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        store.put(name, "gold.tsv", b"before")
        assert fetch(f"s3://{name}/gold.tsv", tmp_path).bytes == len(b"before")
        assert fetch(f"s3://{name}/gold.tsv", tmp_path).bytes == 0
        store.put(name, "gold.tsv", b"after!")  # of the same size
        copy = fetch(f"s3://{name}/gold.tsv", tmp_path)
        assert (copy.path.read_bytes(), copy.bytes) == (b"after!", len(b"after!"))

    def test_a_copy_that_was_touched_is_fetched_again(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        store.put(name, "gold.tsv", b"true")
        fetch(f"s3://{name}/gold.tsv", tmp_path).path.write_bytes(b"fake")
        assert fetch(f"s3://{name}/gold.tsv", tmp_path).path.read_bytes() == b"true"

    def test_objects_that_are_gone_leave_the_copy_and_those_that_stay_are_kept(
        self, store: Store, bucket: str, tmp_path: Path
    ) -> None:
        address, root = f"{bucket}/timit", tmp_path / "copies"
        copy = fetch(address, root, transcripts("phn"))
        store.client.delete_object(Bucket=bucket.removeprefix("s3://"), Key="timit/DR1/MDAB0/SA1.PHN")
        write(copy.folder / "timit" / "DR1" / "half.PHN", "of a run that was stopped")
        again = fetch(address, root, transcripts("phn"))
        assert again.bytes == 0
        assert sorted(files_in(again.path)) == ["DR1/FAKS0/SA1.PHN", "DR1/FAKS0/SX1.PHN", "DR1/MDAB0/SX1.PHN"]

    def test_lists_of_labels_come_along(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        for key in ("a/u.npy", "a/u.phones.txt", "a/phones.txt", "a/other.npy", "a/notes.doc"):
            store.put(name, key, key.encode())
        one = fetch(f"s3://{name}/a/u.npy", tmp_path, posteriors(None))
        assert sorted(files_in(one.folder)) == ["phones.txt", "u.npy", "u.phones.txt"]
        glob = fetch(f"s3://{name}/a/*.npy", tmp_path, posteriors(None))
        assert sorted(files_in(glob.folder)) == ["a/other.npy", "a/phones.txt", "a/u.npy"]
        whole = fetch(f"s3://{name}/a/", tmp_path, posteriors("npy"))
        assert sorted(files_in(whole.path)) == ["other.npy", "phones.txt", "u.npy", "u.phones.txt"]

    @pytest.mark.parametrize("key", ["data/../../evil.PHN", "data//evil.PHN", "data/./evil.PHN", "data/a\\b.PHN"])
    def test_a_name_that_would_lead_elsewhere_is_refused(self, store: Store, tmp_path: Path, key: str) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        store.put(name, "data/good.PHN", b"0 1 a")
        store.put(name, key, b"0 1 b")
        said = problem(f"s3://{name}/data", tmp_path / "copies", transcripts(None))
        assert said.startswith(f"s3://{name}/data: the name ")
        assert "would lead out of the folder of copies" in said
        assert not list(tmp_path.rglob("*.PHN"))

    def test_a_name_that_is_also_a_folder_is_refused(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        for key in ("data/a.PHN", "data/a.PHN/b.PHN"):
            store.put(name, key, b"0 1 a")
        said = problem(f"s3://{name}/data", tmp_path, transcripts(None))
        assert "'data/a.PHN' is both an object and the folder of 'data/a.PHN/b.PHN'" in said

    def test_a_list_of_places_on_another_machine_is_refused(self, store: Store, tmp_path: Path) -> None:
        name = next(_BUCKETS)
        store.client.create_bucket(Bucket=name)
        store.put(name, "post/a.scp", b"u /etc/passwd:0\n")
        for address in (f"s3://{name}/post/a.scp", f"s3://{name}/post"):
            assert "give the .ark files" in problem(address, tmp_path, posteriors(None))

    def test_what_is_not_there_is_said_in_one_line(self, bucket: str, tmp_path: Path) -> None:
        expected = {
            f"{bucket}/gold.tsv": "cannot be fetched: nothing is there",
            "s3://no-such-bucket/gold.tsv": "cannot be fetched: FileNotFoundError: The specified bucket does not exist",
            f"{bucket}/timit/*.tsv": "nothing matches the pattern",
            f"{bucket}/timit": "is a folder, and one file is needed",
        }
        for address, said in expected.items():
            assert problem(address, tmp_path) == f"{address}: {said}"
        assert problem(f"{bucket}/timit", tmp_path, transcripts("ctm")) == f"{bucket}/timit: holds no *.ctm file"

    def test_what_is_forbidden_and_missing_credentials_are_told_apart(
        self, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = f"{bucket}/timit/DR1/FAKS0/SA1.PHN"
        with monkeypatch.context() as settings:
            settings.setitem(fsspec.config.conf, "s3", {"anon": True})
            assert problem(address, tmp_path) == f"{address}: cannot be fetched: you have no permission to read it"
        monkeypatch.setitem(fsspec.config.conf, "s3", {"profile": "nobody"})
        assert problem(address, tmp_path).startswith(f"{address}: cannot be fetched: ProfileNotFound: ")


class TestTheWeb:
    def test_a_file_with_parameters_is_fetched_once(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "a b" / "gold.tsv", "utterance\tphones\nu\ta\n")
        address = f"{web.address}/a%20b/gold.tsv?download=1"
        copy = fetch(address, tmp_path / "copies", transcripts(None))
        assert copy.path.name == "gold.tsv"
        assert copy.copies.named(f"{copy.path}:3: wrong") == f"{address}:3: wrong"
        assert (copy.bytes, fetch(address, tmp_path / "copies", transcripts(None)).bytes) == (21, 0)
        assert web.asked.count("GET /a%20b/gold.tsv?download=1") == 1

    def test_a_page_of_links_is_a_folder(self, web: Web, tmp_path: Path) -> None:
        for name in ("s 1/u 1.lab", "s2/u2.lab", "s2/u2.wav"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        for address in (f"{web.address}/corpus/", f"{web.address}/corpus/*/*.lab"):
            copy = fetch(address, tmp_path / "copies", transcripts("lab"))
            assert load_transcript(copy.path, "lab").utterances == ("s 1_u 1", "s2_u2")

    def test_links_that_lead_elsewhere_are_refused(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "corpus" / "index.html", '<a href="..%2f..%2fevil.lab">a</a>')
        said = problem(f"{web.address}/corpus/", tmp_path / "copies", transcripts("lab"))
        assert "would lead out of the folder of copies" in said

    def test_a_download_that_is_cut_short_is_no_copy(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "gold.tsv", "0123456789" * 10)
        web.failures["/gold.tsv"] = 1
        said = problem(f"{web.address}/gold.tsv", tmp_path / "copies")
        assert said.startswith(f"{web.address}/gold.tsv: cannot be fetched: ContentLengthError: ")
        assert fetch(f"{web.address}/gold.tsv", tmp_path / "copies").bytes == 100

    def test_one_file_of_a_folder_that_cannot_be_read_is_an_error(self, web: Web, tmp_path: Path) -> None:
        for name in ("u.lab", "v.lab"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        web.status["/corpus/v.lab"] = 403
        said = problem(f"{web.address}/corpus/", tmp_path / "copies", transcripts("lab"))
        assert said == f"{web.address}/corpus/: one of 2 files: cannot be fetched: you have no permission to read it"

    def test_a_folder_that_cannot_be_listed_is_an_error(self, web: Web, tmp_path: Path) -> None:
        for name in ("s1/u.lab", "s2/v.lab"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        web.status["/corpus/s2/"] = 403
        said = problem(f"{web.address}/corpus/", tmp_path / "copies", transcripts("lab"))
        assert said == f"{web.address}/corpus/: cannot be fetched: you have no permission to read it"

    def test_less_than_was_promised_is_no_copy(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "gold.tsv", "0123456789")
        web.promised["/gold.tsv"] = 20
        said = problem(f"{web.address}/gold.tsv", tmp_path / "copies")
        assert said == f"{web.address}/gold.tsv: cannot be fetched: cut short: 10 of 20 bytes came"
        web.promised.clear()
        assert fetch(f"{web.address}/gold.tsv", tmp_path / "copies").bytes == 10

    def test_a_list_that_the_server_cannot_give_now_is_not_taken_for_absent(self, web: Web, tmp_path: Path) -> None:
        for name in ("u.npy", "u.phones.txt", "phones.txt"):
            write(tmp_path / "web" / name, name)
        web.status["/u.phones.txt"] = 500
        assert "cannot be fetched: ClientResponseError: 500" in problem(
            f"{web.address}/u.npy", tmp_path / "copies", posteriors(None)
        )
        web.status["/u.phones.txt"] = 404
        copy = fetch(f"{web.address}/u.npy", tmp_path / "copies", posteriors(None))
        assert sorted(files_in(copy.folder)) == ["phones.txt", "u.npy"]

    def test_two_links_with_one_name_are_refused(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "corpus" / "index.html", '<a href="u%41.lab">1</a><a href="uA.lab">2</a>')
        write(tmp_path / "web" / "corpus" / "uA.lab", "a b\n")
        said = problem(f"{web.address}/corpus/", tmp_path / "copies", transcripts("lab"))
        assert "two objects would have the copy 'corpus/uA.lab'" in said

    def test_folders_that_do_not_fit_a_glob_are_not_asked_for(self, web: Web, tmp_path: Path) -> None:
        for name in ("a 1/u.lab", "b/u.lab"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        web.status["/corpus/b/"] = 403
        copy = fetch(f"{web.address}/corpus/a%20*/*.lab", tmp_path / "copies", transcripts("lab"))
        assert load_transcript(copy.path, "lab").utterances == ("a 1_u",)

    @pytest.mark.parametrize(
        ("status", "said"),
        [
            (403, "you have no permission to read it"),
            (401, "you have no permission to read it"),
            (404, "nothing is there"),
            (500, "ClientResponseError: 500"),
        ],
    )
    def test_the_servers_answer_is_said(self, web: Web, tmp_path: Path, status: int, said: str) -> None:
        web.status["/gold.tsv"] = status
        assert f"/gold.tsv: cannot be fetched: {said}" in problem(f"{web.address}/gold.tsv", tmp_path)

    def test_a_host_that_nobody_is(self, tmp_path: Path) -> None:
        said = problem("http://127.0.0.1:9/a.tsv?download=1", tmp_path)
        assert said.startswith("http://127.0.0.1:9/a.tsv?download=1: cannot be fetched: ClientConnectorError: ")


def test_an_object_that_changes_while_it_is_fetched_is_an_error_and_its_copy_is_not_kept(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe_file("/changing/a.tsv", b"first!")
    with pytest.raises(DataError, match=r"memory://changing/a\.tsv: changed while it was fetched"):
        fetch("memory://changing/a.tsv", tmp_path, heard=lambda _: system.pipe_file("/changing/a.tsv", b"second"))
    assert fetch("memory://changing/a.tsv", tmp_path).path.read_bytes() == b"second"


def test_a_fetch_that_is_interrupted_leaves_nothing_that_is_taken_for_whole(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe_file("/interrupted/a.tsv", b"whole")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("memory://interrupted/a.tsv", tmp_path, heard=interrupt)
    assert fetch("memory://interrupted/a.tsv", tmp_path).bytes == len(b"whole")


def test_only_copies_are_removed(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe_file("/used/a.tsv", b"used")
    for name in ("f" * 16, "thesis"):
        (tmp_path / name).mkdir()
    fetcher = LocalCopies(tmp_path)
    used = fetcher.path("memory://used/a.tsv", TABLE)
    fetcher.remove_others()
    assert {path.name for path in tmp_path.iterdir()} == {used.parent.name, "thesis"}


def test_what_to_install_is_said(tmp_path: Path) -> None:
    assert "Protocol not known: s4" in problem("s4://bucket/a.tsv", tmp_path)
    assert "'gs': Please install gcsfs" in problem("gs://bucket/a.tsv", tmp_path)


def test_fsspec_is_needed_only_for_addresses() -> None:
    script = """
import sys, tempfile, pathlib
sys.modules["fsspec"] = None
import phonxling as px
from phonxling.core.errors import DataError
gold = pathlib.Path(tempfile.mkdtemp()) / "gold.tsv"
gold.write_text("utterance\\tphones\\nu\\ta\\n")
print(len(px.load_corpus(gold, str(gold)).gold))
try:
    px.load_corpus("s3://bucket/gold.tsv", gold)
except DataError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.splitlines() == [
        "1",
        "s3://bucket/gold.tsv: inputs by URL need fsspec: pip install 'phonxling[remote]'",
    ]
