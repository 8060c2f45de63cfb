"""What is an address, which are refused, and what no message repeats."""

from pathlib import Path

import pytest
from hypothesis import given, strategies

from phonxling.core.errors import ConfigurationError
from phonxling.load import remote
from phonxling.load.remote import Url, is_url, local, parse_url
from phonxling.settings.checks import check_path


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
