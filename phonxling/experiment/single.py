"""Phones of files and of data in memory, costs and alignment, with the defaults of the configuration; saved, too."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from phonxling.alignment.corpus import align_sequences
from phonxling.analyses.costs import GapSetting, costs_of
from phonxling.configuration.checks import is_table_path
from phonxling.configuration.models import Pairing
from phonxling.core.confusion import Alignments
from phonxling.core.costs import CostTable, Ties, cost_text
from phonxling.core.errors import ConfigurationError, DataError, check_arguments, quote
from phonxling.core.features import FeatureTable
from phonxling.core.files import write_bytes
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.posteriorgram import Posteriorgrams, Scale
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, Transcript, from_lists
from phonxling.core.work import Threads
from phonxling.experiment.corpora import symbol_set
from phonxling.load import in_memory
from phonxling.load.formats import known_endings
from phonxling.load.posteriors import load_raw_posteriors, posteriors_in_memory
from phonxling.load.resources import panphon_features
from phonxling.phones.ipa import Ties as TieBars, segment
from phonxling.phones.normalise import choose_tone_levels, normalise, normalise_columns
from phonxling.phones.pairing import pair, shorten
from phonxling.phones.symbols import (
    BUILT_IN,
    TONE_LEVELS,
    Case,
    Closures,
    LevelsOrAuto,
    Marks,
    Parts,
    Silence,
    SymbolRules,
    SymbolSet,
    Tone,
    Unknown,
)

Symbols = str | Sequence[str]
Columns = Mapping[str, str] | str
SIDES = ("gold", "predicted")
_Option = TypeVar("_Option")
_RULES, _PAIRING = SymbolRules(), Pairing()  # for their defaults


@check_arguments
def load_corpus(
    gold: in_memory.Source | in_memory.Data | PhoneSequences,
    predicted: in_memory.Source | in_memory.Data | PhoneSequences | None = None,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: in_memory.Speakers | None = None,
    unknown: Unknown = _RULES.unknown,
    tone: Tone = _RULES.tone,
    tone_levels: LevelsOrAuto = TONE_LEVELS,
    silence: Silence = _RULES.silence,
    closures: Closures = _RULES.closures,
    diphthongs: Parts = _RULES.diphthongs,
    affricates: Parts = _RULES.affricates,
    length: Marks = _RULES.length,
    diacritics: Marks = _RULES.diacritics,
    position_marks: Marks = _RULES.position_marks,
    case: Case = _RULES.case,
    allow_unpaired: float = _PAIRING.allow_unpaired,
    features: FeatureTable | None = None,
) -> Corpus:
    """Return gold and predicted phones, of files or of data in memory, normalised and paired by utterance.

    Parameters
    ----------
    gold, predicted : path, or data
        Files, or folders or globs of files. Or data in memory (docs/python.md): a list with the phones of each
        utterance, as a list or a text with spaces; a mapping of ids to these; a DataFrame, or an iterable of records,
        with the columns of a TSV; a `Transcript`.
        `PhoneSequences` are taken as they are. Data without ids are paired by position, and called 0, 1, …. Where one
        table has both sides, `predicted` may be left out if `columns` is a pair, or names tell the sides (ref, hyp).
    symbols : str, or pair of str
        Symbol set of both sides, or of gold and of predicted: `ipa`, `ipa-joined` (words of joined IPA), `xsampa`,
        `espeak`, `timit61`, `timit48`, `timit39`, `arpabet`, `raw`, or the path of a two-column TSV (symbol, ipa); or a
        list of one of these and of tables whose rows are laid over it: `["timit61", "extra.tsv"]`. A pair is a tuple.
    format, tier : str, or pair of str
        The files' format when their names and contents do not tell; the tier that holds the phones, by name or glob, in
        TextGrid, EAF and CHAT files.
    columns : mapping or str, or pair of them
        What columns are called in tables that have other names: {"utterance": "sample"}. A text names the column of
        phones: ("reference", "prediction"). Of one table with both sides, a mapping may name these and others:
        {"gold": "reference", "predicted": "prediction", "utterance": "sample"}.
    speakers : path, or data, optional
        Who speaks each utterance: a TSV or CSV (utterance, speaker), a mapping or Series by id, a DataFrame, or, for
        data without ids, a list. By default what gold says, or else predicted.
    unknown, tone, tone_levels, silence, closures : str
    diphthongs, affricates, length, diacritics, position_marks, case : str
        How symbols are treated, see `SymbolRules`; `tone_levels` auto goes by all tones of the two files.
    allow_unpaired : float
        Share of utterances that may lack a partner.
    features : FeatureTable, optional
        What phones are known; by default panphon's, see `load_features` for your own.

    DataError if a file or item is missing or malformed; symbols are unknown; utterances lack a partner; one side alone
    has ids, or sides without ids differ in length; both are lists of texts of one phone, which may be one utterance.
    ConfigurationError if an option does not fit the data, or `predicted` is missing.

    Examples
    --------
    >>> corpus = load_corpus(gold=[["a", "b"], ["t͡ʃ"]], predicted=["a p", "ʃ"])
    >>> corpus.utterances, corpus.gold.phones_of(0), corpus.predicted.phones_of(1)
    (('0', '1'), ['a', 'b'], ['ʃ'])
    >>> rows = [{"id": "u1", "reference": "s ɛ d", "prediction": "S EH T"}]
    >>> load_corpus(rows, columns=("reference", "prediction"), symbols=("ipa", "arpabet")).predicted.phones_of(0)
    ['s', 'ɛ', 't']
    """
    table = features or panphon_features()
    sets = [_symbols_of(names) for names in for_both_sides(symbols)]
    joined = are_joined(*for_both_sides(symbols))
    sides = two_sides(gold, predicted, joined=joined, format=format, tier=tier, columns=columns)
    read = [(side.content, each) for side, each in zip(sides, sets, strict=True)]
    raw = [(content, each) for content, each in read if isinstance(content, Transcript)]
    levels = choose_tone_levels(raw) if tone_levels == "auto" else tone_levels
    rules = SymbolRules(
        unknown, tone, silence, closures, levels, diphthongs, affricates, length, diacritics, position_marks, case
    )
    del sides, raw  # a million utterances' symbols are not kept beside their phones
    gold_phones, gold_audit = _phones(*read.pop(0), table, rules, side="gold")
    predicted_phones, predicted_audit = _phones(*read.pop(0), table, rules, side="predicted")
    corpus = pair(gold_phones, predicted_phones, (gold_audit, predicted_audit), allow_unpaired)
    if speakers is None:
        return corpus
    return replace(corpus, speakers=in_memory.match_speakers(speakers, corpus.utterances))


@check_arguments
def load_segments(
    segments: in_memory.Source | in_memory.Data | PhoneSequences,
    symbols: Symbols = "ipa",
    *,
    format: str | None = None,  # noqa: A002 - the interface's name
    tier: str | None = None,
    columns: Columns | None = None,
    rules: SymbolRules = _RULES,
    features: FeatureTable | None = None,
) -> PhoneSequences:
    """Return gold phones with their times, from a file of any format that has times, or from data in memory.

    Parameters and errors as for `load_corpus` (`rules` holds how symbols are treated), and DataError when the file
    holds no times.

    >>> load_segments([{"utterance": "u", "start": 0.1, "end": 0.2, "phone": "a"}]).end.tolist()
    [0.2]
    """
    side = in_memory.read_side(segments, "segments", form=format, tier=tier, columns=titles_of(columns))
    phones, _ = _phones(side.content, _symbols_of(symbols), features or panphon_features(), rules)
    if phones.start is None and len(phones.codes):
        raise DataError(f"{phones.source}: holds no times; segments need a start and an end for each phone")
    return phones


@check_arguments
def load_posteriorgrams(
    posteriors: in_memory.Source | Mapping[Any, ArrayLike] | Iterable[ArrayLike],
    symbols: Symbols = "ipa",
    *,
    scale: Scale = "probability",
    frame_shift: float | None = None,
    frame_offset: float = 0.0,
    blank: str | None = None,
    labels: in_memory.Source | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 - the interface's name
    rules: SymbolRules = _RULES,
    features: FeatureTable | None = None,
) -> Posteriorgrams:
    """Return posteriors whose columns are phones; frames are read, and checked, when they are used.

    Parameters
    ----------
    posteriors : path, or data
        A file, or a folder or glob of files: npz (one array an utterance, with `phones` and optionally
        `frame_shift_s`), npy (one utterance), HDF5, Kaldi ark or scp, safetensors. Or a mapping of ids to arrays
        [frames, columns], or a list of arrays, called 0, 1, …; copied, unless read-only.
    symbols, rules, features
        Symbol set of the column labels, how symbols are treated, and what phones are known, as for `load_corpus`.
    scale : {"probability", "log-probability", "logit"}
        What the values are; logarithms are natural ones.
    frame_shift, frame_offset : float
        Seconds; the shift is needed when the file does not state it, and used instead of what it states.
    blank : str, optional
        Label of a CTC blank, left out by weighting each frame by its other mass (as silence is).
    labels : list of str, or path, optional
        Column labels, when the file has none and no `phones.txt` stands beside it.
    format : str, optional
        npz, npy, npy-directory, hdf5, kaldi-ark or safetensors, when the ending does not tell.

    DataError if the file is missing or malformed, or labels are unknown, missing, double, or letters (docs/ctc.md);
    ConfigurationError if there is no such scale.

    Examples
    --------
    >>> frames = [[0.75, 0.25], [0.5, 0.5]]
    >>> load_posteriorgrams({"u1": frames}, labels=["e", "a"], frame_shift=0.01).frames("u1").tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    given_labels = Path(labels) if isinstance(labels, str | PathLike) else labels
    if isinstance(posteriors, str | PathLike):
        raw = load_raw_posteriors(Path(posteriors), format, given_labels)
    else:
        raw = posteriors_in_memory(posteriors, given_labels, form=format, frame_shift=frame_shift)
    posteriorgrams, _ = normalise_columns(
        raw,
        _symbols_of(symbols),
        features or panphon_features(),
        rules,
        frame_shift=frame_shift,
        frame_offset=frame_offset,
        blank=blank,
        scale=scale,
    )
    # Files are read when they are used; a mistake of data in memory should be seen where they are given.
    for utterance in () if posteriorgrams.files else posteriorgrams.utterances:
        posteriorgrams.raw(utterance)  # the shapes of data in memory are looked at now
    return posteriorgrams


