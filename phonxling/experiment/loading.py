"""Files, and data in memory, to phones for users of the library, with the defaults of the configuration."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from phonxling.core.arguments import checked_types
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.features import FeatureTable
from phonxling.core.posteriorgram import SCALES, Posteriorgrams, Scale
from phonxling.core.sequences import Corpus, PhoneSequences, SymbolAudit, Transcript
from phonxling.experiment.inventories import symbol_set
from phonxling.load.in_memory import Data, Source, Speakers, check_sides, read_side, speakers_given, text_or_path
from phonxling.load.posteriors import known_endings as posterior_endings, load_raw_posteriors, posteriors_in_memory
from phonxling.load.remote import LocalCopies
from phonxling.load.resources import panphon_features
from phonxling.load.urls import is_url
from phonxling.phones.deciding import tone_levels as corpus_levels
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise, normalise_columns
from phonxling.phones.pairing import pair
from phonxling.phones.rules import (
    TONE_LEVELS,
    Case,
    Closures,
    LevelsOrAuto,
    Marks,
    Parts,
    Silence,
    SymbolRules,
    Tone,
    Unknown,
)
from phonxling.phones.segment import Ties, segment
from phonxling.settings.models import Pairing

Symbols = str | Sequence[str]
Columns = Mapping[str, str] | str
_Option = TypeVar("_Option")
_RULES, _PAIRING = SymbolRules(), Pairing()  # for their defaults


@checked_types
def load_corpus(
    gold: Source | Data | PhoneSequences,
    predicted: Source | Data | PhoneSequences | None = None,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: Speakers | None = None,
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
        Files, or folders or globs of files; or their addresses as text (`s3://…`), with the extra `remote`. Or data
        in memory (docs/python.md): a list with the phones of each utterance, as a list or a text with spaces; a mapping
        of ids to these; a DataFrame, or an iterable of records, with the columns of a TSV; a `Transcript`.
        `PhoneSequences` are taken as they are. Data without ids are paired by position, and called 0, 1, …. Where one
        table has both sides, `predicted` may be left out if `columns` is a pair.
    symbols : str, or pair of str
        Symbol set of both sides, or of gold and of predicted: `ipa`, `ipa-joined` (words of joined IPA), `xsampa`,
        `espeak`, `timit61`, `timit48`, `timit39`, `arpabet`, `raw`, or the path of a two-column TSV (symbol, ipa); or a
        list of one of these and of tables whose rows are laid over it: `["timit61", "extra.tsv"]`. A pair is a tuple.
    format, tier : str, or pair of str
        The files' format when their names and contents do not tell; the tier that holds the phones, by name or glob, in
        TextGrid, EAF and CHAT files.
    columns : mapping or str, or pair of them
        What columns are called in tables that have other names: {"utterance": "sample"}. A text names the column of
        phones: ("reference", "prediction").
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
    if predicted is None and not isinstance(columns, tuple):
        raise ConfigurationError("predicted is missing; if gold is a table of both sides, name them: columns=(…, …)")
    other = gold if predicted is None else predicted
    if gold is other and isinstance(gold, Iterator):
        gold = other = list(gold)
    table, forms, tiers, titles = features or panphon_features(), both(format), both(tier), both(columns)
    with LocalCopies() as copies:
        sets = [_symbols_of(names, copies) for names in both(symbols)]
        about = zip((gold, other), ("gold", "predicted"), forms, tiers, titles, strict=True)
        sides = [
            read_side(data, side, copies, form=form, tier=layer, columns=titles_of(title))
            for data, side, form, layer, title in about
        ]
        check_sides(*sides, joined=any(each.joined for each in sets))
        read = [(side.content, each) for side, each in zip(sides, sets, strict=True)]
        raw = [(content, each) for content, each in read if isinstance(content, Transcript)]
        levels = corpus_levels(raw) if tone_levels == "auto" else tone_levels
        rules = SymbolRules(
            unknown, tone, silence, closures, levels, diphthongs, affricates, length, diacritics, position_marks, case
        )
        del sides, raw  # a million utterances' symbols are not kept beside their phones
        gold_phones, gold_audit = _phones(*read.pop(0), table, rules, side="gold")
        predicted_phones, predicted_audit = _phones(*read.pop(0), table, rules, side="predicted")
        corpus = pair(gold_phones, predicted_phones, (gold_audit, predicted_audit), allow_unpaired)
        if speakers is None:
            return corpus
        return replace(corpus, speakers=speakers_given(speakers, corpus.utterances, copies))


@checked_types
def load_segments(
    segments: Source | Data | PhoneSequences,
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
    with LocalCopies() as copies:
        side = read_side(segments, "segments", copies, form=format, tier=tier, columns=titles_of(columns))
        phones, _ = _phones(side.content, _symbols_of(symbols, copies), features or panphon_features(), rules)
    if phones.start is None and len(phones.codes):
        raise DataError(f"{phones.source}: holds no times; segments need a start and an end for each phone")
    return phones


@checked_types
def load_posteriorgrams(
    posteriors: Source | Mapping[Any, ArrayLike] | Iterable[ArrayLike],
    symbols: Symbols = "ipa",
    *,
    scale: Scale = "probability",
    frame_shift: float | None = None,
    frame_offset: float = 0.0,
    blank: str | None = None,
    labels: Source | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 - the interface's name
    rules: SymbolRules = _RULES,
    features: FeatureTable | None = None,
) -> Posteriorgrams:
    """Return posteriors whose columns are phones; frames are read, and checked, when they are used.

    Parameters
    ----------
    posteriors : path, or data
        A file, or a folder or glob of files: npz (one array an utterance, with `phones` and optionally
        `frame_shift_s`), npy (one utterance), HDF5, Kaldi ark or scp, safetensors; or the address of one as text. Or a
        mapping of ids to arrays [frames, columns], or a list of arrays, called 0, 1, …; copied, unless read-only.
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
    if scale not in SCALES:
        raise ConfigurationError(f"no scale is called '{scale}'; there are: {', '.join(SCALES)}")
    with LocalCopies() as copies:
        given_labels = copies.path(text_or_path(labels)) if isinstance(labels, str | PathLike) else labels
        if isinstance(posteriors, str | PathLike):
            path = copies.path(text_or_path(posteriors), posterior_endings(format))
            raw = load_raw_posteriors(path, format, given_labels)
        else:
            raw = posteriors_in_memory(posteriors, given_labels, form=format, frame_shift=frame_shift)
        posteriorgrams, _ = normalise_columns(
            replace(raw, read=copies.keep_for(raw.read), source=copies.named(raw.source)),
            _symbols_of(symbols, copies),
            features or panphon_features(),
            rules,
            frame_shift=frame_shift,
            frame_offset=frame_offset,
            blank=blank,
            scale=scale,
        )
    for utterance in () if posteriorgrams.files else posteriorgrams.utterances:
        posteriorgrams.raw(utterance)  # the shapes of data in memory are looked at now
    return posteriorgrams


