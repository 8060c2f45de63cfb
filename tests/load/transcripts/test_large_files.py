"""Large files are read by the batch: the same as row by row, and the same errors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from support import times_of, write

from phonxling.core.errors import DataError
from phonxling.core.sequences import Transcript
from phonxling.load import tables
from phonxling.load.reading import Reading
from phonxling.load.tables import load_tsv

HEADER = "utterance\tphones\n"
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def outcome(path: Path) -> Transcript | str:
    try:
        return load_tsv(path, Reading())
    except DataError as error:
        return str(error)


def same(one: Transcript | str, other: Transcript | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    names = ("utterances", "symbols", "places", "source", "speakers")
    columns = ("offsets", "codes", "start", "end", "confidence")
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
    return arrays and all(getattr(one, name) == getattr(other, name) for name in names)


fields = st.sampled_from(["0", "0.5", "1", " 1 ", "1e-1", "nan", "inf", "x", "", "-1", "0.30000000000000004"])
spans = st.sampled_from(["0\t0.5", "0.5\t0.5", "1\t2", "0.1\t0.30000000000000004"])
owners = st.sampled_from(["u1\tx", "u1\tx", "u1\tx", "u2\tx", "u2\ty", "u3\ty", "u4\tx", "u5\t", "\tx", "u\x7f\tx"])
heard = st.sampled_from(["a", "a", "a", " a", "ɛ", "", "b c", "k\x7f"])
clean = st.tuples(owners, spans, heard, st.just("0.5")).map("\t".join)
odd = st.tuples(owners, st.tuples(fields, fields).map("\t".join), heard, fields).map("\t".join)
INTERVALS = "utterance\tspeaker\tstart\tend\tphone\tconfidence\n"


@given(lines=st.lists(st.one_of(clean, clean, clean, clean, odd, st.sampled_from(["", "u1\tx\t0\t1"])), max_size=24))
@settings(max_examples=300, suppress_health_check=SLOW)
@example(lines=[f"u{number}\tx\t0\t1\ta\t0.5" for number in (1, 1, 2, 2, 2, 1)])
@example(lines=[f"u1\t{speaker}\t0\t1\ta\t0.5" for speaker in "xxxyx"])
@example(lines=["u1\tx\t0\t1\ta\t0.5", "", "u1\tx\t1\t2\ta\t1.5"])
def test_intervals_read_by_the_batch_are_those_read_by_the_row(tmp_path: Path, lines: list[str]) -> None:
    path = write(tmp_path / "gold.tsv", INTERVALS + "\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_add_batch", lambda *_: False)
        slow = outcome(path)
    for size in (1, 2, 5, 4096):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "_AT_ONCE", size)
            assert same(outcome(path), slow)


def test_one_column_may_be_both_times(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "utterance\tt\tphone\nu1\t0.5\ta\nu1\t1.5\tb\n")
    read = load_tsv(path, Reading({"start": "t", "end": "t"}))
    assert times_of(read) == [(0.5, 0.5), (1.5, 1.5)]


def test_a_large_file_with_an_error_names_its_line(tmp_path: Path) -> None:
    rows = "".join(f"u{number}\t{'a b ' * 40}\n" for number in range(30_000))
    path = write(tmp_path / "gold.tsv", f"{HEADER}{rows}u7\ta\n")
    with pytest.raises(DataError, match=r":30002: utterance 'u7' occurs again \(first at line 9\)"):
        load_tsv(path, Reading())
