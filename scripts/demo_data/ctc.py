"""A second recogniser that knows English alone: a network trained by connectionist temporal classification (CTC).

It learns from the phones of each utterance without their times, as today's recognisers do, and names each frame by a
phone or by the blank. torch is needed by this module alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .features import BANDS, log_mel
from .speech import Utterance, with_noise
from .symbols import ARPABET_TO_IPA

BLANK = "<blank>"
LABELS = (BLANK, *ARPABET_TO_IPA)
FRAME_SHIFT = 0.02  # seconds: two frames of the features
_COLUMN = {ipa: column for column, ipa in enumerate(ARPABET_TO_IPA.values(), 1)}

_CHANNELS = 192
_DILATIONS = (1, 1, 2, 2)
_EPOCHS = 8
_BATCH = 12  # utterances of about one length
_RATE = 3e-3  # of learning, at its highest
_DROPOUT = 0.2

_LOWEST = -16.0  # smaller logarithms are written as this one
_STEP = 1 / 16  # between two logarithms that can be written


class _Block(nn.Module):
    """A layer that sees each frame with two neighbours on either side, added to what comes in."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(_CHANNELS)
        self.layer = nn.Conv1d(_CHANNELS, _CHANNELS, 5, padding=2 * dilation, dilation=dilation)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, frames: Tensor) -> Tensor:
        normed = self.norm(frames.transpose(1, 2)).transpose(1, 2)
        seen: Tensor = self.dropout(torch.relu(self.layer(normed)))
        return frames + seen


def _network() -> nn.Sequential:
    """From features [utterances, bands, frames] to logits [utterances, labels, frames / 2].

    Every layer looks as far ahead as back, so that nothing makes the network late or early.
    """
    first = nn.Conv1d(BANDS, _CHANNELS, 6, stride=2, padding=2)
    return nn.Sequential(
        first, *(_Block(dilation) for dilation in _DILATIONS), nn.ReLU(), nn.Conv1d(_CHANNELS, len(LABELS), 1)
    )


@dataclass(frozen=True)
class CtcRecogniser:
    """The trained network."""

    network: nn.Sequential

    def hear(self, utterance: Utterance, rng: np.random.Generator) -> NDArray[np.float16]:
        """Return natural logarithms of the probabilities of `LABELS`, [frames of 20 ms, labels], coarsely rounded."""
        with torch.inference_mode():
            logits = self.network(_whole_frames(log_mel(utterance.samples, rng))[None])[0]
        return _rounded(logits.log_softmax(0).T.double().numpy())


def train(utterances: Sequence[Utterance], rng: np.random.Generator) -> CtcRecogniser:
    """Train on English speech, half of it with noise added, and on its phones without their times."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(int(rng.integers(2**31)))
    features = [_whole_frames(log_mel(with_noise(utterance.samples, rng), rng)) for utterance in utterances]
    phones = [_columns(utterance) for utterance in utterances]
    network = _network()
    shortest_first = np.argsort([mel.shape[1] for mel in features], kind="stable")
    batches = np.array_split(shortest_first, -(-len(features) // _BATCH))  # utterances of about one length together
    optimiser = torch.optim.AdamW(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=_EPOCHS * len(batches))
    for place in (place for _ in range(_EPOCHS) for place in rng.permutation(len(batches))):
        batch = batches[place]
        optimiser.zero_grad()
        _loss(network, [features[place] for place in batch], [phones[place] for place in batch]).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return CtcRecogniser(network.eval())


def likeliest_labels(logits: NDArray[np.floating]) -> list[str]:
    """Return the likeliest label of each frame, equal neighbours once and blanks left out."""
    columns = logits.argmax(1)
    first = np.append(True, columns[1:] != columns[:-1])
    return [LABELS[column] for column in columns[first] if LABELS[column] != BLANK]


def _whole_frames(mel: NDArray[np.float32]) -> Tensor:
    """Features [bands, frames], an even number of frames: a last one is left out."""
    return torch.from_numpy(mel[: len(mel) // 2 * 2].T.copy())


def _columns(utterance: Utterance) -> Tensor:
    return torch.tensor([_COLUMN[interval.phone] for interval in utterance.phones if interval.phone in _COLUMN])


def _loss(network: nn.Sequential, features: Sequence[Tensor], phones: Sequence[Tensor]) -> Tensor:
    """Return −ln p(phones | features) per phone, summed over all ways to place the phones in time."""
    padded = nn.utils.rnn.pad_sequence([mel.T for mel in features], batch_first=True).transpose(1, 2)
    log_shares = network(padded).log_softmax(1).permute(2, 0, 1)
    frames = torch.tensor([mel.shape[1] // 2 for mel in features])
    counts = torch.tensor([len(each) for each in phones])
    lost: Tensor = nn.functional.ctc_loss(log_shares, torch.cat(list(phones)), frames, counts, reduction="sum")
    return lost / counts.sum()


def _rounded(logarithms: NDArray[np.float64]) -> NDArray[np.float16]:
    """Write few different numbers, which compress: multiples of `_STEP`, none below `_LOWEST`."""
    return (np.round(np.maximum(logarithms, _LOWEST) / _STEP) * _STEP).astype(np.float16)