def for_both_sides(option: _Option | tuple[_Option, _Option]) -> tuple[_Option, _Option]:
    """Return an option of gold and of predicted, which may be given once for both."""
    if isinstance(option, tuple) and len(option) != 2:
        raise ConfigurationError(f"a pair is needed, (of gold, of predicted), or one for both, not {option}")
    return option if isinstance(option, tuple) else (option, option)


def are_joined(*symbols: object) -> bool:
    """Return whether a symbol set of either side is of words without spaces between the phones."""
    names = (one for each in symbols for one in (each if isinstance(each, list | tuple) else [each]))
    return any(BUILT_IN[str(name)].joined for name in names if str(name) in BUILT_IN)


def two_sides(gold: Any, predicted: Any, *, joined: bool, **given: Any) -> list[in_memory.GivenData]:  # noqa: ANN401
    """Return both sides, which fit each other; `given` are format, tier and columns, of each or for both.

    Without `predicted`, gold is a table that has both, and columns are named for each side.
    """
    columns = given["columns"]
    if isinstance(columns, Mapping) and {*SIDES} <= columns.keys():  # one mapping that names the phones of each side
        shared = {name: title for name, title in columns.items() if name not in SIDES}
        given["columns"] = tuple({**shared, "phones": columns[side]} for side in SIDES)
    # An iterator can be read once, and here both sides may stand in its rows.
    if isinstance(gold, Iterator):
        rows = [*gold]
        gold, predicted = rows, rows if predicted is gold else predicted
    if predicted is None:
        form = for_both_sides(given["format"])[0]
        if not isinstance(given["columns"], tuple) and not in_memory.has_both_sides(gold, form):
            remedy = "if gold is a table of both sides, name them: columns=(…, …)"
            raise ConfigurationError(f"predicted is missing; {remedy}")
        predicted = gold
    options = [for_both_sides(given[name]) for name in ("format", "tier", "columns")]
    sides = []
    for side, data, form, tier, titles in zip(SIDES, (gold, predicted), *options, strict=True):
        sides.append(in_memory.read_side(data, side, form=form, tier=tier, columns=titles_of(titles)))
    in_memory.check_sides(*sides, joined=joined)
    return sides


