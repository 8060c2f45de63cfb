"""Fuzz what reads files: inputs that a coverage-guided mutator makes from small valid files, a process a target.

A finding is an exception that is not documented, a value that does not fit together, an input that takes more than 20
seconds or 2 GB, or the end of the process. Each is printed with its count, and one input of it saved. Targets stand in
`targets_*.py` beside this file: `targets(scratch)` gives, by name, a function of bytes and valid inputs.

Mutates with atheris (Apache-2.0; `pip install atheris`, an extra of this script alone), which sees which lines of
phonxling an input reaches; half of the inputs are mutated by the edits of the tests (`tests/fuzzing.py`) instead.
Without atheris all are, blindly, which the output says.

    python scripts/fuzz/run.py --inputs 100000 --only tsv textgrid --output /tmp/findings
"""

import argparse
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "scripts"), str(Path(__file__).parent)]
try:
    import atheris
except ImportError:
    atheris = None
LONGEST = 20  # seconds of one input
MEMORY = 2048  # MB


class Trial:
    """Calls a target with inputs, counts them and what they did, and saves one input of each finding."""

    def __init__(self, name: str, check: Callable[[bytes], object], inputs: int, output: Path) -> None:
        self._name, self._check, self._inputs, self._output = name, check, inputs, output
        self._tried, self._slowest, self._began = 0, 0.0, time.perf_counter()
        self._first: dict[str, str] = {}
        self._found = Counter[str]()

    def __call__(self, data: bytes) -> None:
        """Try one input; the last one ends the process."""
        begun = time.perf_counter()
        try:
            self._check(data)
        except Exception as error:  # noqa: BLE001 - whatever is not documented is a finding
            self._note(error, data)
        self._slowest = max(self._slowest, time.perf_counter() - begun)
        self._tried += 1
        if self._tried % 1000 == 0 or self._tried == self._inputs:
            self._tell()
        if self._tried == self._inputs:
            sys.stderr.flush()
            os._exit(0)  # libFuzzer has no other way to stop that keeps what we know

    def _note(self, error: Exception, data: bytes) -> None:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        if where not in self._first:
            self._first[where] = f"{where}: {str(error)[:200]!r}"
            (self._output / f"{self._name.replace(' ', '-')}-{len(self._found)}").write_bytes(data)
        self._found[self._first[where]] += 1

    def _tell(self) -> None:
        took = time.perf_counter() - self._began
        told = {"tried": self._tried, "seconds": took, "slowest": self._slowest, "found": self._found}
        (self._output / f"{self._name.replace(' ', '-')}.json").write_text(json.dumps(told), encoding="utf-8")


def blindly_mutated(seeds: tuple[bytes, ...], chance: random.Random) -> bytes:
    """Return a valid input after a few of the tests' edits."""
    from fuzzing import EDITS, TOKENS, mutated

    edits = [
        (chance.choice(sorted(EDITS)), chance.random(), chance.random(), chance.choice(TOKENS))
        for _ in range(chance.randint(1, 5))
    ]
    return mutated(chance.choice(seeds), edits)


def _guided(trial: Trial, seeds: tuple[bytes, ...], output: Path, corpus: Path) -> None:
    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311 - no secret
        return blindly_mutated((*seeds, data), chance)[:most] if chance.random() < 0.5 else atheris.Mutate(data, most)

    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)
    options = [f"-timeout={LONGEST}", f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={output}/", "-max_len=20000"]
    options += ["-report_slow_units=1000", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], trial, custom_mutator=mutate)
    atheris.Fuzz()


def _targets(scratch: Path) -> dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("targets_*.py"))
    if atheris is None:
        modules = [importlib.import_module(name) for name in names]
    else:
        with atheris.instrument_imports(include=["phonxling"]):
            modules = [importlib.import_module(name) for name in names]
    return {name: target for module in modules for name, target in module.targets(scratch).items()}


def _one(name: str, inputs: int, output: Path, scratch: Path) -> None:
    check, seeds = _targets(scratch / "input")[name]
    trial = Trial(name, check, inputs, output)
    if atheris is not None:
        _guided(trial, seeds, output, scratch / "corpus")
    chance = random.Random(0)  # noqa: S311
    while True:
        trial(blindly_mutated(seeds, chance))


def main() -> int:
    """Try all targets, or those named; print a line each, and what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs a target")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="names of targets")
    parser.add_argument("--output", type=Path, default=Path("fuzzed"), help="where findings are saved")
    parser.add_argument("--target", help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    if asked.target:
        _one(asked.target, asked.inputs, asked.output, asked.scratch)
    print("inputs by atheris, guided by coverage" if atheris else "atheris is not installed: inputs by blind mutation")
    names = asked.only or list(_targets(Path()))
    return max(_report(name, asked.inputs, asked.output) for name in names)


def _report(name: str, inputs: int, output: Path) -> int:
    memory = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        options = ["--target", name, "--inputs", str(inputs), "--output", str(output), "--scratch", scratch]
        command = [sys.executable, __file__, *options]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    kept = output / f"{name.replace(' ', '-')}.json"
    told = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else dict.fromkeys(("tried", "seconds"), 0)
    slowest = f"slowest {told.get('slowest', 0):.2f} s"
    print(f"{name}: {told['tried']:,} inputs in {told['seconds']:.0f} s, {slowest}", flush=True)
    for what, count in told.get("found", {}).items():
        print(f"  {what} ({count} inputs)")
    if done.returncode:
        print(f"  the process ended with {done.returncode}: {done.stderr[-1000:]}")
    return int(bool(told.get("found")) or done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
