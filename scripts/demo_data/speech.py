"""Utterances: text spoken by one of the speakers, with its phones and their times."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from . import symbols, yoruba
from .espeak import Event, Rendering, Synthesiser
from .timing import SILENCE, Interval, time_phones

SAMPLE_RATE = 16_000
_NOISY_SHARE = 0.5
_NOISE_RATIOS = (12.0, 35.0)  # dB
_EDGE = 0.1  # seconds of silence before and after the speech, of which espeak itself leaves next to none

# Variants of espeak's voice. Left out are those whose samples differ from process to process, and whispers and robots.
SPEAKERS = ("m1", "m3", "m4", "m7", "f1", "f4", "f5", "Andrea", "max", "klatt", "klatt2", "klatt3")
_SPEEDS = (120, 175)  # words per minute
_PITCHES = (30, 70)  # of 100
_VOICES = {
    "english": "en-us",
    "yoruba": "hi",
    "swahili": "sw",
    "spanish": "es-419",
    "german": "de",
    "italian": "it",
    "turkish": "tr",
    "indonesian": "id",
    "finnish": "fi",
}


@dataclass(frozen=True)
class Utterance:
    """One spoken utterance: samples at 16,000 a second; phones and silences without gap from 0 to the end."""

    name: str
    speaker: str
    text: str
    samples: NDArray[np.float32]
    phones: tuple[Interval, ...]


def speak(synthesiser: Synthesiser, language: str, texts: Sequence[str], rng: random.Random) -> list[Utterance]:
    """Speak each text, the speakers in turn, speed and pitch at random."""
    utterances = []
    for number, text in enumerate(texts):
        variant = SPEAKERS[number % len(SPEAKERS)]
        rendering = synthesiser.render(
            yoruba.encode(text) if language == "yoruba" else text,
            f"{_VOICES[language]}+{variant}",
            speed=rng.randint(*_SPEEDS),
            pitch=rng.randint(*_PITCHES),
        )
        rendering = _with_edges(rendering)
        phones = _name_phones(language, text, time_phones(rendering))
        name = f"{language}_{number + 1:03d}"
        samples = resample_poly(rendering.samples.astype(np.float64), SAMPLE_RATE, rendering.rate).astype(np.float32)
        utterances.append(Utterance(name, variant.lower(), text, samples, tuple(phones)))
    return utterances


def with_noise(samples: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the samples of half of the utterances with noise, 12 to 35 dB below them, and the others as they are."""
    if rng.random() >= _NOISY_SHARE:
        return samples
    deviation = samples.std() * 10 ** (-rng.uniform(*_NOISE_RATIOS) / 20)
    return (samples + rng.normal(0, deviation, len(samples))).astype(np.float32)


def _with_edges(rendering: Rendering) -> Rendering:
    edge = round(_EDGE * rendering.rate)
    samples = np.pad(rendering.samples, edge)
    events = [Event(event.sample + edge, event.phone) for event in rendering.events]
    return Rendering(samples, rendering.rate, (Event(0, ""), *events, Event(len(samples) - edge, "")))


def _name_phones(language: str, text: str, intervals: Sequence[Interval]) -> list[Interval]:
    named = [part for interval in intervals for part in _fold(interval, english=language == "english")]
    if language != "yoruba":
        return named
    merged = yoruba.merge_labial_velars(named)
    spoken = [interval.phone for interval in merged if interval.phone != SILENCE]
    meant = [phone for word in text.replace(",", "").rstrip(".").split() for phone in yoruba.spell(word)]
    if spoken != meant:
        raise ValueError(f"espeak did not say {text!r} as spelled: meant {meant}, said {spoken}")
    return merged


def _fold(interval: Interval, *, english: bool) -> list[Interval]:
    """Name an interval; where a symbol of espeak holds two phones, each gets half of it."""
    phones = (SILENCE,) if interval.phone == SILENCE else symbols.fold(interval.phone, english=english)
    bounds = np.linspace(interval.start, interval.end, len(phones) + 1).tolist()
    return [Interval(start, end, phone) for start, end, phone in zip(bounds[:-1], bounds[1:], phones, strict=True)]
