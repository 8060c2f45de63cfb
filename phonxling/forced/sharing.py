"""How blanks are shared between the phones of a CTC recogniser, which shows each phone for a frame or two only.

The border between two phones stands in the middle of the blanks between them. On either side of its own frames a phone
reaches over no more blanks than the median number of them between neighbours, in the corpus: what is beyond belongs to
none, for there is silence, most likely.
"""

import numpy as np
from numpy.typing import NDArray

from phonxling.core.arrays import Codes, Floats


def shared_blanks(first: Codes, last: Codes, offsets: NDArray[np.int64], frames: Codes) -> tuple[Floats, Floats]:
    """Return where each token begins and ends, in frames [N], of its own frames first … last − 1.

    `offsets` cuts the tokens into utterances, of which `frames` has the lengths.

    Examples
    --------
    Three phones in twenty frames; four blanks, then two stand between them:

    >>> begins, ends = shared_blanks(
    ...     np.array([5, 10, 13]), np.array([6, 11, 14]), np.array([0, 3]), np.array([20]))
    >>> begins.tolist(), ends.tolist()
    ([2.0, 8.0, 12.0], [8.0, 12.0, 17.0])
    """
    lengths = np.diff(offsets)
    begin_of, end_of = np.zeros(len(first)), np.repeat(frames, lengths).astype(np.float64)
    inside = np.ones(len(first), dtype=bool)
    inside[offsets[:-1][lengths > 0]] = False  # has a token before it, in its utterance
    later = np.flatnonzero(inside)
    blanks = first[later] - last[later - 1]
    reach = float(np.median(blanks)) if len(blanks) else np.inf
    begin_of[later] = end_of[later - 1] = last[later - 1] + blanks / 2
    return np.maximum(begin_of, first - reach), np.minimum(end_of, last + reach)
