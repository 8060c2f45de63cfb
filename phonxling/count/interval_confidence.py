"""Confidence from posteriors: what they give the predicted phone over the frames of its predicted interval."""

import numpy as np

from phonxling.core.arrays import Codes, Floats
from phonxling.core.interface.arguments import checked_types
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.sequences import PhoneSequences
from phonxling.core.work import SERIAL, Record, Work, joined
from phonxling.count.tokens import Timed, shards, sum_shard, without_names


@checked_types
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
    >>> spoken = PhoneSequences(utterances=("u",), offsets=[0, 1], codes=[0], start=[0.0], end=[0.02], inventory=phones)
    >>> posterior_confidence(frames, spoken).tolist()
    [0.75]
    """
    return interval_confidence(posteriorgrams, predicted, SERIAL)


def interval_confidence(posteriorgrams: Posteriorgrams, predicted: PhoneSequences, work: Work) -> Floats:
    """Return the same; whoever works keeps the confidences alone."""
    columns = {phone: code for code, phone in enumerate(posteriorgrams.inventory)}
    column = np.array([columns.get(phone, -1) for phone in predicted.inventory], dtype=np.int64)  # −1: none
    tasks = shards(posteriorgrams, predicted)
    records = work.map(confidence_shard, (without_names(posteriorgrams), column), tasks)
    return joined(records, {"confidence": (len(predicted.codes), np.float64)})["confidence"]


def confidence_shard(common: tuple[Posteriorgrams, Codes], task: Timed) -> Record:
    """Return the `confidence` of each token of a shard, NaN for none; `common` has the column of each phone, or −1."""
    posteriorgrams, column = common
    mass, own_column = sum_shard(posteriorgrams, task)["mass"], column[task.segments.codes]
    total, own = mass.sum(axis=1), mass[np.arange(len(mass)), own_column]
    defined = (total > 0) & (own_column >= 0)
    shares = np.divide(own, total, out=np.full(len(own), np.nan), where=defined)
    return {"confidence": np.minimum(shares, 1.0)}
