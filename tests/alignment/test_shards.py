"""How a corpus is cut into shards: by its data alone, so that results and what is stored stay the same."""

import numpy as np

from phonxling.alignment.corpus import Pairs, pair_shards
from phonxling.core.inventory import Inventory
from phonxling.core.sequences import PhoneSequences

PHONES = 99  # of each utterance: 10,000 cells a pair


def shards(pairs: int, most: int = 50_000_000) -> list[Pairs]:
    side = PhoneSequences(
        utterances=tuple(map(str, range(pairs))),
        offsets=np.arange(pairs + 1) * PHONES,
        codes=np.arange(pairs * PHONES) % 2,
        inventory=Inventory(("a", "b")),
    )
    return pair_shards(side, side, most)


def test_shards_do_not_grow_beyond_the_most() -> None:
    assert len(shards(4_000, most=400_000)) == 100


def test_more_utterances_leave_the_shards_before_as_they_were() -> None:
    few, more = shards(3_000), shards(3_010)
    for one, other in zip(few[:-1], more[:-1], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
