"""Files to phones for users of the library, with the defaults of the configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from phonxling.core.corpus import Corpus
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.posteriorgram import SCALES, Posteriorgrams, Scale
from phonxling.core.sequences import PhoneSequences, Transcript
from phonxling.experiment.configuration.symbol_sets import symbol_set
from phonxling.load.formats import known_endings, load_transcript
from phonxling.load.posteriors import known_endings as posterior_endings
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.load.remote.fetching import LocalCopies
from phonxling.load.remote.urls import is_url
from phonxling.load.resources.features import panphon_features
from phonxling.phones.columns import normalise_columns
from phonxling.phones.maps import SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.pairing import pair
from phonxling.phones.rules import (
    TONE_LEVELS,
    Closures,
    Diphthongs,
    LevelsOrAuto,
    Silence,
    SymbolRules,
    Tone,
    Unknown,
)
from phonxling.phones.segment import Ties, segment
from phonxling.phones.tones import tone_levels as corpus_levels
from phonxling.settings.sections import Pairing

Source = str | Path
Symbols = str | Sequence[str]
Columns = Mapping[str, str]
_Option = TypeVar("_Option")
_RULES, _PAIRING = SymbolRules(), Pairing()  # for their defaults


def load_corpus(
    gold: Source,
    predicted: Source,
    *,
    symbols: tuple[Symbols, Symbols] = ("ipa", "ipa"),
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    unknown: Unknown = _RULES.unknown,
    tone: Tone = _RULES.tone,
    tone_levels: LevelsOrAuto = TONE_LEVELS,
    silence: Silence = _RULES.silence,
    closures: Closures = _RULES.closures,
    diphthongs: Diphthongs = _RULES.diphthongs,
    allow_unpaired: float = _PAIRING.allow_unpaired,
    features: FeatureTable | None = None,
) -> Corpus:
    """Return gold and predicted phones of two files, normalised and paired by utterance.

    Parameters
    ----------
    gold, predicted : path
        Files, or folders or globs of files; or their addresses as text (`s3://…`), with the extra `remote`.
    symbols : pair of str
        Symbol set of gold and of predicted: `ipa`, `ipa-joined` (words of joined IPA), `xsampa`, `timit61`, `timit48`,
        `timit39`, `arpabet`, `raw`, or the path of a two-column TSV (symbol, ipa); or a list of one of these and of
        tables whose rows are laid over it: `["timit61", "extra.tsv"]`.
    format : str, or pair of str
        The files' format when their names and contents do not tell.
    unknown, tone, silence, closures, diphthongs : str
        How symbols are treated, see `SymbolRules`.
    columns : mapping, or pair of mappings
        Names of the columns or fields in tables, JSON and Parquet that have others: {"utterance": "sample"}. A file
        with both sides is given twice, with {"phones": "reference"} and {"phones": "prediction"}, say.
    allow_unpaired : float
        Share of utterances that may lack a partner.
    tone_levels : {"auto", "three", "five"}
        How tone accents read, see `phonxling.core.phonology.tone`; auto goes by all tones of the two files.
    features : FeatureTable, optional
        What phones are known; by default panphon's, see `load_features` for your own.
    tier : str, or pair of str
        The tier that holds the phones, by name or glob, in TextGrid, EAF and CHAT files.

    Raises
    ------
    DataError
        If a file is missing, malformed, or not of the format.
        If symbols are unknown: the message names the set that knows them, if one does.
        If utterances lack a partner: the message says in what their ids differ.
    """
    forms, tiers, titles = _both(format), _both(tier), _both(columns)
    table = features or panphon_features()
    with LocalCopies() as copies:
        sets = _symbols_of(symbols[0], copies), _symbols_of(symbols[1], copies)
        gold_symbols = _transcript(gold, copies, form=forms[0], tier=tiers[0], columns=titles[0])
        predicted_symbols = _transcript(predicted, copies, form=forms[1], tier=tiers[1], columns=titles[1])
        levels = (
            corpus_levels([(gold_symbols, sets[0]), (predicted_symbols, sets[1])])
            if tone_levels == "auto"
            else tone_levels
        )
        rules = SymbolRules(unknown, tone, silence, closures, levels, diphthongs)
        gold_phones, gold_audit = normalise(gold_symbols, sets[0], table, rules, side="gold")
        del gold_symbols  # a million utterances' symbols are not kept beside their phones
        predicted_phones, predicted_audit = normalise(predicted_symbols, sets[1], table, rules, side="predicted")
        return pair(gold_phones, predicted_phones, (gold_audit, predicted_audit), allow_unpaired)


def load_segments(
    path: Source,
    symbols: Symbols = "ipa",
    *,
    format: str | None = None,  # noqa: A002 - the interface's name
    tier: str | None = None,
    columns: Columns | None = None,
    rules: SymbolRules = _RULES,
    features: FeatureTable | None = None,
) -> PhoneSequences:
    """Return gold phones with their times, from a file of any format that has times.

    Parameters and errors as for `load_corpus` (`rules` holds how symbols are treated), and DataError when the file
    holds no times.
    """
    with LocalCopies() as copies:
        transcript = _transcript(path, copies, form=format, tier=tier, columns=columns)
        phones, _ = normalise(transcript, _symbols_of(symbols, copies), features or panphon_features(), rules)
    if phones.start is None and len(phones.codes):
        raise DataError(f"{phones.source}: holds no times; segments need a start and an end for each phone")
    return phones


def load_posteriorgrams(
    path: Source,
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
    path : path
        A file, or a folder or glob of files: npz (one array an utterance, with `phones` and optionally
        `frame_shift_s`), npy (one utterance), HDF5, Kaldi ark or scp, safetensors. Or the address of one as text, of
        which a temporary copy is there as long as the result is.
    symbols : str
        Symbol set of the column labels.
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
    rules : SymbolRules, optional
        How symbols are treated.
    features : FeatureTable, optional
        What phones are known; by default panphon's.

    Raises
    ------
    DataError
        If the file is missing or malformed, or labels are unknown, missing or double.
        If labels are letters or pieces of words (docs/ctc.md).
    ConfigurationError
        If there is no such scale.
    """
    if scale not in SCALES:
        raise ConfigurationError(f"no scale is called '{scale}'; there are: {', '.join(SCALES)}")
    with LocalCopies() as copies:
        given_labels = copies.path(labels) if isinstance(labels, str | Path) else labels
        raw = load_raw_posteriors(copies.path(path, posterior_endings(format)), format, given_labels)
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
    return posteriorgrams


