"""Whatever the bytes, a reader returns a value that fits together, or raises a documented error of one clear line."""

from pathlib import Path

import pytest
from fuzzing import files_like, readers
from hypothesis import given, settings
from hypothesis import strategies as st

READERS = readers()


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read(name: str, tmp_path: Path) -> None:
    pass


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=80, derandomize=True, database=None)
@given(draw=st.data())
def test_any_bytes_give_a_value_or_a_documented_error(
    name: str, draw: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    read, seeds = READERS[name]
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(draw.draw(files_like(seeds)))
    read(path)
