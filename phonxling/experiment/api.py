"""The pipeline's first steps with the choices made for you: files to a corpus, costs from panphon, alignment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

from phonxling.align.corpus import align_sequences
from phonxling.align.costs.features import TONE_WEIGHT
from phonxling.align.expected import expect_sequences
from phonxling.align.learned import LEARNED
from phonxling.analyses.case.costs import GapSetting, costs_of
from phonxling.core.alignment import Alignments
from phonxling.core.audit import SymbolAudit
from phonxling.core.corpus import Corpus
from phonxling.core.costs import CostTable, Ties
from phonxling.core.errors import ConfigurationError, DataError
from phonxling.core.expected_alignment import ExpectedAlignments
from phonxling.core.inventory import Inventory, as_inventory
from phonxling.core.phonology.features import FeatureTable
from phonxling.core.posteriorgram import Posteriorgrams
from phonxling.core.scale import SCALES, Scale
from phonxling.core.sequences import PhoneSequences, Transcript, from_lists
from phonxling.core.work import Threads
from phonxling.load.formats import load_transcript
from phonxling.load.posteriors import load_raw_posteriors
from phonxling.load.remote.fetching import LocalCopies
from phonxling.load.remote.urls import is_url
from phonxling.load.remote.wanted import TABLE, posteriors, transcripts
from phonxling.load.resources.features import panphon_features
from phonxling.load.resources.maps import load_symbol_map
from phonxling.phones.columns import normalise_columns
from phonxling.phones.maps import BUILT_IN, SymbolSet
from phonxling.phones.normalise import normalise
from phonxling.phones.pairing import pair
from phonxling.phones.rules import SymbolRules
from phonxling.phones.segment import segment
from phonxling.phones.tones import tone_levels as corpus_levels
from phonxling.settings.checks import is_cost_path

Source = str | Path
Phones = Inventory | Iterable[str]


def load_corpus(
    gold: Source,
    predicted: Source,
    symbols: tuple[str, str] = ("ipa", "ipa"),
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tone: Literal["tier", "attach", "strip"] = "tier",
    silence: Literal["drop", "keep"] = "drop",
    unknown: Literal["error", "drop", "keep"] = "error",
    closures: Literal["merge", "alone"] = "merge",
    columns: Mapping[str, str] | tuple[Mapping[str, str], Mapping[str, str]] | None = None,
    allow_unpaired: float = 0.0,
    tone_levels: Literal["auto", "three", "five"] = "auto",
    diphthongs: Literal["keep", "split"] = "keep",
    features: FeatureTable | None = None,
    tier: str | tuple[str | None, str | None] | None = None,
) -> Corpus:
    """Return gold and predicted phones of two files, normalised and paired by utterance.

    Parameters
    ----------
    gold, predicted : path
        Files, or folders or globs of files; or their addresses as text (`s3://…`), with the extra `remote`.
    symbols : pair of str
        Symbol set of gold and of predicted: `ipa`, `ipa-joined` (words of joined IPA), `xsampa`, `timit61`, `timit48`,
        `timit39`, `arpabet`, `raw`, or the path of a two-column TSV (symbol, ipa).
    format : str, or pair of str
        The files' format when their names and contents do not tell.
    tone, silence, unknown, closures, diphthongs : str
        How symbols are treated, see `SymbolRules`.
    columns : mapping, or pair of mappings
        Names of the columns in TSV, CSV, JSONL and Parquet files that have others: {"utterance": "sample"}.
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
        If symbols are unknown: all are listed.
        If utterances lack a partner: all are listed.
    """
    forms = format if isinstance(format, tuple) else (format, format)
    names = columns if isinstance(columns, tuple) else (columns, columns)
    tiers = tier if isinstance(tier, tuple) else (tier, tier)
    table = features or panphon_features()
    with LocalCopies() as here:
        sets = (_symbols_of(symbols[0], here), _symbols_of(symbols[1], here))
        said = _transcript(gold, here, forms[0], names[0], tiers[0])
        heard = _transcript(predicted, here, forms[1], names[1], tiers[1])
        levels = corpus_levels([(said, sets[0]), (heard, sets[1])]) if tone_levels == "auto" else tone_levels
        rules = SymbolRules(unknown, tone, silence, closures, levels, diphthongs)
        rows, first = normalise(said, sets[0], table, rules)
        del said  # a million utterances' symbols are not kept beside their phones
        found, second = normalise(heard, sets[1], table, rules)
        return pair(rows, found, (first, second), allow_unpaired)


def load_segments(
    path: Source,
    symbols: str = "ipa",
    format: str | None = None,  # noqa: A002 - the interface's name
    columns: Mapping[str, str] | None = None,
    rules: SymbolRules | None = None,
    tier: str | None = None,
    features: FeatureTable | None = None,
) -> PhoneSequences:
    """Return gold phones with their times, from a file of any format that has times.

    Errors as for `load_corpus`, and DataError when the file holds no times.
    """
    found = load_phones(path, symbols, rules or SymbolRules(), format, columns, tier, features)[0]
    if found.start is None and len(found.codes):
        raise DataError(f"{found.source}: holds no times; segments need a start and an end for each phone")
    return found


def load_posteriorgrams(
    path: Source,
    symbols: str = "ipa",
    scale: Scale = "probability",
    frame_shift: float | None = None,
    frame_offset: float = 0.0,
    blank: str | None = None,
    labels: Source | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002 - the interface's name
    rules: SymbolRules | None = None,
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
        If the file is missing or malformed, or labels are unknown (all are listed), missing or double.
    ConfigurationError
        If there is no such scale.
    """
    if scale not in SCALES:
        raise ConfigurationError(f"no scale is called '{scale}'; there are: {', '.join(SCALES)}")
    with LocalCopies() as here:
        named = here.path(labels, TABLE) if isinstance(labels, str | Path) else labels
        raw = load_raw_posteriors(here.path(path, posteriors(format)), format, named)
        found, _ = normalise_columns(
            replace(raw, read=here.keep_for(raw.read), source=here.named(raw.source)),
            _symbols_of(symbols, here),
            features or panphon_features(),
            rules or SymbolRules(),
            frame_shift=frame_shift,
            frame_offset=frame_offset,
            blank=blank,
            scale=scale,
        )
    return found


