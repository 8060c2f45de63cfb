"""How memory and time grow with hostile files of growing size: each is read in a process of its own, with a limit.

Prints, for every case at one, two and four times the size: bytes of the file, seconds, peak memory above an empty
process and as a multiple of the file's bytes, and what became of it. A multiple that stays and seconds that double are
right; seconds that grow fourfold mean time that grows with the square of the size.

    python scripts/fuzz/sizes.py --megabytes 16 --limit 8
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ = """
import resource, sys, time
from pathlib import Path
from phonxling.core.errors import DataError
from phonxling.load import formats
from phonxling.load import resources
name, path = sys.argv[1], Path(sys.argv[2])
before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
try:
    if name == "costs":
        resources.load_cost_table(path)
    elif name == "features":
        resources.load_features(path, "none")
    elif name == "same":
        resources.load_same_phones(path)
    else:
        formats.load_transcript(path, name, tier="p" if name in {"textgrid", "eaf"} else None)
    said = "read"
except DataError as error:
    said = str(error).replace(str(path), "…").partition(chr(10))[0][:90]
took = time.perf_counter() - begun
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, said, sep=chr(9))
"""
MB = 1 << 20
Make = Callable[[int], bytes]


def filled(begin: bytes, piece: bytes, end: bytes = b"") -> Make:
    """Return what makes a file of so many bytes from a beginning, a piece that is repeated, and an end."""
    return lambda size: begin + piece * max(1, (size - len(begin) - len(end)) // len(piece)) + end


def counted(begin: bytes, piece: str, end: bytes = b"") -> Make:
    """As `filled`, with the number of each piece in it."""
    return lambda size: begin + "".join(piece.format(n) for n in range(size // len(piece))).encode() + end


GRID = b'"ooTextFile"\n"TextGrid"\n0\n2\n<exists>\n'
CASES: Mapping[str, tuple[str, Make]] = {
    "one line of phones (tsv)": ("tsv", filled(b"utterance\tphones\nu\t", b"a ")),
    "one line of phones (trn)": ("trn", filled(b"", b"a ")),
    "one line of phones, other letters (tsv)": ("tsv", filled(b"utterance\tphones\nu\t", "ɛ ".encode())),
    "one emoji in one line (tsv)": ("tsv", filled("utterance\tphones\n\U0001f600\t".encode(), b"a ")),
    "columns (tsv)": ("tsv", counted(b"utterance\tphones", "\tc{}")),
    "columns (csv)": ("csv", counted(b"utterance,phones", ",c{}")),
    "cells of quotes and line ends (csv)": ("csv", filled(b"utterance,phones\n", b'"\n",')),
    "rows of one cell (tsv)": ("tsv", filled(b"utterance\tphones\n", b"u\n")),
    "blank lines (tsv)": ("tsv", filled(b"utterance\tphones\n", b"\n")),
    "utterances (tsv)": ("tsv", counted(b"utterance\tphones\n", "u{}\ta\n")),
    "utterances of a symbol each (tsv)": ("tsv", counted(b"utterance\tphones\n", "u{0}\ts{0}\n")),
    "intervals (tsv)": ("tsv", filled(b"utterance\tstart\tend\tphone\n", b"u\t0\t1\ta\n")),
    "utterances (kaldi-text)": ("kaldi-text", counted(b"", "u{}\n")),
    "segments (stm)": ("stm", counted(b"", "u{} 1 x 0 1\n")),
    "phones (ctm)": ("ctm", filled(b"", b"u 1 0 1 a\n")),
    "spaces (trn)": ("trn", filled(b"", b" ", b"x\n")),
    "lines (phn)": ("phn", filled(b"", b"0 1 a\n")),
    "lines (lab)": ("lab", filled(b"", b"a\n")),
    "timed lines (lab)": ("lab", filled(b"", b"0 1 a\n")),
    "lines of an entry (mlf)": ("mlf", filled(b'#!MLF!#\n"*/u.lab"\n', b"a\n", b".\n")),
    "entries (mlf)": ("mlf", counted(b"#!MLF!#\n", '"*/u{}"\n.\n')),
    "nested brackets (jsonl)": ("jsonl", filled(b'{"id": "u", "phones": ', b"[")),
    "empty lists (jsonl)": ("jsonl", filled(b'{"id": "u", "phones": [[]', b",[]", b"]}")),
    "keys (jsonl)": ("jsonl", counted(b'{"id": "u"', ',"k{}":1', b"}")),
    "empty lists (json)": ("json", filled(b'{"u": [[]', b",[]", b"]}")),
    "nested brackets (json)": ("json", filled(b'{"u": ', b"[")),
    "ids (json)": ("json", counted(b'{"u": "a"', ',"u{}":"a b"', b"}")),
    "symbols (icefall-recogs)": ("icefall-recogs", filled(b"u:\tref=['a'", b", 'a'", b"]\nu:\thyp=[]\n")),
    "open quotes (icefall-recogs)": ("icefall-recogs", filled(b"u:\tref=[", b"'\\")),
    "lines of an utterance (kaldi-per-utt)": ("kaldi-per-utt", filled(b"", b"u ref a\n")),
    "utterances (speechbrain-wer)": (
        "speechbrain-wer",
        filled(b"", b"=" * 80 + b"\nu, %WER 0 [ 1 / 1, 0 ins, 0 del, 0 sub ]\n"),
    ),
    "empty lines (lines)": ("lines", filled(b"a", b"\n", b"a")),
    "phones (allosaurus)": ("allosaurus", filled(b"", b"0.1 0.045 a\n")),
    "phones (mfa-csv)": ("mfa-csv", filled(b"Begin,End,Label,Type,Speaker\n", b"0,1,a,phones,x\n")),
    "labels (textgrid)": ("textgrid", filled(GRID + b'1\n"IntervalTier"\n"p"\n0\n2\n99999999\n', b'0 0 ""\n')),
    "tiers (textgrid)": ("textgrid", filled(GRID + b"99999999\n", b'"TextTier" "" 0 0 0\n')),
    "digits (textgrid)": ("textgrid", filled(GRID, b"9", b"x")),
    "nested elements (eaf)": ("eaf", filled(b"<ANNOTATION_DOCUMENT>", b"<a>")),
    "slots (eaf)": ("eaf", counted(b"<ANNOTATION_DOCUMENT>", '<TIME_SLOT TIME_SLOT_ID="{}"/>')),
    "tiers (eaf)": ("eaf", filled(b"<ANNOTATION_DOCUMENT>", b'<TIER TIER_ID=""/>')),
    "continued lines (cha)": ("cha", filled(b"@UTF8\n*C:\ta\n%pho:\ta\n", b"\tb\n")),
    "rows of one cell (costs)": ("costs", filled(b"gold\tpredicted\tcost\n", b"x\n")),
    "rows (costs)": ("costs", counted(b"gold\tpredicted\tcost\n", "a{}\tb\t1\n")),
    "rows of one cell (features)": ("features", filled(b"segment\tsyl\n", b"x\n")),
    "rows of one cell (same phones)": ("same", filled(b"target\treference\n", b"x\n")),
}


def main() -> None:
    """Measure all cases, or those whose names hold a word."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=4, help="of the smallest file of a case")
    parser.add_argument("--limit", type=float, default=8, help="GB of address space that a process may have")
    parser.add_argument("--only", default="", help="part of a case's name")
    asked = parser.parse_args()
    print("case", "bytes", "seconds", "memory_mb", "times_file", "outcome", sep="\t")
    with tempfile.TemporaryDirectory() as folder:
        for name, (form, make) in CASES.items():
            if asked.only in name:
                for times in (1, 2, 4):
                    path = Path(folder) / "x"
                    path.write_bytes(make(int(asked.megabytes * times * MB)))
                    print(name, _measured(form, path, asked.limit), sep="\t", flush=True)


def _measured(form: str, path: Path, limit: float) -> str:
    most = int(limit * 1e9)
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", READ, form, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
        capture_output=True,
        text=True,
        check=False,
    )
    size = path.stat().st_size
    if done.returncode:
        return f"{size}\t\t\t\tended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    took, memory, said = done.stdout.rstrip("\n").split("\t", 2)
    return f"{size}\t{float(took):.2f}\t{int(memory) // 1024}\t{1024 * int(memory) / size:.1f}\t{said}"


if __name__ == "__main__":
    main()
