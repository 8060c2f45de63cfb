"""What the columns of a table seem to hold, by their names: ids, phones, and which are gold and which predicted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from phonxling.core.errors import shown

ROLES = ("utterance", "phones", "times", "start", "end", "phone", "confidence", "speaker")
_MOST = 1000  # fields that are looked at
HEADER_LETTERS = 400  # of a list of columns in a message
_WORDS: Mapping[str, tuple[str, ...]] = {  # a word of a column's name tells; the first kind that has one
    kind: tuple(words.split())
    for kind, words in {
        "": "score scores confidence conf per wer cer length len count duration prob probability loss rate errors "
        "distance number channel lang language tier",
        "speaker": "speaker speakers spk spkr talker client participant",
        "utterance": "utterance utt uttid id ids sample key fileid file filename name path wav audio",
        "predicted": "predicted prediction predictions predict pred preds hyp hyps hypothesis hypotheses recognised "
        "recognized decoded output processed heard",
        "gold": "gold ref refs reference references truth gt target targets canonical actual",
        "times": "times intervals spans timestamps",
        "start": "start begin onset from xmin tmin",
        "end": "end stop offset to xmax tmax",
        "phones": "phones phone phoneme phonemes ipa transcription transcriptions transcript transcripts text label "
        "labels symbol segment segments pronunciation",
    }.items()
}


def meanings(fields: Iterable[str]) -> dict[str, list[str]]:
    """Return which fields seem to hold what, as far as their names tell."""
    kinds: dict[str, list[str]] = {}
    for field in islice(fields, _MOST):
        kinds.setdefault(_kind(field), []).append(field)
    kinds.pop("", None)
    if "predicted" in kinds and "gold" not in kinds and "phones" in kinds:
        kinds["gold"] = kinds.pop("phones")
    if "utterance" in kinds:  # `utt_id` before `audio_path`
        kinds["utterance"].sort(key=lambda field: min(map(_WORDS["utterance"].index, _words(field, "utterance"))))
    return {kind: kinds[kind] for kind in ("utterance", "gold", "predicted", *_WORDS) if kind in kinds}


def id_field(fields: Iterable[str]) -> str:
    """Return the field that has the ids where none is called `utterance`: `id`, or `path` where it is the best."""
    names = [*islice(fields, _MOST)]
    if "id" in names or "path" not in names:
        return "id"
    return "path" if meanings(names)["utterance"][0] == "path" else "id"


def _kind(field: str) -> str:
    return next((kind for kind in _WORDS if _words(field, kind)), "")


def _words(field: str, kind: str) -> set[str]:
    """Return the words of a field's name that speak for a kind."""
    return {*re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", field).lower())} & {*_WORDS[kind]}


def sides(fields: Iterable[str]) -> tuple[str, str] | None:
    """Return the field of gold and the field of predicted phones, where there seems to be one of each."""
    held = meanings(fields)
    gold, predicted = held.get("gold", []), held.get("predicted", [])
    return (gold[0], predicted[0]) if len(gold) == len(predicted) == 1 else None


def columns_of(fields: Sequence[str], phones: str = "") -> dict[str, str]:
    """Return the setting `columns` that fields speak for: for one side, if its field of phones is given."""
    held = {kind: names[0] for kind, names in meanings(fields).items()}
    one_side = held.keys() & {"gold", "predicted", "phones"}
    if not phones and len(one_side) == 1:
        phones = held[one_side.pop()]
    timed = {"start", "end"} <= held.keys()
    wanted = ("utterance", "speaker", *(("start", "end", "phone") if timed else ("phones", "times")))
    held = {**held, "phone" if timed else "phones": phones}
    known = {"id", "utterance"} & set(fields)
    given = {kind: held.get(kind, "") for kind in ROLES if kind in wanted and not (kind == "utterance" and known)}
    return {kind: name for kind, name in given.items() if name and name != kind}


def advice(fields: Sequence[str]) -> str:
    """Return what to give as `columns` for a table that lacks the columns that are read."""
    held, pair = meanings(fields), sides(fields)
    if pair:
        gold, predicted = (columns_of(fields, phones) for phones in pair)
        both = f"columns: {_mapping(gold)} for gold and {_mapping(predicted)} for predicted"
        return f"It seems to hold both sides: give {both} (score: --columns '{_option(gold)};{_option(predicted)}')"
    if "gold" in held and "predicted" in held:
        choice = f"gold may be in {_listed(held['gold'])}, predicted in {_listed(held['predicted'])}"
        return f"It seems to hold both sides ({choice}): give columns: {{phones: …}} for each"
    guess = columns_of(fields)
    if not {"phones", "phone"} & {*guess, *fields}:
        guess["phones"] = "…"
    if not {"utterance", "id"} & {*guess, *fields}:
        guess = {"utterance": "…", **guess}
    which = {"utterance": "the ids (the same in gold and predicted)", "phones": "the phones"}
    unnamed = " and of ".join(which[role] for role, name in guess.items() if name == "…")
    missing = f"; … is the name of the column of {unnamed}" if unnamed else ""
    one_side = "a ; after it is for gold alone, before it for predicted alone"
    return f"Give columns: {_mapping(guess)} (score: --columns '{_option(guess)}'; {one_side}){missing}"


def listed(fields: Iterable[str]) -> str:
    """Return the names of columns as a message shows them."""
    return shown(", ".join(fields), HEADER_LETTERS) or "nothing"


def _listed(fields: Sequence[str]) -> str:
    return shown(" or ".join(fields), HEADER_LETTERS)


def _mapping(columns: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{role}: {shown(name, 100)}" for role, name in columns.items()) + "}"


def _option(columns: Mapping[str, str]) -> str:
    return ",".join(f"{role}={shown(name, 100)}" for role, name in columns.items())
