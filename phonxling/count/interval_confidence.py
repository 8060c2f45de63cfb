"""Confidence from posteriors: what they give the predicted phone over the frames of its predicted interval."""

import numpy as np

from phonxling.core.arrays import Floats
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.count.tokens import token_sums


def posterior_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences) -> Floats:
    """Return the mean posterior of each predicted phone over the frames of its own interval, float64 [M], in 0 … 1.

    Frames belong to an interval by their centres, and weigh by their mass outside silence and blank, as those of gold
    tokens do: a(i) = Σ_t p(x_i|t) / Σ_t Σ_e p(e|t), e over the phones.

    Parameters
    ----------
    posteriorgrams : Posteriorgrams
        Of the same utterances.
    predicted : PhoneSequences
        M predicted phones with times.

    Returns
    -------
    float64 array [M]
        NaN for a phone that is no column of the posteriors, for an interval too short to hold the centre of a frame,
        and for one whose frames are all silence.

    Raises
    ------
    DataError
        As for `token_posteriors`.

    Examples
    --------
    Two frames of 10 ms are heard as one a:

    >>> from phonxling.core.inventory import Inventory
    >>> phones = Inventory(("a", "b"))
    >>> frames = Posteriorgrams(source="here", utterances=("u",), inventory=phones, columns=[0, 1],
    ...                         read={"u": np.array([[0.5, 0.5], [1.0, 0.0]])}.__getitem__, frame_shift=0.01)
    >>> heard = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> posterior_confidence(frames, heard).tolist()
    [0.75]
    """
    known = [phone in posteriorgrams.inventory for phone in predicted.inventory]
    column = np.array(
        [
            posteriorgrams.inventory.code(phone) if have else 0
            for phone, have in zip(predicted.inventory, known, strict=True)
        ],
        dtype=np.int64,
    )
    found = [np.zeros(0)]
    for part in token_sums(posteriorgrams, predicted):
        total, own = part.mass.sum(axis=1), part.mass[np.arange(len(part.codes)), column[part.codes]]
        given = np.divide(own, total, out=np.full(len(own), np.nan), where=total > 0)
        found.append(np.where(np.array(known, dtype=bool)[part.codes], np.minimum(given, 1.0), np.nan))
    return np.concatenate(found)
