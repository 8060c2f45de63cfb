"""Forced alignment of gold phones with CTC posteriors, against full tables in C and torchaudio."""

import ctypes
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import twin
from benchmarks.contest import Contest, Goal, Peer, Row, Settings, Work, library, measure
from phonxling.forced.trellis import chain_of, trellis

SOURCE = Path(__file__).with_name("chain.c")
PHONES = 40
_NOISE = 1e-9  # so little that the others, who have none, give the same
_CLOSE = 1e-4
Floats = NDArray[np.float64]


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the section's rows: sentences, and a long recording."""
    for frames, tokens, number in ((330, 36, settings.size(200, quick=20)), (10_000, 500, settings.size(4, quick=2))):
        cases = [_case(frames, tokens, seed) for seed in range(number)]
        work = f"{number} × {frames:,} frames of {PHONES + 1}, {tokens} phones"
        for contest in _contests(work, cases):
            yield from measure(contest, settings.repeats)


class _Case:
    """An utterance: frames as probabilities [T, 41], blank last, in double precision; the phones it was made of."""

    def __init__(self, heard: Floats, phones: NDArray[np.int32]) -> None:
        self.heard, self.phones = heard, phones
        self.logs, self.chain = np.log(heard), chain_of(phones, 1, blank=True)
        self.model = np.eye(PHONES + 1)[np.append(self.chain.phones, PHONES)]  # each phone sounds like itself
        self.sides = ctypes.c_int64(len(heard)), ctypes.c_int64(PHONES + 1)

    def path(self) -> NDArray[np.int32]:
        return trellis(self.heard, self.chain, self.model, _NOISE, where="here").path

    def likelihood(self) -> float:
        return trellis(self.heard, self.chain, self.model, _NOISE, where="here").log_likelihood

    def call(self, function: object, result: NDArray[np.generic]) -> float:
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (self.logs, self.phones, result)]
        phones = pointers[1], ctypes.c_int64(len(self.phones))
        return float(function(pointers[0], *self.sides, *phones, pointers[2]))  # type: ignore[operator]

    def c_path(self, compiled: ctypes.CDLL) -> NDArray[np.int32]:
        path = np.empty(len(self.heard), np.int32)
        self.call(compiled.best_path, path)
        return path

    def c_likelihood(self, compiled: ctypes.CDLL) -> float:
        return self.call(compiled.occupy, np.empty((len(self.heard), 2 * len(self.phones) + 1)))


def _contests(work: str, cases: list[_Case]) -> Iterator[Contest]:
    compiled, reason = twin.build(SOURCE)
    fastest = "C, full table"
    both = [Peer(fastest, None, goal=Goal(ratio=1), note=reason)]
    paths = both[:]
    if compiled is not None:
        for function in (compiled.best_path, compiled.occupy):
            function.restype = ctypes.c_double

        def same_path() -> bool:
            return all(np.array_equal(one.c_path(compiled), one.path()) for one in cases)

        def same_sum() -> bool:
            return all(abs(one.c_likelihood(compiled) - one.likelihood()) < _CLOSE for one in cases)

        paths = [Peer(fastest, lambda: [one.c_path(compiled) for one in cases], same_path, Goal(ratio=1))]
        both = [Peer(fastest, lambda: [one.c_likelihood(compiled) for one in cases], same_sum, Goal(ratio=1))]
    ours: Work = lambda: [one.path() for one in cases]  # noqa: E731
    yield Contest("forced", f"best path, {work}", ours, [*paths, _torchaudio(cases)])
    everything: Work = lambda: [one.likelihood() for one in cases]  # noqa: E731
    yield Contest("forced", f"best path and all paths, {work}", everything, both)


def _torchaudio(cases: list[_Case]) -> Peer:
    name = "torchaudio forced_align"
    module, reason = library("torchaudio.functional")
    torch, _ = library("torch")
    if module is None or torch is None:
        return Peer(name, None, goal=Goal(ratio=1), note=reason)
    torch.set_num_threads(1)
    given = [(torch.tensor(one.logs.astype(np.float32))[None], torch.tensor(one.phones)[None]) for one in cases]

    def work() -> list[object]:
        return [module.forced_align(logs, phones, blank=PHONES)[0] for logs, phones in given]

    def same() -> bool:
        shown = [np.append(one.phones, PHONES)[np.where(one.path() % 2, one.path() // 2, -1)] for one in cases]
        return all((mine == theirs.numpy()[0]).mean() > 0.999 for mine, theirs in zip(shown, work(), strict=True))

    return Peer(name, work, same, Goal(ratio=1), note="single precision")


def _case(frames: int, tokens: int, seed: int) -> _Case:
    """Return an utterance that shows each phone in a frame of its own, one in five as another one."""
    generator = np.random.default_rng(seed)
    phones = generator.integers(PHONES, size=tokens).astype(np.int32)
    peaks = 2 * np.sort(generator.choice(frames // 2, tokens, replace=False))
    heard = 1e-4 + 1e-3 * generator.random((frames, PHONES + 1))
    heard[:, -1] = 1
    heard[peaks, -1] = 0.1
    shown = np.where(generator.random(tokens) < 0.2, generator.integers(PHONES, size=tokens), phones)
    heard[peaks, shown] += 0.9
    return _Case(heard / heard.sum(axis=1, keepdims=True), phones)
