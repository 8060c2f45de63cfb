"""Values' content: equal for equal values, another for whatever is another, refused where that cannot be told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

import phonxling as px
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import from_lists
from phonxling.store.tasks import content_digest, source_digest, versions

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


class Tie(Enum):
    EARLY = 1
    LATE = 2


@dataclass(frozen=True)
class Costs:
    name: str
    table: np.ndarray
    derived: int = field(init=False, default=0)

    @cached_property
    def total(self) -> int:
        return int(self.table.sum())


class Shard(NamedTuple):
    first: int
    last: int


def told(value: object) -> str:
    """Return a value written down so that different ones differ: the oracle."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{told(name)}:{told(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(told, value)) + "]"
    return f"{type(value).__name__} {value!r}"


@given(plain, plain)
def test_content_is_the_same_exactly_when_the_values_are(first: object, second: object) -> None:
    assert (content_digest(first) == content_digest(second)) == (told(first) == told(second))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2, np.int32), np.zeros(2, np.int64)),
        (np.zeros(2, np.float64), np.zeros(2, np.int64)),
        (np.array([1, 2]), np.array([2, 1])),
        (np.array([1, 2]), [1, 2]),
        (np.array(["a", "b"]), np.array(["a", "c"])),
        (["ab", "c"], ["a", "bc"]),
        ([b"ab", b"c"], [b"a", b"bc"]),
        ((1, (2, 3)), (1, 2, 3)),
        (Shard(0, 2), (0, 2)),
        (Tie.EARLY, Tie.LATE),
        (Fraction(1, 2), 0.5),
        (0.0, -0.0),
        (Inventory(("a", "e")), Inventory(("e", "a"))),
        (Costs("x", np.zeros(2)), Costs("x", np.ones(2))),
        (Costs("x", np.zeros(2)), Costs("y", np.zeros(2))),
        ({1, 2}, {1, 3}),
        (px.align, px.align_corpus),
        (from_lists(["u"], [["a", "b"]]), from_lists(["v"], [["a", "b"]])),
    ],
)
def test_what_differs_has_another_content(one: object, other: object) -> None:
    assert content_digest(one) != content_digest(other)


def test_what_a_value_was_asked_for_does_not_change_its_content() -> None:
    costs = Costs("x", np.ones(2))
    before = content_digest(costs)
    assert costs.total == 2
    assert content_digest(costs) == before


def test_a_view_of_an_array_is_its_values() -> None:
    whole = np.arange(12).reshape(3, 4)
    assert content_digest(whole[:, ::2]) == content_digest(whole[:, ::2].copy())
    assert content_digest(whole.T) == content_digest(np.ascontiguousarray(whole.T))


def test_a_path_is_what_its_file_holds(tmp_path: Path) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    for path in (here, there):
        path.write_text("same", encoding="utf-8")
    assert content_digest(here) == content_digest(there)
    there.write_text("other", encoding="utf-8")
    assert content_digest(here) != content_digest(there)
    with pytest.raises(px.DataError, match="cannot be read"):
        content_digest(tmp_path / "gone")


def closure() -> Callable[[], int]:
    return lambda: 1


@pytest.mark.parametrize(
    "value", [object(), closure(), closure, np.array([object()]), [1, object()], {"a": object()}, int, open]
)
def test_what_cannot_be_compared_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        content_digest(value)


def test_any_edit_of_the_source_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "module.py").write_text("x = 1\n", encoding="utf-8")
    before = source_digest(tmp_path)
    (tmp_path / "sub" / "__pycache__").mkdir()
    for name in ("module.cpython-313.pyc", "module.cpython-313.pyc.139872", "module.nbi.tmp.0a1b"):  # some half written
        (tmp_path / "sub" / "__pycache__" / name).write_bytes(b"compiled")
    assert source_digest(tmp_path) == before
    (tmp_path / "sub" / "module.py").write_text("x = 2\n", encoding="utf-8")
    assert source_digest(tmp_path) != before
    (tmp_path / "sub" / "module.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "module.py").write_text("", encoding="utf-8")
    assert source_digest(tmp_path) != before
    assert any(text.startswith("numpy ") for text in versions())