def segment_ipa(text: str, *, ties: Ties = "optional", features: FeatureTable | None = None) -> list[str]:
    """Return the phones of joined IPA by longest match, as they are written there (NFC); nothing of them is lost.

    White space and syllable dots separate phones; letters that nobody knows stand alone. What is decided where the
    notation is in doubt, see `docs/symbols.md`. To load files of such words, use the symbol set `ipa-joined`.

    Parameters
    ----------
    text : str
        Joined IPA.
    ties : {"optional", "required"}
        Whether two letters without a tie bar are one phone where the table has it as an affricate or labial-velar.
    features : FeatureTable, optional
        What phones are known; by default panphon's.

    Examples
    --------
    >>> segment_ipa("kpàtàkì"), segment_ipa("katsu", ties="required")
    (['kp', 'à', 't', 'à', 'k', 'ì'], ['k', 'a', 't', 's', 'u'])
    """
    return segment(text, features or panphon_features(), ties)


def _both(option: _Option | tuple[_Option, _Option]) -> tuple[_Option, _Option]:
    """Return an option of gold and of predicted, which may be given once for both."""
    return option if isinstance(option, tuple) else (option, option)


def _transcript(
    source: Source, copies: LocalCopies, *, form: str | None, tier: str | None, columns: Columns | None
) -> Transcript:
    """Return the transcript of a path or URL; it is named after what the caller gave."""
    transcript = load_transcript(copies.path(source, known_endings(form)), form, columns, tier)
    return replace(transcript, source=copies.named(transcript.source))


def _symbols_of(names: Symbols, copies: LocalCopies) -> SymbolSet:
    """Return a symbol set by names, paths or URLs; errors as for `symbol_set`."""
    several = (names,) if isinstance(names, str) else names
    return symbol_set([str(copies.path(name)) if is_url(name) else name for name in several])