def both(option: _Option | tuple[_Option, _Option]) -> tuple[_Option, _Option]:
    """Return an option of gold and of predicted, which may be given once for both."""
    if isinstance(option, tuple) and len(option) != 2:
        raise ConfigurationError(f"a pair is needed, (of gold, of predicted), or one for both, not {option}")
    return option if isinstance(option, tuple) else (option, option)


def titles_of(columns: Columns | None) -> Mapping[str, str]:
    """Return the names of columns; a text names the phones alone."""
    return {"phones": columns} if isinstance(columns, str) else columns or {}


def _phones(
    content: Transcript | PhoneSequences,
    symbols: SymbolSet,
    table: FeatureTable,
    rules: SymbolRules,
    *,
    side: str = "",
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return what was given as phones, and the audit of its symbols; `side` is for messages."""
    if isinstance(content, PhoneSequences):
        return content, ()
    return normalise(content, symbols, table, rules, side=side)


def _symbols_of(names: Symbols, copies: LocalCopies) -> SymbolSet:
    """Return a symbol set by names, paths or URLs; errors as for `symbol_set`."""
    several = (names,) if isinstance(names, str) else tuple(names)
    if len(several) == 2 and set(several) <= set(BUILT_IN):
        raise ConfigurationError(f"symbols: a set for gold and one for predicted are a tuple: symbols={several}")
    return symbol_set([str(copies.path(name)) if is_url(name) else name for name in several])


@checked_types
def segment_ipa(text: str, *, ties: Ties = "optional", features: FeatureTable | None = None) -> list[str]:
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
