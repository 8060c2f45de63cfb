"""Folders of data as people have them, made on the spot: for tests of the starter configuration."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from support import write

LABELS = ["aa", "ae", "ah", "b", "d", "iy", "k", "l", "m", "n", "p", "s", "t", "uw"]
IPA = ["ɑ", "a", "e", "b", "d", "i", "k", "l", "m", "n", "p", "s", "t", "u"]
UTTERANCES = [f"spk{number % 3}_u{number:02d}" for number in range(12)]
SHIFT = 0.01


def spoken(phones: Sequence[str], seed: int = 3, ids: Sequence[str] = UTTERANCES) -> dict[str, list[str]]:
    """Return some phones for each utterance: all of them in turn, then some by chance."""
    generator = np.random.default_rng(seed)
    return {
        name: [phones[(place + 5 * number) % len(phones)] for place in range(5)] + [*generator.choice(phones, 3)]
        for number, name in enumerate(ids)
    }


def table(path: Path, rows: dict[str, list[str]], names: tuple[str, str] = ("utterance", "phones")) -> Path:
    """Write a table of utterances and their phones."""
    lines = ["\t".join(names), *(f"{name}\t{' '.join(phones)}" for name, phones in rows.items())]
    return write(path, "\n".join(lines) + "\n")


def kaldi_text(path: Path, rows: dict[str, list[str]]) -> Path:
    """Write Kaldi's text: an id, then phones."""
    return write(path, "".join(f"{name} {' '.join(phones)}\n" for name, phones in rows.items()))


def ctm(path: Path, rows: dict[str, list[str]]) -> Path:
    """Write a CTM in which each phone lasts 60 ms."""
    lines = [f"{name} 1 {0.06 * n:.2f} 0.06 {phone}" for name, row in rows.items() for n, phone in enumerate(row)]
    return write(path, "\n".join(lines) + "\n")


def text_grid(path: Path, tiers: dict[str, list[str]]) -> Path:
    """Write a short TextGrid in which each label lasts 60 ms."""
    end = 0.06 * max(map(len, tiers.values()))
    lines = ['"ooTextFile"', '"TextGrid"', "0", f"{end:g}", "<exists>", str(len(tiers))]
    for name, labels in tiers.items():
        lines += ['"IntervalTier"', f'"{name}"', "0", f"{end:g}", str(len(labels))]
        lines += [f'{0.06 * n:g}\n{0.06 * (n + 1):g}\n"{label}"' for n, label in enumerate(labels)]
    return write(path, "\n".join(['File type = "ooTextFile"', *lines[1:]]) + "\n")


def posteriors(
    path: Path,
    rows: dict[str, list[str]],
    labels: Sequence[str],
    *,
    labelled: bool = True,
    shift: float | None = SHIFT,
    blank: str = "",
    kind: str = "probability",
) -> Path:
    """Write posteriors of six frames a phone (five of them blank, where there is one)."""
    columns = [*labels, *([blank] if blank else [])]
    arrays: dict[str, np.ndarray] = {"phones": np.array(columns)} if labelled else {}
    arrays |= {} if shift is None else {"frame_shift_s": np.array(shift)}
    for name, phones in rows.items():
        best = [
            place
            for phone in phones
            for place in [columns.index(phone), *[len(labels) if blank else columns.index(phone)] * 5]
        ]
        values = np.full((len(best), len(columns)), 0.1 / (len(columns) - 1))
        values[np.arange(len(best)), best] = 0.9
        arrays[name] = values if kind == "probability" else np.log(values) + (3.0 if kind == "logit" else 0.0)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)
    return path
