"""Whatever the bytes, a reader returns a value that fits together, or raises a documented error of one clear line."""

from pathlib import Path

import pytest
from fuzzing import check_pairing, check_symbols, files_like, readers
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


_LETTERS = st.one_of(
    st.characters(),
    st.sampled_from("aeɛɪtdkpnŋʃʒǃʰʷⁿᵐ˥˩ꜜ.ː:'ˈ159_`\\∅ \u0301\u0303\u0325\u0329\u032f\u0361\u035c\u200b\u202e"),
)


@settings(more(4), derandomize=True, database=None)
@given(words=st.lists(st.text(_LETTERS, min_size=1, max_size=12), min_size=1, max_size=5))
def test_any_letters_are_phones_or_refused(words: list[str]) -> None:
    check_symbols(" ".join(words).encode("utf-8", "surrogatepass"))


@settings(more(3), derandomize=True, database=None)
@given(ids=st.text(st.sampled_from("ab_| ")))
def test_any_ids_pair_where_both_sides_have_them(ids: str) -> None:
    check_pairing(ids.encode())
