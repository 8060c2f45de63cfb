"""Which column of a table holds what (ids, phones of a side, times, speakers), and whether the first row names them."""

# Names decide where they can: `utterance`, `phones`, … as they stand, then words that people use for them (ref, hyp,
# utt_id). Where names do not decide, a sample of the cells does. What was taken for a column that is called otherwise
# is noted; where two columns are as likely, or none is, the error lists the columns and says what to write.

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Any, TypeAlias
from unicodedata import combining, normalize

from phonxling.core.errors import DataError, quote
from phonxling.load.text import is_number

ROLES = ("utterance", "phones", "times", "start", "end", "phone", "confidence", "speaker")
NO_HEADER = "no header"
_HEADER_LETTERS = 400  # of a list of columns in a message
KnownShare: TypeAlias = Callable[[Sequence[str]], float]  # of tokens, the share that a symbol set knows
Cells: TypeAlias = Sequence[Any]
_NONE: Mapping[str, str] = MappingProxyType({})
_SAMPLED_ROWS = 1000  # fields that are looked at
# A word of a column's name decides, for the first kind that has one: of `phone_score` the score, which is why what
# holds no phones ("") comes first, and of `speaker_id` the speaker.
_WORDS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(words.split())
    for kind, words in {
        "": "score scores confidence conf per wer cer length len count duration prob probability loss rate errors "
        "distance number channel lang language tier orth orthography sentence",
        "speaker": "speaker speakers spk spkr talker client participant",
        "utterance": "utterance utt uttid id ids sample key fileid file filename name path wav audio datei fichier "
        "archivo arquivo",
        "predicted": "predicted prediction predictions predict pred preds hyp hyps hypothesis hypotheses recognised "
        "recognized decoded output processed asr heard hypothese hypotesis hipotesis hipotese ipotesi vorhersage "
        "prediccion predicao",
        "gold": "perceived gold ref refs reference references truth gt target targets actual human manual annotated "
        "referenz referencia riferimento",
        "canonical": "canonical",
        "times": "times intervals spans timestamps",
        "start": "start begin onset from xmin tmin t0",
        "end": "end stop offset to xmax tmax t1",
        "phones": "phones phone phon phoneme phonemes ipa transcription transcriptions transcript transcripts text "
        "label labels symbol segment segments mark pronunciation",
    }.items()
}
_OF_SIDE: Mapping[str, tuple[str, ...]] = {  # the kinds in which a side's phones are looked for, the likeliest first
    "gold": ("gold", "phones", "canonical", "", "predicted"),  # "": of columns of no known kind, by their cells
    "predicted": ("predicted", "phones", "", "gold"),
    "canonical": ("canonical", "phones", ""),
    "": ("gold", "predicted", "phones", ""),
}
FIELDS: Mapping[str, tuple[str, ...]] = {  # where PRiSM and PhoneticXeus have the phones of a side, the plainest first
    "gold": ("transcription", "target"),
    "predicted": ("predicted_transcript", "processed_transcript", "prediction", "pred"),
}
_OF_PHONES = frozenset(("phones", "phone", "phoneme", "phonemes", "ipa"))
_OF_WORDS = frozenset(("text", "word", "words", "transcript", "transcripts", "label", "labels"))
RECORDING = re.compile(r"\S+\.(?:wav|flac|mp3|ogg|opus|m4a)", re.IGNORECASE)
# The times of all phones of an utterance in one cell: 0.1-0.2 0.2-0.35
_SPANS = re.compile(r"\s*(\d+(\.\d*)?-\d+(\.\d*)?(\s+|$))*", re.ASCII)
_LONGEST_NAME = 6  # letters of what may be a phone
_RECURRING = 0.5  # the share of a row's phones that other rows have, if it is a row of phones and no header
_COLUMN_NOUNS = {"utterance": "ids", "phone": "phones", "start": "starts", "end": "ends", "speaker": "speakers"}
_COLUMN_NEEDS = {
    "utterance": "an id in each row",
    "phones": "phones with spaces between them",
    "phone": "one in each row",
    "start": "when each phone starts, in seconds",
    "end": "when each phone ends, in seconds",
}
_SINGLE_UTTERANCE = "the table has no ids, so that it is one utterance, named by its file"
_PHONE_A_ROW = "each row is one phone, without times, so that the rows of an utterance are its phones in their order"
_SHORT, _EACH = 3, 3  # letters of such phones, at most, and phones of such utterances, at least, on average
_CLEARLY = 0.1  # by how much the symbols of the better of two columns are better known


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table has what: `titles` by role; `fields` are all names; `notes` say what was guessed."""

    fields: tuple[str, ...]
    titles: Mapping[str, str]
    headless: bool = False
    notes: tuple[str, ...] = ()

    @property
    def setting(self) -> dict[str, str]:
        if self.headless:
            return {}
        silent = {""} | ({"id", "path"} if "utterance" not in self.fields else set())  # no name can be written
        named = {role: name for role, name in self.titles.items() if name != role}
        return {role: name for role, name in named.items() if role != "utterance" or name not in silent}


def recognise_fields(fields: Iterable[str]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for name in islice(fields, _SAMPLED_ROWS):
        kinds.setdefault(next((kind for kind in _WORDS if _find_words(name, kind)), ""), []).append(name)
    kinds.pop("", None)
    # `transcript` beside `hyp` is what was transcribed by hand.
    if "predicted" in kinds and "gold" not in kinds and "phones" in kinds:
        kinds["gold"] = kinds.pop("phones")
    if "utterance" in kinds:  # `utt_id` before `audio_path`
        kinds["utterance"].sort(key=lambda field: min(map(_WORDS["utterance"].index, _find_words(field, "utterance"))))
    return {kind: kinds[kind] for kind in ("utterance", "gold", "predicted", *_WORDS) if kind in kinds}


def names_fields(keys: Iterable[object]) -> bool:
    """Return whether the keys of a mapping name fields, of phones among them; if not, they are ids."""
    names = [key for key in keys if isinstance(key, str)]
    kinds = recognise_fields(name for name in names if not re.search(r"\d", name)).keys()
    return bool({"id", *ROLES} & {*names} or {"gold", "predicted", "phones"} & kinds)


def _find_words(field: str, kind: str) -> set[str]:
    return {*_split_words(field)} & {*_WORDS[kind]}


@lru_cache(1000)  # a name is asked for with each kind of column
def _split_words(field: str) -> tuple[str, ...]:
    # t0 and t1 are start and end; other digits only number columns. `fileId` and `file_id` are the same words.
    plain = "".join(letter for letter in normalize("NFD", field) if not combining(letter))  # référence
    return (*re.findall(r"t[01]\b|[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower()),)


def list_columns(fields: Iterable[str]) -> str:
    return quote(", ".join(fields), _HEADER_LETTERS) or "nothing"


def choose_columns(
    fields: Iterable[str],
    rows: Sequence[Cells] = (),  # a sample, as many cells each as there are fields
    asked: Mapping[str, str] = _NONE,  # the setting `columns`, which goes before all else
    side: str = "",  # "gold", "predicted" or "canonical", whose phones are wanted; "" where that is not known
    known_share: KnownShare | None = None,  # chooses among several columns of phones
    *,
    alone: bool = False,  # whether intervals whose times never go back may do without ids, being one utterance
    needs_ids: bool = True,  # whether rows that are utterances need ids
) -> Columns:
    """Return which of the named columns has what; DataError, without a place, when nothing shows ids or phones."""
    chosen = _Choice([*islice(fields, _SAMPLED_ROWS)], rows, asked, side)
    return chosen.columns(known_share, alone=alone, needs_ids=needs_ids)


def find_phone_columns(fields: Sequence[str], rows: Sequence[Cells]) -> list[str]:
    chosen = _Choice(fields, rows, _NONE, "")
    chosen.choose_ids(needs_ids=True)
    return chosen.candidates()


def choose_table_columns(
    rows: Sequence[Sequence[str]],
    asked: Mapping[str, str] = _NONE,
    side: str = "",
    known_share: KnownShare | None = None,
    *,
    alone: bool = False,
) -> Columns:
    """Return which column of a table of texts has what; a first row that is no header is read by position if it can."""
    if not rows:
        raise DataError("the file is empty")
    header, rest = [cell.strip() for cell in rows[0]], rows[1:]
    if is_header(header, rest, asked):
        if len(set(header)) < len(header):
            raise DataError(f"a column name occurs twice: {list_columns(header)}")
        return choose_columns(header, rest, asked, side, known_share, alone=alone)
    if len(set(map(len, rows))) == 1 and (places := _choose_by_position([*zip(*rows, strict=True)])):
        fields = tuple(f"column {place + 1}" for place in range(len(header)))
        titles = {role: fields[place] for role, place in places.items()}
        where = f"ids from {titles['utterance']}, phones from {titles['phones']}"
        note = f"the first line is an utterance, not a header, so columns are read by position: {where}"
        return Columns(fields, titles, headless=True, notes=(note,))
    raise DataError(NO_HEADER)


def is_header(first: Sequence[str], rest: Sequence[Sequence[str]], asked: Mapping[str, str] = _NONE) -> bool:
    """Return whether the first row of a table names its columns: it has a usual name, or is unlike the other rows."""
    if {*first} & {"id", *ROLES, *asked.values()}:
        return True
    if any(map(is_number, first)):
        return False
    complete = [row for row in rest if len(row) == len(first)]
    columns = [(name, [row[place] for row in complete]) for place, name in enumerate(first)]
    shapes = [(_mask_numbers(name), {*map(_mask_numbers, cells)}) for name, cells in columns]
    alike = {name for name, (own, others) in zip(first, shapes, strict=True) if own in others}
    if any(recognise_fields([name]) for name in first if name not in alike):
        return True
    if any(re.search(r"\d", name) for name in alike):
        return False
    if any(len(name.split()) > 1 and max(map(len, name.split())) <= _LONGEST_NAME for name in first):
        return False
    # Below a header stand numbered ids of one kind, of which it is none.
    kinds = [min(others) for own, others in shapes if len(others) == 1 and own not in others]
    if len(complete) > 2 and any("0" in kind != "0" for kind in kinds):
        return True
    if any(_share_recurring(name, cells) >= _RECURRING for name, cells in columns):
        return False
    # Or a column that repeats its tokens so often that a first row without any of them is a header.
    counts = [Counter(token for cell in cells for token in cell.split()) for _, cells in columns]
    return len(complete) > 2 and any(2 * [*each.values()].count(1) < len(each) for each in counts)


def _mask_numbers(cell: str) -> str:
    # 0 for each number, as ids of one kind are alike: rec0_u0 of rec12_u3.
    return re.sub(r"\d+", "0", cell)


def _share_recurring(cell: str, others: Sequence[Any]) -> float:
    known = {token for other in others if isinstance(other, str) for token in other.split()}
    tokens = cell.split()
    return sum(token in known for token in tokens) / len(tokens) if tokens else 0.0


def _are_ids(cells: Cells) -> bool:
    # Ids of whole utterances: single words or numbers, each another.
    names = {str(cell).strip() for cell in cells if isinstance(cell, str | int) and len(str(cell).split()) == 1}
    return 0 < len(names) == len(cells)


def _are_phones(cells: Cells) -> bool:
    if not all(map(_is_text, cells)):
        return False
    rows = [_split_tokens([cell]) for cell in cells]
    # Nine of ten tokens are short, as few words of a language are, and half of the rows have several.
    short = sum(len(token) <= _LONGEST_NAME for row in rows for token in row)
    return 10 * short >= 9 * sum(map(len, rows)) > 0 and 2 * sum(len(row) > 1 for row in rows) >= len(cells)


def _is_text(cell: object) -> bool:
    return isinstance(cell, str) or (isinstance(cell, list | tuple) and all(isinstance(each, str) for each in cell))


def _split_tokens(cells: Cells) -> list[str]:
    return [token for cell in cells if _is_text(cell) for token in (cell.split() if isinstance(cell, str) else cell)]


def _choose_by_position(columns: Sequence[Sequence[str]]) -> dict[str, int]:
    # Where one column alone can be ids and one alone phones.
    phones = [place for place, cells in enumerate(columns) if _are_phones(cells)]
    # Words of IPA beside ids: most have a letter that no id has, such as ɔ.
    if not phones and len(columns) == 2:
        foreign = sum(not cell.isascii() and not re.search(r"\d", cell) for cell in columns[1])
        phones = [1] if 2 * foreign > len(columns[1]) else []
    ids = [place for place, cells in enumerate(columns) if place not in phones and _are_ids(cells)]
    if len(columns[0]) < 2 or len(phones) != 1 or len(ids) != 1:
        return {}
    names, (first, *others) = columns[ids[0]], columns[phones[0]]
    # The first row may be a header that nobody recognises: it is data if its phones recur, or its id is like the
    # others.
    shapes = {*map(_mask_numbers, names[1:])}
    certain = _share_recurring(first, others) >= _RECURRING or _mask_numbers(names[0]) in shapes
    return {"utterance": ids[0], "phones": phones[0]} if certain else {}


class _Choice:
    """Chooses the columns of a table whose columns have names; `cells` are those of a sample, by column."""

    def __init__(self, fields: Sequence[str], rows: Sequence[Cells], asked: Mapping[str, str], side: str) -> None:
        self.fields, self.asked, self.side = fields, asked, side
        self.rows = [row for row in rows if len(row) == len(fields)]
        self.cells = {name: [row[place] for row in self.rows] for place, name in enumerate(fields)}
        self.unknown = [name for name in fields if not any(_find_words(name, kind) for kind in _WORDS)]
        self.kinds = recognise_fields(fields)
        exact = {role: role for role in ROLES if role in fields and role != "times"}
        exact = {role: role for role in exact if role not in asked.values()}
        if side != "gold" and any(_rank(name) < 2 for name in self.kinds.get(side, ())):
            exact.pop("phones", None)  # `phones` beside `hyp` is gold, but `phones` beside `pred_text` is predicted
        self.titles = {**exact, **asked}
        self.guessed: list[str] = []

    def columns(self, known_share: KnownShare | None, *, alone: bool, needs_ids: bool) -> Columns:
        if absent := [name for name in self.asked.values() if name not in self.fields]:
            raise self._report_lacking(absent, "Correct columns")
        self.choose_ids(needs_ids=needs_ids)
        if not {"phones", "phone"} & self.titles.keys():
            self._choose_phones(known_share)
        if untimed := any(self._are_rows_of_one(self.titles.get(role)) for role in ("phones", "phone")):
            self.titles = {"phone" if role == "phones" else role: name for role, name in self.titles.items()}
            self.guessed = ["phone" if role == "phones" else role for role in self.guessed]
        if "phones" in self.titles:
            self._choose_only("times", lambda cell: isinstance(cell, str) and _SPANS.fullmatch(cell))
        elif "phone" in self.titles and not untimed:
            self._choose_only("start")
            self._choose_only("end")
            if self._has_ids_of_rows() and "phone" not in self.asked and not {"start", "end"} & self.titles.keys():
                self._guess("phones", self.titles.pop("phone"))  # each row has another id: `phone` is all phones of it
        self._choose_only("speaker", lambda cell: str(cell or "").strip())
        timed = "phone" in self.titles and "phones" not in self.titles
        missing = {*(() if untimed else ("start", "end", "phone") if timed else ("phones",))} - self.titles.keys()
        own = alone and not missing and "utterance" not in self.titles and self._is_one_utterance()
        # Intervals need ids even where positions pair utterances: nothing else says where an utterance ends.
        if (needs_ids or timed) and not own:
            missing |= {"utterance"} - self.titles.keys()
        if missing:
            raise self._report_lacking(sorted(missing), self._propose_columns(sorted(missing), needs_ids=needs_ids))
        titles = {role: self.titles[role] for role in ROLES if role in self.titles}
        if (ids := titles.get("utterance")) is not None and ids in {titles.get("phones"), titles.get("phone")}:
            raise DataError(f"the column {quote(ids)} cannot be both ids and phones; correct columns")
        read = [f"{_COLUMN_NOUNS.get(role, role)} from {quote(titles[role]) or '(no name)'}" for role in self.guessed]
        guessed = f"columns are recognised by their names or cells: {', '.join(read)}"
        notes = [*[guessed][: len(read)], *[_SINGLE_UTTERANCE][:own], *[_PHONE_A_ROW][:untimed]]
        return Columns(tuple(self.fields), titles, notes=tuple(notes))

    def _is_one_utterance(self) -> bool:
        if "phones" in self.titles:  # one row, if no other column could be the id
            return len(self.rows) == 1 and not any(_are_ids(self.cells[name]) for name in self.unknown)
        # Intervals, one after the other.
        starts = [float(cell) if is_number(str(cell)) else math.nan for cell in self.cells[self.titles["start"]]]
        return all(before <= after for before, after in pairwise(starts))

    def choose_ids(self, *, needs_ids: bool) -> None:
        if "utterance" in self.titles:
            return
        named = self.kinds.get("utterance", [])
        others = self._may_be_ids() if needs_ids and not {"start", "end"} & {*self.titles, *self.kinds} else []
        if len(others) == 1 and all(_are_phones(self.cells[name]) for name in named):  # cells go before names
            self._guess("utterance", others[0])
        elif "id" in self.fields or named[:1] == ["path"]:
            self.titles["utterance"] = "id" if "id" in self.fields else "path"
        elif named:
            self._guess("utterance", named[0])

    def _may_be_ids(self) -> list[str]:
        # Cells all differ, in two rows or more: recordings, or those of no known kind. A `segment`, `label` or `text`
        # may be ids, too, where another column has the phones.
        left = {name: cells for name, cells in self.cells.items() if name not in self.titles.values()}
        phones = [name for name, cells in left.items() if _are_phones(cells)]
        ids = [name for name, cells in left.items() if len(cells) > 1 and _are_ids(cells)]
        # Numbers are ids where they count the rows; others, such as frequencies, are none.
        numbers = {name: [float(cell) for cell in map(str, left[name]) if is_number(cell)] for name in ids}
        counted = {name: all(after - before == 1 for before, after in pairwise(of)) for name, of in numbers.items()}
        ids = [name for name in ids if len(numbers[name]) < len(left[name]) or counted[name]]
        ids = [name for name in ids if name not in phones]
        recordings = [name for name in ids if all(RECORDING.fullmatch(str(cell)) for cell in self.cells[name])]
        labels = [name for name in ids if _find_words(name, "phones") and not {*_split_words(name)} & _OF_PHONES]
        return recordings or [name for name in ids if name in self.unknown] or (labels if phones else [])

    def _choose_phones(self, known_share: KnownShare | None) -> None:
        names = self.candidates()
        if certain := [name for name in (self.side, *FIELDS.get(self.side, ())) if name in names]:
            self.titles["phones"] = certain[0]
            return
        # What the symbol set knows decides before names: a dump with `ref_ipa` and `ref_words` has phones in one alone.
        if known_share is not None and self.rows and len(names) > 1:
            shares = {name: known_share(_split_tokens(self.cells[name])) for name in names}
            names = [name for name, share in shares.items() if share >= max(shares.values()) - _CLEARLY]
        if self.side:
            best = min(map(_rank, names), default=0)
            names = [name for name in names if _rank(name) == best]
        if len(names) == 1:
            # A row is one interval: it has a start, an end, and one phone, of ids that occur again.
            timed = all(kind in self.titles or kind in self.kinds for kind in ("start", "end"))
            single = all(isinstance(cell, str) and len(cell.split()) < 2 for cell in self.cells[names[0]])
            several = not (len(self.rows) > 1 and self._has_ids_of_rows())
            self._guess("phone" if timed and single and several else "phones", names[0])

    def candidates(self) -> list[str]:
        free = {name: cells for name, cells in self.cells.items() if name not in self.titles.values()}
        phones = [name for name, cells in free.items() if _are_phones(cells)]
        kinds = {**self.kinds, "": [name for name in phones if name in self.unknown]}
        other = [name for name, cells in free.items() if not all(is_number(str(cell)) for cell in cells)]
        named = [[name for name in kinds.get(kind, ()) if name in free] for kind in _OF_SIDE[self.side]]
        likely = [[[name for name in names if name in fits] for fits in (phones, other, free)] for names in named]
        held = [next(filter(None, each), []) for each in likely]  # cells go before names
        if self.side:
            return next(filter(None, held), [])
        return [name for names in held[:-1] for name in names] or held[-1]  # all are alike

    def _are_rows_of_one(self, name: str | None) -> bool:
        # Rows are one phone each, without times, and those of an utterance stand together.
        if name is None or "utterance" not in self.titles or {"start", "end"} & {*self.titles, *self.kinds}:
            return False
        ids, phones = [str(cell) for cell in self.cells[self.titles["utterance"]]], self.cells[name]
        if not all(isinstance(cell, str) and len(cell.split()) < 2 for cell in phones):
            return False
        # A word a row looks the same as a phone a row; phones are short, and three of them or more make an utterance.
        short = sum(len(cell.strip()) for cell in phones) <= _SHORT * len(phones)
        return short and 1 + sum(before != after for before, after in pairwise(ids)) == len({*ids}) <= len(ids) / _EACH

    def _has_ids_of_rows(self) -> bool:
        return "utterance" in self.titles and _are_ids(self.cells[self.titles["utterance"]])

    def _choose_only(self, role: str, fits: Callable[[Any], object] = lambda _: True) -> None:
        named = self.kinds.get(role, [])
        if role not in self.titles and len(named) == 1 and all(map(fits, self.cells[named[0]])):
            self._guess(role, named[0])

    def _guess(self, role: str, name: str) -> None:
        self.titles[role] = name
        self.guessed.append(role)

    def _report_lacking(self, missing: Sequence[str], remedy: str) -> DataError:
        fault = f"no column {', '.join(map(quote, missing))}; the table has: {list_columns(self.fields)}"
        return DataError(f"{fault}. {remedy}")

    def _propose_columns(self, missing: Sequence[str], *, needs_ids: bool) -> str:
        known = {"utterance": self._may_be_ids(), "phones": self.candidates(), **self.kinds}
        options = {role: known.get(role, []) for role in missing}
        # A remedy that leads to the next error is worse than none: what is proposed is tried on the sample first.
        try:
            first = {**self.asked, **{role: names[0] for role, names in options.items()}}
            choose_columns(self.fields, self.rows, first, self.side, needs_ids=needs_ids)
        except (IndexError, DataError):
            return f"Add a column {' and '.join(f'{role} ({_COLUMN_NEEDS[role]})' for role in missing)}"
        others = [name for names in options.values() for name in names]
        beside = f", or another of {list_columns(others)}" if len(others) > len(missing) else ""
        mapping = ", ".join(f"{role}: {quote(name)}" for role, name in first.items())
        option = ",".join(f"{role}={quote(name)}" for role, name in first.items())
        option = {"gold": f"{option};", "predicted": f";{option}"}.get(self.side, option)  # a ; parts the sides
        return f"Give columns: {{{mapping}}} (score: --columns '{option}'){beside}"


def _rank(name: str) -> int:
    words = {*_split_words(name)}
    return 0 if words & _OF_PHONES else 2 if words & _OF_WORDS else 1
