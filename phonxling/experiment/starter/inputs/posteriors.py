"""Files of arrays → posteriors: by a look at the first frames, what their numbers are, the blank, and the labels."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from phonxling.core.errors import DataError
from phonxling.core.posteriorgram import ROW_TOLERANCE, RawPosteriors, Scale, probabilities
from phonxling.experiment.starter.inputs.names import named
from phonxling.experiment.starter.inputs.sides import Arrays, Inputs, reason_in
from phonxling.load.posteriors import FORMATS, load_raw_posteriors
from phonxling.phones.maps import BLANKS

Lists: TypeAlias = Mapping[Path, tuple[str, ...]]
_OPENED, _UTTERANCES, _FRAMES = 100, 12, 400  # files of a folder, utterances of each, frames of each of these
_BLANK_MASS = 0.3  # the mean mass that a blank has at least


def arrays_in(folder: Path, files: Sequence[Path], root: Path, inputs: Inputs) -> Iterator[Arrays]:
    """Yield each file of posteriors in a folder, and all of them together where they are of one kind.

    What cannot be read is entered among the inputs.
    """
    held = [path for path in files if path.suffix.lower() in FORMATS]
    if any(path.suffix.lower() == ".scp" for path in held):  # a list names the archives beside it
        held = [path for path in held if path.suffix.lower() != ".ark"]
    alone = [path for path in held if path.suffix.lower() == ".npy"]
    several = [path for path in held if path.suffix.lower() != ".npy"]
    paths = [*([_pattern(folder, alone, files)] if alone else []), *several[:_OPENED]]
    each = [one for path in paths if (one := _opened(path, root, inputs)) is not None]
    yield from each
    kinds = {(one.columns, one.path.suffix) for one in each}
    if len(each) == len(several) > 1 and not alone and len(kinds) == 1 and _differ(each):
        yield replace(
            each[0],
            path=_pattern(folder, several, files),
            key=tuple(word for word in each[0].key if all(word in one.key for one in each)),
            ids=frozenset().union(*(one.ids for one in each)),
            frames={name: number for one in each for name, number in one.frames.items()},
        )


def _opened(path: Path, root: Path, inputs: Inputs) -> Arrays | None:
    try:
        return _looked_at(path, root, inputs.labels)
    except (DataError, OSError) as error:
        inputs.unread[path.relative_to(root)] = reason_in(error)
        return None


def described(heard: Arrays, folder: Path) -> str:
    """Return what a person should know of posteriors, in a clause."""
    labels = f", labels: {heard.labels.relative_to(folder)}" if heard.labels else ""
    blank = f", blank: {heard.blank}" if heard.blank else ""
    size = f"{len(heard.ids):,} utterances, {len(heard.columns)} columns"
    return f"posteriors ({heard.path.relative_to(folder)}: {size}{labels}, scale: {heard.scale}{blank})"


def _differ(each: Iterable[Arrays]) -> bool:
    ids = [name for one in each for name in one.ids]
    return len(set(ids)) == len(ids)


def _pattern(folder: Path, meant: Sequence[Path], files: Sequence[Path]) -> Path:
    """Return the folder when it holds these files alone, else a glob that stands for them."""
    if len(meant) == len(files):
        return folder
    pairs = zip(min(meant).stem, max(meant).stem, strict=False)
    begin = "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return folder / f"{begin}*{meant[0].suffix}"


def _looked_at(path: Path, root: Path, lists: Lists) -> Arrays:
    names, raw = _labelled(path, lists)
    first = {name: _frames(raw, name) for name in raw.utterances[:: max(1, len(raw.utterances) // _UTTERANCES)]}
    values = np.concatenate([each[:_FRAMES] for each in first.values()])
    scale = scale_of(values)
    mass = _mass(values, scale) if scale else np.zeros(values.shape[1])
    return Arrays(
        path=path,
        key=named(path.relative_to(root)).key,
        ids=frozenset(raw.utterances),
        frames={name: len(each) for name, each in first.items()},
        columns=raw.labels,
        labels=names,
        scale=scale or "probability",
        blank=_blank(mass, raw.labels),
        frame_shift=raw.frame_shift,
        mass=dict(zip(raw.labels, mass.tolist(), strict=True)) if raw.labels else {},
        decision=_decision(raw, values, scale),
    )


def _decision(raw: RawPosteriors, values: NDArray[np.floating], scale: str) -> str:
    if not raw.labels:
        return (
            f"labels: no list names the {values.shape[1]} columns; write one label a line into phones.txt beside them"
        )
    return "" if scale else f"scale: a row sums to {float(values[0].sum()):.3g}, not to 1; say what the numbers are"


def scale_of(values: NDArray[np.floating]) -> str:
    """Return what frames hold; "" when they are neither probabilities, nor their logarithms, nor can be scores.

    Examples
    --------
    >>> half = np.full((3, 2), 0.5)
    >>> scale_of(half), scale_of(np.log(half)), scale_of(np.array([[2.0, -7.0]])), scale_of(3 * half)
    ('probability', 'log-probability', 'logit', '')
    """
    numbers = np.asarray(values, dtype=np.float64)
    if _sum_to_one(numbers) and numbers.min(initial=0) >= 0:
        return "probability"
    if numbers.max(initial=-math.inf) <= ROW_TOLERANCE and _sum_to_one(np.exp(numbers)):
        return "log-probability"
    return "" if numbers.min(initial=0) >= 0 else "logit"


def _sum_to_one(numbers: NDArray[np.float64]) -> bool:
    return bool((abs(numbers.sum(axis=1) - 1) <= ROW_TOLERANCE).all())


def _mass(values: NDArray[np.floating], scale: str) -> NDArray[np.float64]:
    """Return the share of all probability that each column has."""
    chances = probabilities(np.asarray(values, dtype=np.float64), cast("Scale", scale), "posteriors")
    return np.asarray(chances.mean(axis=0))


def _blank(mass: NDArray[np.float64], labels: Sequence[str]) -> str:
    """Return the label of a CTC blank: one that is called so, and has more of the mass than any phone could."""
    called = [place for place, label in enumerate(labels) if label.lower() in BLANKS]
    most = max(called, key=lambda place: float(mass[place]), default=None)
    return labels[most] if most is not None and mass[most] >= _BLANK_MASS else ""


def _labelled(path: Path, lists: Lists) -> tuple[Path | None, RawPosteriors]:
    """Return posteriors and the list that labels their columns, None where they do so themselves."""
    try:
        return None, load_raw_posteriors(path)
    except DataError:
        raw = load_raw_posteriors(path, labels=["unlabelled"])  # raises when it is not the labels that are missing
    columns = _frames(raw, raw.utterances[0]).shape[1]
    near = sorted(lists, key=lambda each: (len(os.path.relpath(each, path.parent)), each))
    fitting = next((each for each in near if len(lists[each]) == columns), None)
    return fitting, replace(raw, labels=() if fitting is None else lists[fitting])


def _frames(raw: RawPosteriors, name: str) -> NDArray[np.floating]:
    rows = np.asarray(raw.read(name))
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise DataError(f"{raw.source}: '{name}' has the shape {rows.shape}; posteriors are [frames, columns]")
    return rows
