#!/usr/bin/env python3
"""Measure what users wait for, beside other libraries on the same work, in turns: the table of docs/performance.md.

Results are compared first: a ratio never compares different work. Times are the processor's, which other programs on
the machine change little; only ratios carry over to other machines. All peers: pip install "phonxling[bench]".
Usage: .venv/bin/python scripts/benchmark.py [--only NAME[,NAME…]] [--rounds N] [--scale X]
"""

import argparse
import gc
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

import numpy as np
from scale.frames import SHIFT, frames_in_memory
from scale.measuring import taken
from scale.text import write_text
from scale.workload import INVENTORY, PHONES, corpus_of, workload
from scipy import sparse

import phonxling as px

Ways = Mapping[str, Callable[[], object]]  # to do the same work; the first is ours
Size = Callable[[int], int]
PANPHON_PAIRS = 100  # it is too slow for all
SCORED = (2, 100, 1_666, 20_000)  # utterances


def rates_of_files(size: Size, folder: Path) -> Iterator[tuple[str, Ways]]:
    """Yield PER from two files: loading, pairing and distances."""
    for pairs in map(size, (20_000, 200_000)):
        files = [write_text(folder / f"text{pairs}", pairs).with_name(f"{side}.tsv") for side in ("gold", "predicted")]
        ways: dict[str, Callable[[], object]] = {"": lambda files=files: px.phone_error_rate(px.load_corpus(*files))}
        if peer := _peer("rapidfuzz.distance"):
            ways["rapidfuzz, four lines"] = partial(_four_lines, files, peer.Levenshtein.distance)
        if (peer := _peer("kaldialign")) and pairs == size(20_000):
            ways["kaldialign, four lines"] = partial(
                _four_lines, files, lambda *pair: peer.edit_distance(*pair)["total"]
            )
        yield f"PER from two files, {pairs:,} pairs", ways


def _four_lines(files: list[Path], distance: Callable[[list[str], list[str]], int]) -> float:
    rows = ([line.split("\t")[1].split() for line in file.read_text("utf-8").splitlines()[1:]] for file in files)
    gold, predicted = rows
    return sum(map(distance, gold, predicted)) / sum(map(len, gold))


def joined_ipa(size: Size, _: Path) -> Iterator[tuple[str, Ways]]:
    """Yield the cutting of joined IPA into phones."""
    gold, _ = workload(size(10_000))
    strings = ["".join(PHONES[code] for code in run.tolist()) for run in gold.runs()]
    ways: dict[str, Callable[[], object]] = {
        "": lambda: sum(len(px.symbols.segment_ipa(one, ties="required")) for one in strings)
    }
    if peer := _peer("panphon"):
        table = peer.FeatureTable()
        ways["panphon's ipa_segs"] = lambda: sum(len(table.ipa_segs(one)) for one in strings)
    yield f"joined IPA, {len(strings):,} strings of {len(gold.codes):,} phones", ways


def confusions(size: Size, _: Path) -> Iterator[tuple[str, Ways]]:
    """Yield lists to a confusion matrix, with the path; and the feature-weighted distance alone."""
    sides = workload(size(20_000))
    gold, predicted = ([[PHONES[code] for code in run.tolist()] for run in side.runs()] for side in sides)
    costs = px.feature_costs(INVENTORY, INVENTORY)

    def ours() -> int:
        aligned = px.align_corpus(px.load_corpus(gold, predicted), costs)
        return int(px.count_confusions(aligned).counts[:-1].sum())

    def counted(opcodes: Callable[..., Iterable[tuple[str, int, int, int, int]]]) -> int:
        counts: Counter[tuple[str, str]] = Counter()
        for first, second in zip(gold, predicted, strict=True):
            for _, start, stop, begin, end in opcodes(first, second):
                counts.update(zip_longest(first[start:stop], second[begin:end], fillvalue="∅"))
        return sum(number for (phone, _), number in counts.items() if phone != "∅")

    ways: dict[str, Callable[[], object]] = {"": ours}
    if peer := _peer("rapidfuzz.distance"):
        ways["rapidfuzz's opcodes and Counter, unit costs"] = lambda: counted(peer.Levenshtein.opcodes)
    yield f"confusions at feature costs, {len(gold):,} pairs", ways


def feature_distances(size: Size, _: Path) -> Iterator[tuple[str, Ways]]:
    """Yield the feature-weighted distance of a hundred pairs, which panphon has at other costs of gaps."""
    sides = workload(min(PANPHON_PAIRS, size(PANPHON_PAIRS)))
    corpus, costs = corpus_of(*sides), px.feature_costs(INVENTORY, INVENTORY)
    ways: dict[str, Callable[[], object]] = {"": lambda: len(px.align_corpus(corpus, costs).cost)}
    if peer := _peer("panphon.distance"):
        distance = peer.Distance().feature_edit_distance
        words = [["".join(PHONES[code] for code in run.tolist()) for run in side.runs()] for side in sides]
        ways["panphon's feature_edit_distance"] = lambda: len([*map(distance, *words)])
    yield f"feature-weighted distances, {len(corpus.utterances):,} pairs", ways


