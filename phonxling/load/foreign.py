"""What texts look like that are of no format read here, so that the error can say what to do."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from phonxling.load.field_names import advice, listed, meanings

TOP_PHONES = re.compile(r"\((?:0?\.\d+|1\.0*)\)$")  # a probability after a phone
_INTERVALS = "a TSV (utterance, start, end, phone)"
_TIER = re.compile(r"(ORT|KAN|MAU|TRN|PHO|SAP):\s")
_TIMED = re.compile(r"\s*\d+\.\d+\s+-?\d+\s+\S")
_DECIMAL = re.compile(r"\d+\.\d+")
_XML = re.compile(r"<(?![?!])\s*([\w:.-]+)")


def looks_like(lines: Sequence[str]) -> str:
    """Return what a text looks like by its first lines, and what to do; "" when nothing comes to mind."""
    return next(filter(None, (look(lines) for look in _LOOKS if lines)), "")


def _partitur(lines: Sequence[str]) -> str:
    fits = lines[0].startswith("LHD:") or sum(bool(_TIER.match(line)) for line in lines) > 2
    return "a BAS Partitur file: export it as a TextGrid, as the BAS web services do" if fits else ""


def _xlabel(lines: Sequence[str]) -> str:
    end = next((place for place, line in enumerate(lines) if line.strip() == "#"), None)
    if end is None or not all(_TIMED.match(line) for line in lines[end + 1 :]):
        return ""
    what = "an xlabel file (Buckeye, ESPS, Festival), whose lines are `end colour label`"
    return f"{what}: write it as {_INTERVALS}, where an interval starts at the end of the one before"


def _interlinear(lines: Sequence[str]) -> str:
    """Words stand above as many transcriptions whose phones are joined by dots."""
    pairs = pairwise(lines)
    fits = any("." not in above and _dotted(above, below) for above, below in pairs)
    return (
        "an interlinear text, phones joined by dots below words: write it as a TSV (utterance, phones)" if fits else ""
    )


def _dotted(above: str, below: str) -> bool:
    same = len(above.split()) == len(below.split())
    return same and bool(re.search(r"\w\.\w", below)) and not re.search(r"\d\.\d|,", below)


def _report(lines: Sequence[str]) -> str:
    marks = ("SYSTEM SUMMARY", "DUMP OF SYSTEM ALIGNMENT", "<SYSTEM", "DETAILED OVERALL REPORT", "System name:")
    fits = any(mark in line for line in lines for mark in marks)
    return "a report of sclite's: give what it was made from, the .ctm, .stm or .trn" if fits else ""


def _markup(lines: Sequence[str]) -> str:
    root = _XML.match(lines[0] if not lines[0].startswith("<?") else "".join(lines[1:]).lstrip())
    return f"XML (<{root[1]}>) of no format that is read here: export it as a TextGrid or a TSV" if root else ""


def _scores(lines: Sequence[str]) -> str:
    if lines[0].startswith("%WER = ") and any("PER-UTT DETAILS" in line for line in lines):
        return "icefall’s errs: give the file recogs-….txt beside it, which holds both sides"
    what = "an error rate alone, without the phones it is of: give the transcripts"
    return what if any(line.startswith("%WER") for line in lines[:3]) else ""


def _item(lines: Sequence[str]) -> str:
    what = "an ABX item file, which lists single phones between their neighbours, not utterances"
    return (
        f"{what}: give the alignment (.align) it was made from" if lines[0].startswith("#file onset offset #") else ""
    )


def _top_phones(lines: Sequence[str]) -> str:
    fits = all(TOP_PHONES.search(line.strip()) for line in lines)
    return "allosaurus with several phones for each place: run it without --topk" if fits else ""


def _labels(lines: Sequence[str]) -> str:
    fields = [line.split() for line in lines]
    fits = all(len(each) > 2 and all(map(_DECIMAL.fullmatch, each[:2])) for each in fields)
    return f"labels of one recording (start, end, label), as of Audacity: write them as {_INTERVALS}" if fits else ""


def _subtitles(lines: Sequence[str]) -> str:
    return f"subtitles: write them as {_INTERVALS}" if any(" --> " in line for line in lines) else ""


def _dictionary(lines: Sequence[str]) -> str:
    tabs = {line.count("\t") for line in lines}
    if meanings(lines[0].split("\t")) or 0 in tabs or len(lines) < 2 or (len(tabs) == 1 and tabs != {1}):
        return ""
    what = "a pronunciation dictionary (a word, then its phones), which is no transcript"
    return f"{what}; if it is one, give it the header `utterance<tab>phones` and format: tsv"


def _bars(lines: Sequence[str]) -> str:
    what = "a table with columns between |: write it as a TSV, with a first line that names the columns"
    return f"{what}: utterance<tab>phones" if len({line.count("|") for line in lines} - {0}) == 1 else ""


def _table(lines: Sequence[str]) -> str:
    for mark, form in (("\t", "tsv"), (",", "csv")):
        if len(lines) > 1 and all(mark in line for line in lines):
            fields = lines[0].split(mark)
            what = f"a table with the columns {listed(fields)}; give format: {form} (--format {form})"
            return f"{what}, and name the columns. {advice(fields)}"
    return ""


_LOOKS: tuple[Callable[[Sequence[str]], str], ...] = (
    *(_partitur, _xlabel, _report, _scores, _item, _top_phones, _labels, _markup, _subtitles),
    *(_bars, _interlinear, _dictionary, _table),
)
