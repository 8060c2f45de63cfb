"""CHAT (CHILDES, PhonBank): a line an utterance, phones on the dependent tiers %pho (actual) and %mod (the model)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from phonxling.core.errors import DataError, shown
from phonxling.core.sequences import Transcript
from phonxling.load.building import TranscriptBuilder
from phonxling.load.reading import Reading
from phonxling.load.text import document_lines
from phonxling.load.textgrid import choose_tier

_MAIN = re.compile(r"\*(\w+):")
_DEPENDENT = re.compile(r"%(\w+):\s*(.*)")


@dataclass(frozen=True, slots=True)
class _Utterance:
    speaker: str
    tiers: dict[str, tuple[int, str]] = field(default_factory=dict)


def load_cha(path: Path, reading: Reading) -> Transcript:
    """Return what stands on one dependent tier, `pho` unless another is named."""
    utterances = list(_utterances(path, _joined_lines(path)))
    names = list(dict.fromkeys(name for each in utterances for name in each.tiers))
    wanted = (reading.tier or "pho").removeprefix("%")
    tier = names[choose_tier(str(path), names, wanted)]
    builder = TranscriptBuilder(str(path))
    for number, each in enumerate(utterances, start=1):
        if tier in each.tiers:
            line, text = each.tiers[tier]
            speaker = f"{reading.utterance}_{each.speaker}"
            builder.add_utterance(f"{reading.utterance}-{number}", text.split(), line, speaker)
    return builder.finish()


def _joined_lines(path: Path) -> list[tuple[int, str]]:
    """Return the file's lines, each with those that go on with it: they begin with a tab."""
    parts: list[tuple[int, list[str]]] = []
    for line, text in document_lines(path):
        if text.startswith("\t") and parts:
            parts[-1][1].append(text.strip())
        else:
            parts.append((line, [text.strip()]))
    lines = [(line, " ".join(texts)) for line, texts in parts]
    if not lines or lines[0][1] not in {"@UTF8", "@Begin"}:
        raise DataError(f"{path}:1: a CHAT file begins with @UTF8")
    if lines[-1][1] != "@End":
        raise DataError(f"{path}:{lines[-1][0]}: a CHAT file ends with @End; this one has been cut off")
    return lines


def _utterances(path: Path, lines: list[tuple[int, str]]) -> Iterator[_Utterance]:
    current: _Utterance | None = None
    for line, text in lines:
        if main := _MAIN.match(text):
            if current is not None:
                yield current
            current = _Utterance(main[1])
        elif current is not None and (tier := _DEPENDENT.match(text)):
            if tier[1] in current.tiers:
                raise DataError(f"{path}:{line}: the utterance has a second tier %{shown(tier[1])}")
            current.tiers[tier[1]] = line, tier[2]
    if current is not None:
        yield current
