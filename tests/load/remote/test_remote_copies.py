"""Addresses, and local copies of what is there: what is fetched, when, and what every failure says."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, strategies
from object_store import Store, Web
from running import python
from support import error_of, write

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.load import remote
from phonxling.load.formats import known_endings, load_transcript
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.load.remote import LocalCopies, Url, is_url, local, parse_url
from phonxling.settings.checks import check_path

_BUCKETS = (f"copies-{number}" for number in count())
PHN, LAB, TRANSCRIPTS = known_endings("phn"), known_endings("lab"), known_endings()
POSTERIORS = posterior_endings()


@dataclass(frozen=True)
class Fetched:
    """What is read instead of a URL, what fetched it, and how many bytes came."""

    path: Path
    copies: LocalCopies
    bytes: int


def fetch(
    url: str, folder: Path, endings: tuple[str, ...] = (), on_bytes: Callable[[int], object] = lambda _: None
) -> Fetched:
    """Fetch a URL."""
    numbers: list[int] = []

    def both(number: int) -> None:
        numbers.append(number)
        on_bytes(number)

    copies = LocalCopies(folder, both)
    return Fetched(copies.path(url, endings), copies, sum(numbers))


def problem(address: str, folder: Path, endings: tuple[str, ...] = ()) -> str:
    return error_of(DataError, fetch, address, folder, endings)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


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


@pytest.fixture
def empty_bucket(store: Store) -> str:
    """The name of a new bucket."""
    store.client.create_bucket(Bucket=(name := next(_BUCKETS)))
    return name


class TestAnObjectStore:
    @pytest.mark.slow
    def test_a_folder_is_read_as_on_this_machine_and_only_what_is_needed_is_fetched(
        self, bucket: str, timit: Path, tmp_path: Path
    ) -> None:
        copy = fetch(f"{bucket}/timit", tmp_path / "copies", TRANSCRIPTS)
        from_files, from_copies = load_transcript(timit), load_transcript(copy.path)
        assert (
            from_copies.utterances
            == from_files.utterances
            == tuple(f"DR1_{speaker}_{name}" for speaker in ("FAKS0", "MDAB0") for name in ("SA1", "SX1"))
        )
        assert (from_copies.speakers, from_copies.codes.tolist()) == (from_files.speakers, from_files.codes.tolist())
        assert copy.bytes == sum(len(path.read_bytes()) for path in timit.rglob("*.PHN"))
        assert sorted(url for path, url in copy.copies.urls.items() if path.suffix == ".PHN") == [
            f"{bucket}/{path.relative_to(tmp_path).as_posix()}" for path in sorted(timit.rglob("*.PHN"))
        ]

    @pytest.mark.parametrize("pattern", ["*/*/*.PHN", "**/*.PHN", "DR1/M*/S[AX]1.PHN", "DR1/FAKS0/SX?.PHN"])
    def test_a_glob_stands_for_the_same_files_as_on_this_machine(
        self, bucket: str, timit: Path, tmp_path: Path, pattern: str
    ) -> None:
        copy = fetch(f"{bucket}/timit/{pattern}", tmp_path / "copies", TRANSCRIPTS)
        assert load_transcript(copy.path).utterances == load_transcript(timit / pattern).utterances

    def test_what_has_not_changed_is_not_fetched_again_and_what_has_is(
        self, store: Store, empty_bucket: str, tmp_path: Path
    ) -> None:
        for name in ("a.PHN", "b.PHN"):
            store.put(empty_bucket, f"gold/{name}", b"before")
        assert fetch(f"s3://{empty_bucket}/gold", tmp_path, PHN).bytes == 2 * len(b"before")
        assert fetch(f"s3://{empty_bucket}/gold", tmp_path, PHN).bytes == 0
        store.put(empty_bucket, "gold/a.PHN", b"after!")  # of the same size
        copy = fetch(f"s3://{empty_bucket}/gold", tmp_path, PHN)
        assert ((copy.path / "a.PHN").read_bytes(), copy.bytes) == (b"after!", len(b"after!"))

    def test_a_copy_that_was_touched_is_fetched_again(self, store: Store, empty_bucket: str, tmp_path: Path) -> None:
        store.put(empty_bucket, "gold.tsv", b"true")
        fetch(f"s3://{empty_bucket}/gold.tsv", tmp_path).path.write_bytes(b"fake")
        assert fetch(f"s3://{empty_bucket}/gold.tsv", tmp_path).path.read_bytes() == b"true"

    def test_a_copy_that_another_user_fetched_is_fetched_again(
        self, store: Store, empty_bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(empty_bucket, "gold.tsv", b"true")
        for user, fetched in ((os.geteuid(), 4), (os.geteuid(), 0), (os.geteuid() + 1, 4)):
            monkeypatch.setattr(os, "geteuid", lambda user=user: user)
            numbers: list[int] = []
            LocalCopies(tmp_path, numbers.append).path(f"s3://{empty_bucket}/gold.tsv")
            assert sum(numbers) == fetched

    def test_objects_that_are_gone_leave_the_copy_and_those_that_stay_are_kept(
        self, store: Store, bucket: str, tmp_path: Path
    ) -> None:
        copy = fetch(f"{bucket}/timit", tmp_path / "copies", PHN)
        for name in ("SA1", "SX1"):
            store.client.delete_object(Bucket=bucket.removeprefix("s3://"), Key=f"timit/DR1/MDAB0/{name}.PHN")
        write(copy.path / "DR1" / "half.PHN", "of a run that was stopped")
        again = fetch(f"{bucket}/timit", tmp_path / "copies", PHN)
        assert again.bytes == 0
        assert files_in(again.path) == ["DR1/FAKS0/SA1.PHN", "DR1/FAKS0/SX1.PHN"]

    def test_lists_of_labels_come_along(self, store: Store, empty_bucket: str, tmp_path: Path) -> None:
        for key in ("a/u.npy", "a/u.phones.txt", "a/phones.txt", "a/other.npy", "a/notes.doc"):
            store.put(empty_bucket, key, key.encode())
        one = fetch(f"s3://{empty_bucket}/a/u.npy", tmp_path, POSTERIORS)
        assert files_in(one.path.parent) == ["phones.txt", "u.npy", "u.phones.txt"]
        glob = fetch(f"s3://{empty_bucket}/a/*.npy", tmp_path, POSTERIORS)
        assert files_in(glob.path.parent) == ["other.npy", "phones.txt", "u.npy"]
        whole = fetch(f"s3://{empty_bucket}/a/", tmp_path, posterior_endings("npy"))
        assert files_in(whole.path) == ["other.npy", "phones.txt", "u.npy", "u.phones.txt"]

    @pytest.mark.parametrize("key", ["data/../../evil.PHN", "data/./evil.PHN", "data/a\\b.PHN", "data/a\tb.PHN"])
    def test_an_unsafe_name_is_refused(self, store: Store, empty_bucket: str, tmp_path: Path, key: str) -> None:
        store.put(empty_bucket, "data/good.PHN", b"0 1 a")
        store.put(empty_bucket, key, b"0 1 b")
        message = problem(f"s3://{empty_bucket}/data", tmp_path / "copies", PHN)
        assert message.startswith(f"s3://{empty_bucket}/data")
        assert "would lead out of the folder of copies" in message
        assert not list(tmp_path.rglob("*.PHN"))

    def test_a_list_of_places_on_another_machine_is_refused(
        self, store: Store, empty_bucket: str, tmp_path: Path
    ) -> None:
        store.put(empty_bucket, "post/a.scp", b"u /etc/passwd:0\n")
        for address in (f"s3://{empty_bucket}/post/a.scp", f"s3://{empty_bucket}/post"):
            assert "give the .ark files" in problem(address, tmp_path, POSTERIORS)

    def test_an_error_says_the_address_what_is_wrong_and_what_to_do(self, bucket: str, tmp_path: Path) -> None:
        expected = {
            f"{bucket}/gold.tsv": "cannot be fetched: FileNotFoundError: ",
            "s3://no-such-bucket/gold.tsv": "cannot be fetched: ",
            f"{bucket}/timit/*.tsv": "nothing matches",
            f"{bucket}/timit": "is a folder, and one file is needed",
        }
        for address, reason in expected.items():
            message = problem(address, tmp_path)
            assert message.startswith(f"{address}: {reason}")
            assert "fetched" not in message or message.endswith("your permission to read it, and the network")
        assert problem(f"{bucket}/timit", tmp_path, known_endings("ctm")) == f"{bucket}/timit: holds no *.ctm file"

    def test_what_is_forbidden_and_missing_credentials_are_told_apart(
        self, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = f"{bucket}/timit/DR1/FAKS0/SA1.PHN"
        with monkeypatch.context() as settings:
            settings.setitem(fsspec.config.conf, "s3", {"anon": True})
            assert "403" in problem(address, tmp_path)
        monkeypatch.setitem(fsspec.config.conf, "s3", {"profile": "nobody"})
        assert problem(address, tmp_path).startswith(f"{address}: cannot be fetched: ProfileNotFound: ")


class TestTheWeb:
    def test_a_file_with_parameters_is_fetched_once(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "a b" / "gold.tsv", "utterance\tphones\nu\ta\n")
        address = f"{web.address}/a%20b/gold.tsv?download=1"
        copy = fetch(address, tmp_path / "copies", TRANSCRIPTS)
        assert copy.path.name == "gold.tsv"
        assert copy.copies.named(f"{copy.path}:3: wrong") == f"{address}:3: wrong"
        assert (copy.bytes, fetch(address, tmp_path / "copies", TRANSCRIPTS).bytes) == (21, 0)
        assert web.asked.count("GET /a%20b/gold.tsv?download=1") == 1

    def test_a_page_of_links_is_a_folder(self, web: Web, tmp_path: Path) -> None:
        for name in ("s 1/u 1.lab", "s2/u2.lab", "s2/u2.wav"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        for address in (f"{web.address}/corpus/", f"{web.address}/corpus/*/*.lab"):
            copy = fetch(address, tmp_path / "copies", LAB)
            assert load_transcript(copy.path, "lab").utterances == ("s 1_u 1", "s2_u2")

    def test_links_that_lead_elsewhere_are_refused(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "corpus" / "index.html", '<a href="..%2f..%2fevil.lab">a</a>')
        assert "would lead out of the folder of copies" in problem(f"{web.address}/corpus/", tmp_path / "copies", LAB)

    def test_a_glob_asks_no_deeper_than_it_reaches(self, web: Web, tmp_path: Path) -> None:
        for name in ("u.lab", "below/v.lab"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        assert files_in(fetch(f"{web.address}/corpus/*.lab", tmp_path / "copies", LAB).path.parent) == ["u.lab"]
        assert not any("below" in request for request in web.asked)

    def test_a_download_that_is_cut_short_is_no_copy(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "gold.tsv", "0123456789" * 10)
        web.failures["/gold.tsv"] = 1
        message = problem(f"{web.address}/gold.tsv", tmp_path / "copies")
        assert message.startswith(f"{web.address}/gold.tsv: cannot be fetched: ContentLengthError: ")
        assert fetch(f"{web.address}/gold.tsv", tmp_path / "copies").bytes == 100

    def test_less_than_was_promised_is_no_copy(self, web: Web, tmp_path: Path) -> None:
        write(tmp_path / "web" / "gold.tsv", "0123456789")
        web.promised["/gold.tsv"] = 20
        message = problem(f"{web.address}/gold.tsv", tmp_path / "copies")
        assert message == f"{web.address}/gold.tsv: changed while it was fetched, or came incomplete; try again"
        web.promised.clear()
        assert fetch(f"{web.address}/gold.tsv", tmp_path / "copies").bytes == 10

    @pytest.mark.parametrize("path", ["/corpus/s2/", "/corpus/s2/v.lab"])
    @pytest.mark.parametrize("status", [403, 404, 500])
    def test_what_cannot_be_read_of_a_folder_is_an_error(
        self, web: Web, tmp_path: Path, path: str, status: int
    ) -> None:
        for name in ("s1/u.lab", "s2/v.lab"):
            write(tmp_path / "web" / "corpus" / name, "a b\n")
        web.status[path] = status
        assert f"{web.address}/corpus/: cannot be fetched: " in problem(f"{web.address}/corpus/", tmp_path / "c", LAB)

    @pytest.mark.parametrize("status", [401, 403, 404, 500])
    def test_the_servers_answer_is_given_without_parameters(self, web: Web, tmp_path: Path, status: int) -> None:
        web.status["/gold.tsv?download=1"] = status
        message = problem(f"{web.address}/gold.tsv?download=1", tmp_path)
        assert message.startswith(
            f"{web.address}/gold.tsv?download=1: cannot be fetched: ClientResponseError: {status}"
        )
        assert "?" not in message.removeprefix(f"{web.address}/gold.tsv?")

    def test_no_connection(self, tmp_path: Path) -> None:
        message = problem("http://127.0.0.1:9/a.tsv", tmp_path)
        assert message.startswith("http://127.0.0.1:9/a.tsv: cannot be fetched: ClientConnectorError: ")


def test_no_password_of_an_error_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("https://me:SECRET@host/a?X-Amz-Signature=SECRET refused")

    monkeypatch.setattr(MemoryFileSystem, "info", fail)
    message = problem("memory://a/b.tsv", tmp_path)
    assert "cannot be fetched: OSError: https://host/a refused" in message


def test_a_folder_within_that_cannot_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, ls = fsspec.filesystem("memory"), MemoryFileSystem.ls
    for name in ("s1/u.lab", "s2/v.lab"):
        system.pipe_file(f"/locked/{name}", b"a b")
    system.makedirs("/locked/empty")

    def ls_but_one(self: MemoryFileSystem, path: str, **options: bool) -> object:
        if path.rstrip("/").endswith("s2"):
            raise PermissionError(path)
        return ls(self, path, **options)

    assert fetch("memory://locked", tmp_path, LAB).bytes == 6
    monkeypatch.setattr(MemoryFileSystem, "ls", ls_but_one)
    for address in ("memory://locked", "memory://locked/*/*.lab", "memory://locked/s2/*.lab"):
        assert f"{address}: cannot be fetched: PermissionError: /locked/s2; " in problem(address, tmp_path, LAB)


def test_an_object_that_changes_while_it_is_fetched_is_an_error_and_its_copy_is_not_kept(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe_file("/changing/a.tsv", b"first!")
    with pytest.raises(DataError, match=r"memory://changing/a\.tsv: changed while it was fetched"):
        fetch("memory://changing/a.tsv", tmp_path, on_bytes=lambda _: system.pipe_file("/changing/a.tsv", b"second"))
    assert fetch("memory://changing/a.tsv", tmp_path).path.read_bytes() == b"second"


def test_a_fetch_that_is_interrupted_leaves_nothing_that_is_taken_for_whole(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe_file("/interrupted/a.tsv", b"whole")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("memory://interrupted/a.tsv", tmp_path, on_bytes=interrupt)
    assert fetch("memory://interrupted/a.tsv", tmp_path).bytes == len(b"whole")


def test_only_copies_are_removed(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe_file("/used/a.tsv", b"used")
    for name in ("f" * 16, "thesis"):
        (tmp_path / name).mkdir()
    copies = LocalCopies(Path(os.path.relpath(tmp_path)))
    used = copies.path("memory://used/a.tsv")
    copies.remove_others()
    assert {path.name for path in tmp_path.iterdir()} == {used.parent.name, "thesis"}


def test_what_to_install_is_told(tmp_path: Path) -> None:
    assert "Protocol not known: s4" in problem("s4://bucket/a.tsv", tmp_path)
    assert "gs://bucket/a.tsv: a library is missing; " in (message := problem("gs://bucket/a.tsv", tmp_path))
    assert "Please install gcsfs" in message


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
    length, message = python("-c", script, check=True).stdout.splitlines()
    expected = (
        's3://bucket/gold.tsv: a library is missing; pip install "phonxling[remote]" brings fsspec, S3 and the web'
    )
    assert (length, message.startswith(expected)) == ("1", True)


@pytest.mark.parametrize("text", ["s3://bucket/a b/gold.tsv", "https://host/data/", "memory://gold.tsv", "S3://b/x"])
def test_an_address_is_kept_as_it_is_written(text: str) -> None:
    found = parse_url(text)
    assert isinstance(found, Url)
    assert found.text.partition("://")[2] == text.partition("://")[2]


@pytest.mark.parametrize("text", ["data/gold.tsv", "/data/gold.tsv", "C:/data", "./a://b", "://x", "1a://x", "s3:/b/x"])
def test_what_is_no_address_is_a_path(text: str) -> None:
    assert not is_url(text)


@pytest.mark.parametrize(
    "text", ["file:///data/a%20b.tsv", "local:///data/a%20b.tsv", "file://localhost/data/a%20b.tsv"]
)
def test_a_file_of_this_machine_is_a_path(text: str) -> None:
    assert parse_url(text) == Path("/data/a%20b.tsv")


def test_wildcards_begin_the_pattern_and_a_question_mark_on_the_web_begins_parameters() -> None:
    assert Url("s3://bucket/yoruba/*/u?.TextGrid").split() == ("s3://bucket", "yoruba", "*/u?.TextGrid")
    assert Url("s3://bucket/*.TextGrid").split() == ("s3:/", "bucket", "*.TextGrid")
    assert Url("https://host/data/gold.tsv?download=1").split() == ("https://host/data", "gold.tsv", "")
    assert Url("https://host/data/").split() == ("https://host", "data", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file://data/gold.tsv", "three slashes"),
        ("s3://", "names no file"),
        ("s3:///", "names no file"),
        ("s3://buck*/gold.tsv", "without wildcards"),
        ("zip://a.tsv::s3://bucket/a.zip", "a chain of file systems"),
        ("s3://bucket/a\\b", "backslash"),
        ("s3://bucket/a\0b", "control character"),
        ("https://host/a b", "space"),
        ("https://host/gold.tsv#part", "after '#'"),
    ],
)
def test_what_cannot_be_fetched_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://me:SECRET@host/gold.tsv",
        "https://SECRET@host/gold.tsv",
        "sftp://me:SECRET@host/gold.tsv",
        "s3://key:SECRET@bucket/gold.tsv",
        "https://host/gold.tsv?X-Amz-Signature=SECRET",
        "https://host/gold.tsv?download=1&sig=SECRET",
        "https://host/gold.tsv?SECRET",
        "https://me:SECRET@host/a b",
        "https://host/gold.tsv#SECRET",
        "https://me:SEC/RET@host/gold.tsv",
        "https://me:SEC?RET@host/gold.tsv",
    ],
)
def test_what_may_be_secret_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match=r"host|bucket") as error:
        parse_url(text)
    assert "SEC" not in str(error.value)


@given(strategies.text("aZ09:/@?#&=.%-_", max_size=30), strategies.sampled_from(["https", "s3", "sftp"]))
def test_a_password_is_never_kept_nor_repeated(rest: str, scheme: str) -> None:
    with pytest.raises(ValueError, match=scheme) as error:
        parse_url(f"{scheme}://me:hunter2@host/{rest}")
    assert "hunter2" not in str(error.value)


def test_harmless_parameters_and_a_user_without_a_password_are_taken() -> None:
    for text in ("https://host/gold.tsv?download=1&version=2", "sftp://me@host/gold.tsv", "https://host/a?raw"):
        assert str(parse_url(text)) == text


def test_a_configured_address_with_a_control_character_is_refused_without_its_password() -> None:
    with pytest.raises(ValueError, match="control character") as error:
        check_path("https://me:secret@host/gold\t.tsv")
    assert "secret" not in str(error.value)


def test_callers_are_told_of_a_refused_address_as_of_wrong_usage() -> None:
    with pytest.raises(ConfigurationError, match="names no file"):
        remote.path_or_url("s3://")
    with pytest.raises(ConfigurationError, match="Give it as text"):
        remote.path_or_url(Path("s3://bucket/gold.tsv"))
    with pytest.raises(ConfigurationError, match="drops one of its slashes"):
        remote.path_or_url("s3:/" + "a" * 5000)  # no file can be called so
    assert remote.path_or_url("gold.tsv") == remote.path_or_url(Path("gold.tsv")) == Path("gold.tsv")


def test_an_address_that_nobody_fetched_is_no_path() -> None:
    assert local(Path("a")) == Path("a")
    with pytest.raises(AssertionError, match="was not fetched"):
        local(Url("s3://bucket/a"))
