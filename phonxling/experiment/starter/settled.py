"""A corpus' inputs → its settings: paths, formats, symbol sets, and what a person should know or decide of each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from phonxling.experiment.starter.grouping import Grouped
from phonxling.experiment.starter.inputs.sides import Arrays, Side, SpeakerTable
from phonxling.experiment.starter.inputs.symbols import Written, written
from phonxling.phones.maps import BUILT_IN, LABELS, MARKERS, SILENCE

_KEPT = 0.05  # the share of tokens of unknown symbols up to which these are kept as they stand
_LOST = 0.01  # the share of the mass that columns without a phone may have
_SHOWN = 5
_ENGLISH = frozenset({"arpabet", "timit39", "timit48", "timit61"})
_NAMES_OF_ENGLISH = frozenset({"english", "eng", "en", "timit"})
Maps = Mapping[Path, frozenset[str]]
Value = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """A setting of a corpus; not active where it would be refused until a person decides."""

    kind: str
    value: Value | str
    remarks: Sequence[str] = ()
    decisions: Sequence[str] = ()
    active: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """The settings of a corpus; `inventory` is the set of labels that its recogniser has, "" where it is not known."""

    role: str
    lines: tuple[Line, ...]
    inventory: str = ""

    def suggesting(self, pattern: str | None) -> "Settled":
        """Return the same with a pattern of speakers as a comment, if there is one: a person has to accept it."""
        remark = "the speakers, if ids begin with them: take the # away"
        line = Line("speaker_pattern", pattern or "", remarks=[remark], active=False)
        return replace(self, lines=(*self.lines, line)) if pattern else self

    @property
    def decisions(self) -> list[str]:
        """What a person must decide."""
        return [text for line in self.lines for text in line.decisions]


def settled(corpus: Grouped, folder: Path, maps: Maps) -> tuple[Line, ...]:
    """Return the settings of a corpus; paths count from the folder."""
    return tuple(_lines(corpus, folder, _sets(corpus, maps)))


def is_english(name: str, lines: Sequence[Line]) -> bool:
    """Return whether a corpus is evidently the recogniser's own language: English by its name, heard in its labels."""
    named = (line.value for line in lines if line.kind in {"predicted", "posteriors"})
    heard = {value.get("symbols") for value in named if isinstance(value, Mapping)}
    return name.lower() in _NAMES_OF_ENGLISH and bool(heard & _ENGLISH)


def inventory_of(corpus: Grouped, lines: Sequence[Line]) -> str:
    """Return the set of labels that predictions are written in, where it has all of them; posteriors tell their own."""
    active = ((line.kind, line.value) for line in lines if line.active)
    names = {kind: value.get("symbols") for kind, value in active if isinstance(value, Mapping)}
    name = str(names.get("predicted", ""))
    if corpus.predicted is None or "posteriors" in names or name not in LABELS:
        return ""
    symbols = {BUILT_IN[name].fold(symbol) for symbol in corpus.predicted.counts if symbol.lower() not in SILENCE}
    return name if symbols <= LABELS[name] else ""


def _sets(corpus: Grouped, maps: Maps) -> dict[str, Written]:
    """Return the symbol set of each input: one set for all that are written in labels, where one knows them all."""
    counts = {kind: side.counts for kind, side in _sides(corpus)}
    if corpus.posteriors is not None and corpus.posteriors.columns:
        counts["posteriors"] = _spoken(corpus.posteriors)
    each = {kind: written(symbols, maps) for kind, symbols in counts.items()}
    labels = [kind for kind, one in each.items() if one.symbols in _ENGLISH]
    union = written(sum((counts[kind] for kind in labels), Counter[str]())) if labels else None
    if union is None or set(union.unknown) - {symbol for kind in labels for symbol in each[kind].unknown}:
        return each
    return each | {kind: Written(union.symbols, each[kind].unknown, each[kind].share) for kind in labels}


def _spoken(heard: Arrays) -> Counter[str]:
    return Counter(label for label in heard.columns if label != heard.blank and label.lower() not in MARKERS)