def load_phones(
    path: Source,
    symbols: str,
    rules: SymbolRules,
    form: str | None,
    columns: Mapping[str, str] | None,
    tier: str | None = None,
    features: FeatureTable | None = None,
) -> tuple[PhoneSequences, SymbolAudit]:
    """Return one file's normalised phones and their audit."""
    with LocalCopies() as here:
        transcript = _transcript(path, here, form, columns, tier)
        return normalise(transcript, _symbols_of(symbols, here), features or panphon_features(), rules)


def segment_ipa(
    text: str, ties: Literal["optional", "required"] = "optional", features: FeatureTable | None = None
) -> list[str]:
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


def _transcript(
    path: Source, here: LocalCopies, form: str | None, columns: Mapping[str, str] | None, tier: str | None
) -> Transcript:
    """Return the transcript of a path or an address; it is named after what the caller gave."""
    found = load_transcript(here.path(path, transcripts(form)), form, columns, tier)
    named = here.named(found.source)
    return found if named == found.source else replace(found, source=named)


def _symbols_of(name: str, here: LocalCopies) -> SymbolSet:
    """Return a symbol set by name, path or address; errors as for `symbol_set`."""
    return symbol_set(str(here.path(name, TABLE)) if is_url(name) else name)


def symbol_set(name: str) -> SymbolSet:
    """Return a bundled symbol set by name, or a user's from a TSV; ConfigurationError for a name that is neither."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    if "." in name or "/" in name:
        path = Path(name)
        return SymbolSet(path.name, load_symbol_map(path))
    msg = f"no symbol set is called '{name}'; there are: {', '.join(BUILT_IN)}, or the path of a TSV (symbol, ipa)"
    raise ConfigurationError(msg)


def feature_costs(
    gold: Phones,
    predicted: Phones,
    name: Source = "panphon",
    insertion: GapSetting = None,
    deletion: GapSetting = None,
    ties: Ties | None = None,
    features: FeatureTable | None = None,
    tone_weight: float | Fraction = TONE_WEIGHT,
) -> CostTable:
    """Return a cost table between two inventories, by default panphon's mean feature difference with gaps of 1.

    Parameters
    ----------
    gold, predicted : Inventory or list of str
        The phones of the two sides.
    name : str or path
        `panphon`, `panphon-weighted`, `panphon-weighted-0.22.2`, `panphon-hamming`, `unit`, `sclite` or `cognate`
        (see `phonxling.align.costs.named`), or the path of a TSV (gold, predicted, cost).
    insertion, deletion : float, Fraction, mapping, or path, optional
        Gap costs: one, or by phone, in a mapping or a TSV (phone, cost). By default those of the costs: 1, 3 for
        `sclite`, a table's own rows with ∅; `cognate` takes none but its own. Taken as exact decimals.
    ties : {"identical", "nist"}, optional
        The tie rule; by default that of the costs.
    features : FeatureTable, optional
        By default panphon's.
    tone_weight : float or Fraction
        Weight of each tone feature in `panphon-weighted`, where phones have tone attached.

    Raises
    ------
    ConfigurationError
        If no costs have that name, or a gap cost is negative or not finite.
    DataError
        If a table is missing or malformed, or lacks a pair or a phone.

    Examples
    --------
    p and b differ in voice alone, from −1 to +1, one of 24 features:

    >>> feature_costs(["p"], ["b"]).cost("p", "b")
    Fraction(1, 24)
    """
    chosen = Path(name) if not isinstance(name, str) or is_cost_path(name) else name
    if chosen == "table":
        raise ConfigurationError("give the path of the table instead of the word 'table', such as ./costs.tsv")
    if chosen == LEARNED:
        raise ConfigurationError("learned costs come from data: use learn_costs(corpus)")
    return costs_of(
        chosen,
        as_inventory(gold),
        as_inventory(predicted),
        insertion=insertion,
        deletion=deletion,
        ties=ties,
        tone_weight=tone_weight,
        features=features,
    )


def align_corpus(corpus: Corpus, costs: CostTable, workers: int = 1) -> Alignments:
    """Return one optimal alignment of each utterance's gold with its predicted phones, as columns.

    Least cost first; then, with `ties="identical"`, most identical symbols, and with `ties="late"`, gaps as late as can
    be (the greatest sum of the positions of phones without a partner); then, traced from the end, a pair before an
    insertion before a deletion. The same on every machine and for any number of workers.

    Parameters
    ----------
    corpus : Corpus
        U utterances.
    costs : CostTable
        Between inventories that hold the corpus' phones.
    workers : int
        Threads.

    Raises
    ------
    KeyError
        If the costs lack one of the corpus' phones.
    DataError
        If an utterance is too long to align: its band needs more than 2 GB, or its costs overflow 64 bits.
    """
    return align_sequences(corpus.gold, corpus.predicted, costs, Threads(workers))


def align_expected(corpus: Corpus, costs: CostTable, temperature: float = 0.0, workers: int = 1) -> ExpectedAlignments:
    """Return each utterance's expected counts over its alignments, P(A) ∝ exp(−cost(A)/τ), and their ambiguity.

    An alignment is a set of aligned pairs, so that the order of neighbouring insertions and deletions makes no other
    one. `px.count_confusions` makes a matrix of it. No rule for ties is needed: that of the costs has no part.

    Parameters
    ----------
    corpus : Corpus
        U utterances.
    costs : CostTable
        Between inventories that hold the corpus' phones.
    temperature : float
        τ ≥ 0 in units of cost. 0: all optimal alignments alike, found by counting them exactly.
    workers : int
        Threads; the result is the same, bit for bit, for any number.

    Raises
    ------
    KeyError
        If the costs lack one of the corpus' phones.
    ConfigurationError
        If the temperature is negative or not finite.
    DataError
        If an utterance is too long to align in 4 GB: about 12,000 phones.

    Examples
    --------
    One predicted a for two gold ones may be either of them: two optimal alignments, 1 bit.

    >>> from phonxling.core.sequences import from_lists
    >>> pair = Corpus(gold=from_lists(["u"], [["a", "b", "a"]]), predicted=from_lists(["u"], [["a"]]))
    >>> found = align_expected(pair, feature_costs(["a", "b"], ["a"]))
    >>> found.counts.total().counts.tolist(), found.ambiguity.tolist()
    ([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]], [1.0])
    """
    return expect_sequences(corpus.gold, corpus.predicted, costs, temperature, Threads(workers))


def align(gold: Sequence[str], predicted: Sequence[str], costs: CostTable) -> list[tuple[str, str]]:
    """Return one pair's aligned phones, ∅ for none: for looking at. KeyError for a phone that the costs lack.

    Examples
    --------
    >>> align(["a", "b", "a"], ["a", "p"], feature_costs(["a", "b"], ["a", "p"]))
    [('a', 'a'), ('b', 'p'), ('a', '∅')]
    """
    rows = from_lists(["pair"], [list(gold)], costs.gold)
    columns = from_lists(["pair"], [list(predicted)], costs.predicted)
    return align_sequences(rows, columns, costs).pairs_of(0)
