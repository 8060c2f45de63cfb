"""How sharp or flat the posteriors of single frames are, summed over the frames of each gold token."""

import numpy as np

from phonxling.core.means import FrameEntropy
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Work
from phonxling.count.tokens import Asked, token_sums

_ASKED = Asked(entropies=True)


def frame_entropy(posteriorgrams: Posteriorgrams, segments: PhoneSequences, work: Work = SERIAL) -> FrameEntropy:
    """Return the entropies of the frames of each gold token; memory and errors as for `token_sums`.

    Examples
    --------
    >>> from phonxling.core.inventory import Inventory
    >>> phones = Inventory(("a", "b"))
    >>> frames = Posteriorgrams(source="here", utterances=("u",), inventory=phones, columns=[0, 1],
    ...                         read={"u": np.array([[0.5, 0.5], [1.0, 0.0]])}.__getitem__, frame_shift=0.01)
    >>> spoken = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> entropy = frame_entropy(frames, spoken)
    >>> entropy.bits.tolist(), entropy.mass.tolist()
    ([1.0], [2.0])
    """
    parts = [(part.bits, part.mass.sum(axis=1)) for part in token_sums(posteriorgrams, segments, work, asked=_ASKED)]
    bits, mass = (np.concatenate([np.zeros(0), *each]) for each in zip(*parts, strict=True)) if parts else ([], [])
    return FrameEntropy(np.array(bits), np.array(mass))