def titles_of(columns: Columns | None) -> Mapping[str, str]:
    """Return the names of columns; a text names the phones alone."""
    return {"phones": columns} if isinstance(columns, str) else columns or {}


def _phones(
    content: Transcript | PhoneSequences, symbols: SymbolSet, table: FeatureTable, rules: SymbolRules, *, side: str = ""
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return what was given as phones, and the audit of its symbols; `side` is for messages."""
    if isinstance(content, PhoneSequences):
        return content, ()
    return normalise(content, symbols, table, rules, side=side)


def _symbols_of(names: Symbols) -> SymbolSet:
    """Return a symbol set by names or paths; errors as for `symbol_set`."""
    several = (names,) if isinstance(names, str) else tuple(names)
    if len(several) == 2 and set(several) <= set(BUILT_IN):
        raise ConfigurationError(f"symbols: a set for gold and one for predicted are a tuple: symbols={several}")
    return symbol_set(several)


@check_arguments
def segment_ipa(text: str, *, ties: TieBars = "optional", features: FeatureTable | None = None) -> list[str]:
    """Return the phones of joined IPA by longest match, as they are written there (NFC); nothing of them is lost.

    White space and syllable dots separate phones; letters that nobody knows stand alone (docs/symbols.md). `ties` says
    whether two letters without a tie bar are one phone where the features have it as an affricate or labial-velar. To
    load files of such words, use the symbol set `ipa-joined`.

    Examples
    --------
    >>> segment_ipa("kpàtàkì"), segment_ipa("katsu", ties="required")
    (['kp', 'à', 't', 'à', 'k', 'ì'], ['k', 'a', 't', 's', 'u'])
    """
    return segment(text, features or panphon_features(), ties)


Phones = Inventory | Iterable[str]


@check_arguments
def feature_costs(
    gold: Phones,
    predicted: Phones,
    name: str | Path = "panphon",
    *,
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    features: FeatureTable | None = None,
    unknown: Literal["error", "keep"] = "error",
) -> CostTable:
    """Return a cost table between two inventories, by default panphon's mean feature difference with gaps of 1.

    Parameters
    ----------
    gold, predicted : Inventory or list of str
    name : str or path
        `panphon`, `panphon-weighted`, `panphon-edit`, `panphon-hamming`, `panphon-nonzero`, `unit` or `sclite`
        (see `phonxling.core.costs`), or the path of a TSV (gold, predicted, cost).
    insertion, deletion : float, Fraction, mapping, or path, optional
        Gap costs: one, or by phone, in a mapping or a TSV (phone, cost); exact decimals. By default those of the costs:
        1, 3 for `sclite`, ½ and ¾ for `panphon-nonzero`, a table's own rows with ∅.
    ties : {"identical", "nist", "kaldi"}, optional
        The tie rule; by default that of the costs.
    features : FeatureTable, optional; by default panphon's
    unknown : {"error", "keep"}
        Whether a label without features is an error, or kept: 0 to itself, the highest cost to all others.

    ConfigurationError if no costs have that name, or a gap cost is negative or not finite; DataError if a table is
    missing or malformed, or lacks a pair or a phone, or if labels have no features.

    Examples
    --------
    p and b differ in voice alone, from −1 to +1, one of 24 features:

    >>> feature_costs(["p"], ["b"]).cost("p", "b")
    Fraction(1, 24)
    """
    chosen = Path(name) if not isinstance(name, str) or is_table_path(name) else name
    if chosen == "table":
        raise ConfigurationError("give the path of the table instead of the word 'table', such as ./costs.tsv")
    phones, table = (as_inventory(gold), as_inventory(predicted)), features or panphon_features()
    # A label without features has the highest cost to all others: a typo would pass for a difficult phone.
    if unknown == "error" and str(chosen).startswith("panphon"):
        labels = dict.fromkeys(label for side in phones for label in side)
        if bare := [label for label, known in zip(labels, table.vectors(labels)[1], strict=True) if not known]:
            fault = f"{len(bare)} of {len(labels)} labels have no features, so they have no costs: {shorten(bare)}"
            remedy = 'map them to IPA first (load_corpus with symbols), or give unknown="keep"'
            raise DataError(f"feature_costs: {fault}; {remedy}")
    gaps: dict[str, Any] = {"insertion": insertion, "deletion": deletion, "ties": ties}
    return costs_of(chosen, *phones, **gaps, features=table)


@check_arguments
def align_corpus(corpus: Corpus, costs: CostTable, *, workers: int = 1) -> Alignments:
    """Return one optimal alignment of each utterance's gold with its predicted phones, as columns.

    Least cost first; then, with `ties="identical"`, most identical symbols; then, traced from the end, a pair before an
    insertion before a deletion (with `ties="kaldi"`, an insertion before a deletion before a pair). The same on every
    machine and for any number of workers (threads). DataError if the costs lack one of the corpus' phones, or an
    utterance is too long: its band needs 2 GB, or its costs overflow.
    """
    costs.check_phones(corpus.gold_inventory, corpus.predicted_inventory)
    return align_sequences(corpus.gold, corpus.predicted, costs, Threads(workers))


@check_arguments
def align(gold: Sequence[str], predicted: Sequence[str], costs: CostTable) -> list[tuple[str, str]]:
    """Return the aligned pairs of two sequences of phones, ∅ for none. DataError for a phone that the costs lack.

    >>> align(["a", "b", "a"], ["a", "p"], feature_costs(["a", "b"], ["a", "p"]))
    [('a', 'a'), ('b', 'p'), ('a', '∅')]
    """
    for phones in (gold, predicted):
        if isinstance(phones, str):  # whose letters, and spaces, are hardly meant as phones
            raise DataError(f"a list of phones is needed, not the string {quote(phones)!r}")
    costs.check_phones(gold, predicted)
    rows = from_lists(["pair"], [list(gold)], costs.gold)
    columns = from_lists(["pair"], [list(predicted)], costs.predicted)
    return align_sequences(rows, columns, costs).pairs_of(0)


@check_arguments
def save_costs(costs: CostTable, path: str | Path) -> None:
    """Write costs as a TSV (gold, predicted, cost) that `feature_costs` reads back exactly; DataError if it cannot."""
    lines = (f"{gold}\t{predicted}\t{cost_text(cost)}\n" for gold, predicted, cost in costs.rows())
    write_bytes(Path(path), "".join(["gold\tpredicted\tcost\n", *lines]).encode())


@check_arguments
def save_transcript(path: str | Path, sequences: PhoneSequences, *, times: bool = True) -> None:
    r"""Write phones and their tones as UTF-8 TSV, one file whole or not at all.

    With times there is an interval a row (`utterance`, `start`, `end`, `phone`, where known `confidence` and
    `speaker`; an utterance without phones has a row in which all but names is empty), without them an utterance a row
    (`utterance`, `phones`, `speaker`). A tone of the tier is a token of its own behind its phone: "b a ˥". Read with
    the rules that the sequences were read with (tone, silence, unknown), the file gives the same utterances, phones and
    tones.

    Parameters
    ----------
    path : path
        The file, replaced when it is there.
    sequences : PhoneSequences
        What is written.
    times : bool
        Whether times and confidences are written where the sequences have them.

    Raises
    ------
    ConfigurationError
        If the file's name ends as another format's does.
    DataError
        If the file cannot be written.

    Examples
    --------
    >>> from phonxling.core.sequences import from_lists
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "said.tsv"
    >>> save_transcript(file, from_lists(["u1", "u2"], [["b", "a"], []]))
    >>> file.read_text(encoding="utf-8").splitlines()
    ['utterance\tphones', 'u1\tb a', 'u2\t']
    """
    # Read by its name, it would be taken for that other format.
    ending = Path(path).suffix.lower()
    if ending in {*known_endings()} - {".tsv", ".txt"}:
        msg = f"{path}: a TSV is written, and {ending} is the ending of another format: call it .tsv"
        raise ConfigurationError(f"{msg}; results become TextGrid or EAF by `phonxling export`")
    timed, spoken = times and sequences.start is not None, sequences.speakers is not None
    scored = timed and sequences.confidence is not None
    columns = ["start", "end", "phone", *["confidence"] * scored] if timed else ["phones"]
    rows: list[list[str | None]] = [["utterance", *columns, *["speaker"] * spoken]]
    speakers = sequences.speakers or [None] * len(sequences)
    for utterance, speaker, tokens in zip(sequences.utterances, speakers, _ordered_tokens(sequences), strict=True):
        if not timed:
            phones = (side.inventory.phones[int(side.codes[place])] for side, place in tokens)
            rows.append([utterance, " ".join(phones), speaker])
        elif not tokens:
            rows.append([utterance, *[""] * len(columns), speaker])
        for side, place in tokens if timed else ():
            values = (side.start, side.end, side.confidence)
            start, end, confidence = (None if column is None else repr(float(column[place])) for column in values)
            rows.append([utterance, start, end, side.inventory.phones[int(side.codes[place])], confidence, speaker])
    lines = ["\t".join(cell for cell in row if cell is not None) for row in rows]
    write_bytes(Path(path), ("\n".join(lines) + "\n").encode())


def _ordered_tokens(sequences: PhoneSequences) -> Iterator[list[tuple[PhoneSequences, int]]]:
    """Yield each utterance's phones and tones, each with where it stands on its side, in the order of the file."""
    tones = sequences.tones
    for utterance in range(len(sequences)):
        tokens = [(sequences, place) for place in range(*sequences.offsets[utterance : utterance + 2])]
        number = len(tokens)
        after = list(range(1, number + 1))
        if tones is not None:
            marks = range(*tones.offsets[utterance : utterance + 2])
            tokens += [(tones, place) for place in marks]
            after += [number if tones.after is None else int(tones.after[place]) for place in marks]
        # Stable, so that several tones of one phone keep their order.
        yield [tokens[place] for place in np.argsort(after, kind="stable")]