def _sides(corpus: Grouped) -> Iterator[tuple[str, Side]]:
    for kind in ("gold", "predicted", "segments"):
        side = getattr(corpus, kind)
        if side is not None:
            yield kind, side


def _lines(corpus: Grouped, folder: Path, sets: Mapping[str, Written]) -> Iterator[Line]:
    sides = dict(_sides(corpus))
    for kind in ("gold", "predicted", "posteriors", "segments", "speakers"):
        remarks, decisions = [*corpus.remarks.get(kind, ())], [*corpus.decisions.get(kind, ())]
        if kind in sides:
            value, unknown = _side(sides[kind], folder, sets[kind])
            yield Line(kind, value, remarks, [*decisions, *unknown])
        elif kind == "posteriors" and corpus.posteriors is not None:
            value, known, more = _arrays(corpus, corpus.posteriors, folder, sets.get(kind))
            lines = [*remarks, *filter(None, [known])], [*decisions, *filter(None, [more])]
            yield Line(kind, value, *lines, active=not decisions)
        elif kind == "speakers" and corpus.speakers is not None:
            yield Line(kind, _speakers(corpus.speakers, folder), remarks)
    if corpus.predicted is None and corpus.posteriors is None:
        missing = "no file holds predictions, or posteriors, of the same utterances; name it here"
        yield Line("predicted", {"path": "…"}, decisions=[missing], active=False)
    yield from (Line("pairing", {}, decisions=[text]) for text in corpus.decisions.get("pairing", ()))


def _side(side: Side, folder: Path, symbols: Written) -> tuple[Value, list[str]]:
    given = {
        "path": _relative(side.path, folder),
        "format": side.form,
        "tier": side.tier,
        "columns": dict(side.columns),
    }
    value: dict[str, object] = {key: item for key, item in given.items() if item}
    value["symbols"] = _name(symbols, folder)
    if not symbols.unknown:
        return value, []
    number = sum(side.counts[symbol] for symbol in symbols.unknown)
    few = number <= _KEPT * side.counts.total()
    what = f"{_some(symbols.unknown, side.counts)} not known to {value['symbols']}"
    if few:
        return {**value, "unknown": "keep"}, [f"{what}: kept as they stand; map them, or write unknown: drop"]
    return value, [f"{what}: choose another symbol set, or map them (docs/symbols.md)"]


def _some(symbols: Sequence[str], counts: Mapping[str, int]) -> str:
    named = " ".join(f"{symbol} ({counts[symbol]})" for symbol in symbols[:_SHOWN])
    more = f" … and {len(symbols) - _SHOWN} more" if len(symbols) > _SHOWN else ""
    return f"{named}{more}: {'symbols' if len(symbols) > 1 else 'a symbol'}"


def _arrays(corpus: Grouped, heard: Arrays, folder: Path, symbols: Written | None) -> tuple[Value, str, str]:
    value: dict[str, object] = {"path": _relative(heard.path, folder)}
    if symbols is not None:
        value["symbols"] = _name(symbols, folder)
    if heard.labels is not None:
        value["labels"] = _relative(heard.labels, folder)
    if heard.scale != "probability":
        value["scale"] = heard.scale
    if heard.blank:
        value["blank"] = heard.blank
    if heard.frame_shift is None:
        value["frame_shift"] = corpus.frame_shift or "…"
    if symbols is None or not symbols.unknown:
        return value, "", ""
    share = sum(heard.mass[label] for label in symbols.unknown)
    text = (
        f"columns not known to {value['symbols']} are left out, with {share:.1%} of the mass: {_names(symbols.unknown)}"
    )
    value["unknown"] = "drop"
    return (value, text, "") if share <= _LOST else (value, "", f"{text}; map them, or choose another set")


def _names(symbols: Sequence[str]) -> str:
    return " ".join(symbols[:_SHOWN]) + (" …" if len(symbols) > _SHOWN else "")


def _speakers(table: SpeakerTable, folder: Path) -> Value:
    value = {"path": _relative(table.path, folder), "columns": dict(table.columns)}
    return {key: item for key, item in value.items() if item}


def _name(symbols: Written, folder: Path) -> str:
    return symbols.symbols if isinstance(symbols.symbols, str) else _relative(symbols.symbols, folder)


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
