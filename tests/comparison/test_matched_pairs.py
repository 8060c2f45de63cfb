"""NIST's matched pairs of segments: worked by hand, and against a walk through the states that NIST describes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from phonxling.comparison.matched_pairs import matched_pairs, segment_errors
from phonxling.core.alignment import CORRECT, DELETION, INSERTION, SUBSTITUTION

CODES = {"c": CORRECT, "s": SUBSTITUTION, "d": DELETION, "i": INSERTION}
Path = tuple[np.ndarray, np.ndarray]


def path(*utterances: str) -> Path:
    """Return utterance numbers and operations of paths written as letters: correct, substituted, deleted, inserted."""
    number = np.repeat(np.arange(len(utterances)), [len(letters) for letters in utterances])
    return number.astype(np.int64), np.array([CODES[letter] for letter in "".join(utterances)], dtype=np.int8)


def errors(first: Path, second: Path) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(*segment_errors(first, second), strict=True)]


def test_two_good_tokens_part_errors_and_one_does_not() -> None:
    assert errors(path("sccs"), path("cccc")) == [(1, 0), (1, 0)]
    assert errors(path("scsc"), path("cccc")) == [(2, 0)]


def test_a_token_is_good_when_both_systems_have_it_right() -> None:
    assert errors(path("scccs"), path("ccscc")) == [(2, 1)]
    assert errors(path("sccccs"), path("ccsccc")) == [(1, 1), (1, 0)]


def test_an_insertion_between_good_tokens_keeps_them_from_parting() -> None:
    assert errors(path("scics"), path("cccc")) == [(3, 0)]
    assert errors(path("scciccs"), path("cccccc")) == [(1, 0), (1, 0), (1, 0)]


def test_the_end_of_an_utterance_parts() -> None:
    assert errors(path("cs", "sc"), path("cc", "cc")) == [(1, 0), (1, 0)]


def test_insertions_at_the_end_count_for_either_system() -> None:
    assert errors(path("cci"), path("cc")) == [(1, 0)]
    assert errors(path("cc"), path("cci")) == [(0, 1)]


def test_a_worked_example() -> None:
    """Gold of 12 tokens. Errors: first at 1, 2, 8; second at 2, 12 and an insertion before 6.

    Good runs: 3-5 part 2 from the insertion, 6-7 part it from 8, 9-11 part 8 from 12. Differences 1, −1, 1, −1.
    """
    first, second = path("sdcccccscccc"), path("csccciccccccs")
    found = segment_errors(first, second)
    assert [side.tolist() for side in found] == [[2, 0, 1, 0], [1, 1, 0, 1]]
    test = matched_pairs(*found)
    assert (test.segments, test.mean, test.z, test.p) == (4, 0.0, 0.0, 1.0)


def test_other_gold_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="same gold tokens"):
        segment_errors(path("cc"), path("ccc"))


def walked(first: str, second: str) -> list[tuple[int, int]]:
    """Return the errors by segment of one utterance, by a walk through NIST's states b, e and g."""
    slots = [_slots(first), _slots(second)]
    found, state, run, held = [], "b", 0, [0, 0]
    for one, other in zip(*slots, strict=True):
        for side, (inserted, _) in enumerate((one, other)):
            if inserted:
                held[side] += inserted
                state, run = "e", 0
        tokens = (one[1], other[1])
        if tokens == ("", ""):
            continue
        if tokens == ("c", "c"):
            run += 1
            if state != "b" and run >= 2:
                found.append((held[0], held[1]))
                state, run, held = "b", 0, [0, 0]
            continue
        held = [held[0] + (tokens[0] != "c"), held[1] + (tokens[1] != "c")]
        state, run = "e", 0
    return found if state == "b" else [*found, (held[0], held[1])]


def _slots(letters: str) -> list[tuple[int, str]]:
    """Return (insertions before, token) by gold token, and the insertions after the last."""
    slots, inserted = [], 0
    for letter in letters:
        if letter == "i":
            inserted += 1
        else:
            slots.append((inserted, letter))
            inserted = 0
    return [*slots, (inserted, "")]


@st.composite
def pairs_of_paths(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    sides: tuple[list[str], list[str]] = ([], [])
    for tokens in draw(st.lists(st.integers(1, 12), min_size=1, max_size=4)):
        for side in sides:
            letters = draw(st.lists(st.sampled_from("ccccsd"), min_size=tokens, max_size=tokens))
            extra = draw(st.lists(st.integers(0, tokens), max_size=2))
            side.append("".join("i" * extra.count(place) + letter for place, letter in enumerate(letters)))
            side[-1] += "i" * extra.count(tokens)
    return sides


@given(pairs_of_paths())
def test_segments_are_those_of_the_walk(sides: tuple[list[str], list[str]]) -> None:
    wanted = [segment for pair in zip(*sides, strict=True) for segment in walked(*pair)]
    assert errors(path(*sides[0]), path(*sides[1])) == wanted


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_z_is_the_statistic_of_the_paired_t_test(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T
    found = matched_pairs(first, second)
    if np.ptp(first - second):
        wanted = stats.ttest_rel(first, second).statistic
        assert found.z == pytest.approx(wanted, abs=1e-12)
        assert found.p == pytest.approx(2 * stats.norm.sf(abs(wanted)))
    else:
        assert found.p == 1 if first[0] == second[0] else math.isnan(found.p)


def test_few_segments_are_told() -> None:
    assert "few" in matched_pairs(np.array([1, 0, 1]), np.array([0, 1, 0])).note
    assert "fewer than two" in matched_pairs(np.array([1]), np.array([0])).note
