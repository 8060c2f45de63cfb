"""Whatever the bytes, a reader returns a value that fits together, or raises a documented error of one clear line."""

from pathlib import Path

import pytest
from fuzzing import files_like, readers
from hypothesis import HealthCheck, given, settings, strategies as st
from support import more
from valid_files import TRANSCRIPTS

from phonxling.load.building import LoaderOptions
from phonxling.load.formats import BUILT_IN

READERS = readers()


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_files_that_are_mutated_are_valid(name: str, tmp_path: Path) -> None:
    for number, data in enumerate(TRANSCRIPTS[name]):
        path = tmp_path / str(number)
        path.write_bytes(data)
        tier = "p*" if "tier" in BUILT_IN[name].takes else None
        assert len(BUILT_IN[name].load(path, LoaderOptions(tier=tier, utterance="u", side="gold")))


@pytest.mark.parametrize("name", READERS)
@settings(more(3), derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_any_bytes_give_a_value_or_a_documented_error(name: str, draw: st.DataObject, tmp_path: Path) -> None:
    read, seeds = READERS[name]
    path = tmp_path / "fuzzed"
    path.write_bytes(draw.draw(files_like(seeds)))
    read(path)
    assert list(tmp_path.iterdir()) == [path]