def joint_counts(size: Size, _: Path) -> Iterator[tuple[str, Ways]]:
    """Yield the sums of frames by gold phone."""
    values, segments, posteriorgrams = frames_in_memory(size(200))
    lengths = np.rint((np.array(segments.end) - np.array(segments.start)) / SHIFT).astype(np.int64)
    codes = np.repeat(segments.codes, lengths)
    where = codes, np.arange(len(codes) + 1)
    hot = sparse.csr_array((np.ones(len(codes), np.float32), *where), shape=(len(codes), len(INVENTORY))).T.tocsr()
    yield (
        f"joint counts of {len(values):,} × {values.shape[1]} posteriors",
        {
            "": lambda: px.joint_distribution(posteriorgrams, segments, unit="frame").mass,
            "SciPy, sparse one-hot @": lambda: hot @ values,
        },
    )


def scores(size: Size, folder: Path) -> Iterator[tuple[str, Ways]]:
    """Yield `px.score` again in one process, with chance and intervals; it has no peer."""
    for utterances in map(size, SCORED):
        files = [folder / f"scored{utterances}" / f"{side}.tsv" for side in ("gold", "predicted")]
        write_text(files[0].parent, utterances)
        yield f"px.score again, {utterances:,} utterances", {"": lambda files=files: px.score(*files).per}


SECTIONS = {
    "per": rates_of_files,
    "ipa": joined_ipa,
    "confusions": confusions,
    "features": feature_distances,
    "joint": joint_counts,
    "score": scores,
}


def main() -> None:
    """Print the rows that the command line asks for."""
    chosen = _arguments()
    print("| work | ours | beside | its time | ours is of that |\n|---|---:|---|---:|---:|")

    def size(full: int) -> int:
        return max(2, round(chosen.scale * full))

    with tempfile.TemporaryDirectory() as folder:
        for name in chosen.only:
            if name == "command":
                print_commands(size, Path(folder), chosen.rounds)
            else:
                for work, ways in SECTIONS[name](size, Path(folder)):
                    print_race(work, ways, chosen.rounds)


def print_race(work: str, ways: Ways, rounds: int) -> None:
    """Do the work in each way in turns, after a first time that is not counted, and print the medians."""
    first = {name: np.asarray(way()) for name, way in ways.items()}
    for name, result in first.items():
        if not np.allclose(result, first[""], rtol=1e-3):  # sums of single precision; else the same numbers
            sys.exit(f"{work}: the result of {name} is not ours")  # a ratio would compare different work
    seconds = {name: np.median(each) for name, each in _in_turns(ways, rounds).items()}
    for name in [name for name in ways if name] or [""]:
        ratio = f"{seconds[''] / seconds[name]:.2g}" if name else ""
        beside = f"{seconds[name]:.3g} s" if name else ""
        print(f"| {work} | {seconds['']:.3g} s | {name or '–'} | {beside} | {ratio} |", flush=True)


def print_commands(size: Size, folder: Path, rounds: int) -> None:
    """Print how long `phonxling score` takes in processes of its own, imports included; and on a new machine."""
    for utterances in map(size, SCORED):
        paths = write_text(folder / f"score{utterances}", utterances)
        command = ["-m", "phonxling", "score", *(str(paths.with_name(f"{side}.tsv")) for side in ("gold", "predicted"))]
        if utterances == size(SCORED[0]):
            with tempfile.TemporaryDirectory(dir=folder) as home:
                new = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"), home)
                print(f"| the first score of a machine | {taken(command, new).worked:.3g} s | – | | |", flush=True)
        taken(command)  # compiled
        worked = np.median([taken(command).worked for _ in range(rounds)])
        print(f"| score, {utterances:,} utterances | {worked:.3g} s | – | | |", flush=True)


def _in_turns(ways: Ways, rounds: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()  # what one way leaves behind is not the next one's to clear
            start = time.process_time()
            way()
            seconds[name].append(time.process_time() - start)
    return seconds


def _peer(module: str) -> object | None:
    try:
        return import_module(module)
    except ImportError:
        print(f"{module} is not installed: no row of it", file=sys.stderr)
        return None


def _arguments() -> argparse.Namespace:
    names = (*SECTIONS, "command")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=names, help=f"of {', '.join(names)}")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="each runs ours and every other once")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="a factor on the size of the workloads")
    chosen = parser.parse_args()
    if unknown := {*chosen.only} - {*names}:
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}; there are: {', '.join(names)}")
    return chosen


if __name__ == "__main__":
    main()
