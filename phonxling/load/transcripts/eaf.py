"""ELAN's .eaf: the annotations of a tier are the phones of one utterance a file."""

from collections.abc import Iterator
from pathlib import Path

from phonxling.core.errors import DataError
from phonxling.core.messages import shown
from phonxling.core.sequences import Transcript
from phonxling.load.reading import Reading
from phonxling.load.transcripts.build import TranscriptBuilder
from phonxling.load.transcripts.elan import Annotation, Document, Tier, read_eaf
from phonxling.load.transcripts.tiers import choose_tier

_SAME_TIME = "Symbolic_Association"  # of a tier whose annotations last as long as those they belong to
Span = tuple[float, float] | None


def load_eaf(path: Path, reading: Reading) -> Transcript:
    """Return the annotations of one tier in the order of time; an empty one is silence.

    A tier has no times, only an order, when an annotation's limits were never put at a time (ELAN shows such
    annotations evenly spread, which no measurement gave), or it is one of several that divide another.

    Raises
    ------
    DataError
        If the file is no XML of ELAN's, or cut off.
        If `tier` names no tier or several, or is not given and there are several.
        If an annotation refers to a time or an annotation that is not there.
    """
    document = read_eaf(path)
    tier = document.tiers[choose_tier(str(path), [tier.name for tier in document.tiers], reading.tier)]
    try:
        ordered = list(_Order(document).of(tier))
    except (KeyError, RecursionError) as missing:
        found = "in a circle" if isinstance(missing, RecursionError) else shown(str(missing))
        msg = f"{path}: tier '{shown(tier.name)}' refers to times or annotations that are not there: {found}"
        raise DataError(msg) from missing
    builder = TranscriptBuilder(str(path))
    texts = [" ".join(each.text.split()) for each, _ in ordered]
    if all(span is not None for _, span in ordered) and ordered:
        for text, (each, span) in zip(texts, ordered, strict=True):
            builder.add_interval(reading.utterance, text, each.line, span or (0.0, 0.0))
    else:
        builder.add_utterance(reading.utterance, texts, ordered[0][0].line if ordered else 1)
    return builder.finish()


class _Order:
    """The order and the times of annotations, through all that they belong to."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._slots = {slot: place for place, slot in enumerate(document.seconds)}
        self._tier_of = {each.name: tier for tier in document.tiers for each in tier.annotations}

    def of(self, tier: Tier) -> Iterator[tuple[Annotation, Span]]:
        """Yield the annotations of a tier with their times; KeyError when one refers to nothing."""
        aligned = [each for each in tier.annotations if each.slots]
        timed = [(self._span(each), each) for each in aligned]
        if any(span is None for span, _ in timed):  # where times are missing, ELAN's slots stand in their order
            timed.sort(key=lambda pair: [self._slots[slot] for slot in pair[1].slots])
        else:
            timed.sort(key=lambda pair: pair[0] or ())
        yield from ((each, span) for span, each in timed)
        dependent = [each for each in tier.annotations if not each.slots]
        if dependent:
            yield from self._dependent(tier, dependent)

    def _dependent(self, tier: Tier, annotations: list[Annotation]) -> Iterator[tuple[Annotation, Span]]:
        own = self._document.constraints.get(tier.type) == _SAME_TIME
        children: dict[tuple[str, str], list[Annotation]] = {}
        for each in annotations:
            children.setdefault((each.parent, each.previous), []).append(each)
        left = {each.name: each.parent for each in annotations}
        for parent, span in self.of(self._tier_of[annotations[0].parent]):
            queue = children.get((parent.name, ""), [])[::-1]
            while queue:
                child = queue.pop()
                queue += reversed(children.get((parent.name, child.name), []))
                del left[child.name]
                yield child, span if own else None
        if left:
            raise KeyError(*left.values())

    def _span(self, each: Annotation) -> Span:
        start, end = (self._document.seconds[slot] for slot in each.slots)
        return None if start is None or end is None else (start, end)
