"""The secret that marks stored work as one user's: made once, private, and never needed for results."""

import hashlib
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from phonxling.store.signing import Signatures, own_signatures

PLACE = Path("out/.cache")
posix = pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user's data that is not there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    return tmp_path / "data"


def holds(signatures: Signatures, other: Signatures) -> bool:
    return signatures.holds("text", other.sign("text"), PLACE)


def test_a_signature_is_hmac_sha256_as_rfc_2104_defines_it() -> None:
    key, text = b"secret".ljust(64, b"\0"), "tɛxt".encode()
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    wanted = hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()
    assert Signatures(b"secret", print).sign("tɛxt") == wanted


def test_one_users_signatures_hold_for_him_alone_and_one_line_says_so() -> None:
    told: list[str] = []
    mine = Signatures(b"mine", told.append)
    assert mine.holds("text", mine.sign("text"), PLACE)
    assert told == []
    for text, signature in (("other", mine.sign("text")), ("text", None), ("text", "ü\ud800"), ("text", ["a"])):
        assert not mine.holds(text, signature, PLACE)
    assert not holds(mine, Signatures(b"other", print))
    assert len(told) == 1
    assert told[0].startswith("out/.cache: finished work there was changed, or stored by another user")


def test_the_secret_is_made_once_and_is_private(data: Path) -> None:
    told: list[str] = []
    first, second = own_signatures(told.append), own_signatures(told.append)
    assert holds(first, second)
    assert told == []
    (path,) = (data / "phonxling").iterdir()
    assert len(path.read_bytes()) == 32
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_of_many_runs_that_are_first_all_have_the_same_secret(data: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(own_signatures, [print] * 16)
    assert all(holds(first, other) for other in others)
    assert [path.name for path in (data / "phonxling").iterdir()] == ["secret"]


@posix
@pytest.mark.parametrize("spoilt", ["readable", "short", "pipe", "link", "folder", "file"])
def test_a_secret_that_is_not_private_or_whole_is_not_used(data: Path, spoilt: str) -> None:
    path = data / "phonxling" / "secret"
    before = own_signatures(print)
    if spoilt == "readable":
        path.chmod(0o640)
    else:
        path.unlink()
    if spoilt == "short":
        path.touch(0o600)
    elif spoilt == "pipe":
        os.mkfifo(path)
    elif spoilt == "link":
        path.symlink_to("/dev/zero")
    elif spoilt == "folder":
        path.mkdir()
    elif spoilt == "file":
        path.parent.rmdir()
        path.parent.touch()
    told: list[str] = []
    now = own_signatures(told.append)
    assert not holds(now, before)
    assert holds(now, now)
    assert len(told) == 1  # this line stands for all that is then found to be signed by others
    assert "no next run will use the finished work of this one" in told[0]
    assert str(path.parent) in told[0]


@posix
@pytest.mark.parametrize("home", [None, "", "relative", "/dev/null"])
def test_without_a_home_there_is_a_line_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch, home: str | None) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    told: list[str] = []
    signatures = own_signatures(told.append)
    assert holds(signatures, signatures)
    assert not holds(signatures, own_signatures(told.append))
    assert len(told) == 2
    assert all("set XDG_DATA_HOME to a folder that only you can write to" in line for line in told)


@posix
def test_the_secret_is_in_the_home_where_nothing_else_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    own_signatures(print)
    assert (tmp_path / ".local" / "share" / "phonxling" / "secret").is_file()
