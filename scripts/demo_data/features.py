"""Log-mel features, ten milliseconds a frame, each frame seen with its neighbours."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .speech import SAMPLE_RATE

FRAME_SHIFT = 0.01  # seconds
_SHIFT = round(FRAME_SHIFT * SAMPLE_RATE)
_WINDOW = 400  # samples, 25 ms
_FFT = 512
BANDS = 40
_LOWEST, _HIGHEST = 60.0, 7600.0  # Hz
_PREEMPHASIS = 0.97
_HISS = 4.0  # standard deviation, of 32,768: digital silence has no logarithm
_FLOOR = 100.0

# Neighbours that the classifier sees, in frames: near ones all, farther ones every other.
_CONTEXT = np.array([-10, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 10])


def log_mel(samples: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return log-mel energies [frames, bands], each band with mean 0 and deviation 1 over the utterance.

    Frame t is the time from t to t + 1 hundredths of a second: its window is centred on the middle of that, and a
    last part of a frame is left out.
    """
    noisy = samples + rng.normal(0, _HISS, len(samples))
    emphasised = np.append(noisy[0], noisy[1:] - _PREEMPHASIS * noisy[:-1])
    frames = len(samples) // _SHIFT
    padded = np.pad(emphasised, (_WINDOW - _SHIFT) // 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[: frames * _SHIFT : _SHIFT]
    power = np.abs(np.fft.rfft(windows * np.hamming(_WINDOW), _FFT)) ** 2
    energies = np.log(power @ _mel_bands() + _FLOOR)
    return ((energies - energies.mean(0)) / (energies.std(0) + 1e-3)).astype(np.float32)


def context_rows(frames: int) -> NDArray[np.int32]:
    """Return the rows that each frame sees, [frames, neighbours]; the first and last row stand for those beyond."""
    return np.clip(np.arange(frames)[:, None] + _CONTEXT, 0, frames - 1).astype(np.int32)


@cache
def _mel_bands() -> NDArray[np.float64]:
    """Triangular filters [frequency bins, bands], evenly spaced on the mel scale."""
    lowest, highest = 2595 * np.log10(1 + np.array([_LOWEST, _HIGHEST]) / 700)
    corners = 700 * (10 ** (np.linspace(lowest, highest, BANDS + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(_FFT, 1 / SAMPLE_RATE)
    bands = [np.interp(bins, corners[band : band + 3], [0.0, 1.0, 0.0], left=0.0, right=0.0) for band in range(BANDS)]
    return np.stack(bands, axis=1)
