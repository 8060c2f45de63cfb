"""The configuration of an experiment: its sections with their defaults, and the whole, as frozen values."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema

from phonxling.configuration import checks
from phonxling.configuration.checks import check_name_or_table, is_table_path
from phonxling.configuration.files import (
    ClassName,
    ClassQuery,
    Corpus,
    DataPath,
    Flag,
    Gap,
    Name,
    Number,
    PathMark,
    Ratio,
    Section,
    Several,
    SymbolFile,
    Text,
    WrittenPath,
    setting,
)
from phonxling.phones import symbols as rules

Method: TypeAlias = Literal["umap", "pca"]
Metric: TypeAlias = Literal["hellinger", "aitchison"]
METRIC: Final = "hellinger"  # the default
GivenName: TypeAlias = Literal[
    "panphon", "panphon-weighted", "panphon-edit", "panphon-hamming", "panphon-nonzero", "unit", "sclite"
]
_GIVEN_NAMES = get_args(GivenName)
Costs: TypeAlias = Annotated[
    GivenName | WrittenPath,
    BeforeValidator(partial(check_name_or_table, available=_GIVEN_NAMES, table="./costs.tsv")),
    PathMark("costs", is_table_path, _GIVEN_NAMES),
]
GapCost: TypeAlias = Annotated[
    Literal["auto"] | float | Ratio | WrittenPath,
    Gap("auto", at_least=0, at_most=1_000_000),
    PathMark("costs", is_table_path),
]
Common: TypeAlias = Annotated[
    Literal["exact", "features"] | WrittenPath,
    BeforeValidator(partial(check_name_or_table, available=("exact", "features"), table="./same.tsv")),
    PathMark("phones", is_table_path),
]
LanguageTable: TypeAlias = Annotated[
    WrittenPath, BeforeValidator(checks.check_path), PathMark("languages", lambda _: True)
]
Contrasts: TypeAlias = Annotated[
    Literal["none", "auto"] | WrittenPath | tuple[tuple[Text, Text], ...],
    BeforeValidator(checks.check_contrasts),
    PathMark("pairs", is_table_path, ("none", "auto")),
]
Estimator: TypeAlias = Literal["ml", "miller-madow", "chao-shen", "shrink", "grassberger", "jeffreys", "laplace", "nsb"]
ChanceModel: TypeAlias = Literal["constant", "uniform", "unigram", "bigram", "shuffled"]
MOST_PERMUTATIONS = 100_000
LARGEST_SEED = 4_000_000_000  # below 2³², which is all that the map's library takes
Millimetres: TypeAlias = Annotated[
    float,
    BeforeValidator(checks.check_width),
    WithJsonSchema(
        {"type": ["number", "string"], "minimum": 60, "maximum": 400, "pattern": f"^{checks.LENGTH.pattern}$"}
    ),
]
MainKinds: TypeAlias = Literal["rates", "errors", "map", "confusions"]
FurtherKinds: TypeAlias = Literal[
    "vowels", "consonants", "phones", "features", "residuals", "association", "calibration", "utterances", "languages"
]
FigureKinds: TypeAlias = Literal["main", "all", MainKinds, FurtherKinds, "differences"]
FigureFormat: TypeAlias = Literal["pdf", "png", "svg"]
FigureOrder: TypeAlias = Literal["chart", "similarity", "features", "frequency"]
Seed: TypeAlias = Annotated[int, Number(at_least=0, at_most=LARGEST_SEED, whole=True)]
Permutations: TypeAlias = Annotated[int, Number(at_least=0, at_most=MOST_PERMUTATIONS, whole=True)]
Replicates: TypeAlias = Annotated[int, Number(at_least=1, at_most=10_000, whole=True)]
UpTo1000: TypeAlias = Annotated[int, Number(at_least=1, at_most=1_000, whole=True)]
From2To1000: TypeAlias = Annotated[int, Number(at_least=2, at_most=1_000, whole=True)]


def _default_of(rule: str) -> Any:  # noqa: ANN401 - a field of pydantic's
    """Return the field of a rule, with the default that it has in Python and the words that files have for it."""
    return setting(getattr(rules.SymbolRules(), rule), SymbolFile.model_fields[rule].description or "")


class SymbolRules(Section):
    """How raw symbols become phones; a corpus' file may override each."""

    unknown: rules.Unknown = _default_of("unknown")
    tone: rules.Tone = _default_of("tone")
    tone_levels: rules.LevelsOrAuto = setting(
        rules.TONE_LEVELS,
        "How tone accents read as pitch: in three levels or in five; auto goes by all tones of the corpus.",
    )
    silence: rules.Silence = _default_of("silence")
    closures: rules.Closures = _default_of("closures")
    diphthongs: rules.Parts = _default_of("diphthongs")
    affricates: rules.Parts = _default_of("affricates")
    length: rules.Marks = _default_of("length")
    diacritics: rules.Marks = _default_of("diacritics")
    position_marks: rules.Marks = _default_of("position_marks")
    case: rules.Case = _default_of("case")

    def of(self, file: SymbolFile) -> "SymbolRules":
        """Return the rules of one file: its own, and these where it has none."""
        own = {rule: getattr(file, rule) for rule in type(self).model_fields}
        return self.model_copy(update={rule: value for rule, value in own.items() if value is not None})


class Features(Section):
    """The phonological features of phones, on which costs rest."""

    table: Literal["panphon-0.22.2", "panphon-0.20"] = setting(
        "panphon-0.22.2",
        "The release of PanPhon's table; rows differ, and so do rates that were published with another.",
    )
    path: DataPath | None = setting(
        None, "A feature table of your own (TSV: segment, then one column per feature); panphon's alone when left out."
    )
    base: Literal["panphon", "none"] = setting(
        "panphon", "Whether the table adds to panphon's rows and replaces some, or is the whole feature system."
    )


class Alignment(Section):
    """How gold and predicted phones are aligned, and errors weighed."""

    costs: Costs = setting(
        "panphon", "The costs of substitutions: named, or the path of a TSV (gold, predicted, cost)."
    )
    insertion: GapCost = setting(
        "auto", "The cost of an insertion, or the path of a TSV (phone, cost); auto follows the costs."
    )
    deletion: GapCost = setting(
        "auto", "The cost of a deletion, or the path of a TSV (phone, cost); auto follows the costs."
    )
    ties: Literal["auto", "identical", "nist", "kaldi"] = setting(
        "auto", "Which of equally good alignments is taken; auto follows the costs."
    )


class Pairing(Section):
    """How utterances of gold and predicted, and phones and frames, find each other."""

    allow_unpaired: Annotated[float, Number(at_least=0, below=1)] = setting(
        0.0, "The share of utterances that may lack a partner."
    )
    check_posteriors: Flag = setting(
        True, "Whether posteriors are refused whose labels, frame shift or blank do not fit the phones."
    )


class Entropy(Section):
    """Entropies of confusions."""

    estimators: Several[Estimator] = setting(("ml",), "The estimators of entropy.")
    gaps: Literal["exclude", "include"] = setting(
        "exclude", "Whether insertions and deletions count as confusions with nothing."
    )


class Expected(Section):
    """The confusions of a target to be expected from those of the reference."""

    common: Common = setting(
        "exact",
        "Which phones of two languages are the same: by symbol, the nearest by features, or a TSV (target, reference).",
    )
    distance: Annotated[float, Number(at_least=0)] = setting(
        0.05, "The greatest distance of phones that are the same by features: mean difference, 1/24 for one of 24."
    )
    predicted: Literal["common", "all"] = setting(
        "all", "The predicted phones that are compared: all, or those of common phones alone."
    )
    smoothing: Annotated[float, Number(at_least=1e-9, at_most=1_000_000)] = setting(
        0.5, "What is added to every count."
    )
    allow_other_recogniser: Flag = setting(False, "Whether target and reference may come from different recognisers.")


class Information(Section):
    """Mutual information from posteriors."""

    permutations: Permutations = setting(1000, "Permutations of the test against independence; 0: none.")


class Confidence(Section):
    """How far confidences and posteriors can be trusted."""

    bins: From2To1000 = setting(10, "The bins of confidences that calibration uses.")
    map: DataPath | None = setting(
        None,
        "Which of the recogniser's phones a gold phone is, where it is another symbol: a TSV (gold phone, its phone).",
    )


class Boundaries(Section):
    """Boundaries between phones, where gold and predicted phones have times."""

    tolerance: Annotated[float, Number(at_least=0, at_most=10)] = setting(
        0.02, "The tolerance, in seconds, within which two boundaries match."
    )


class Chance(Section):
    """Predictions without information, as levels of comparison."""

    models: Several[ChanceModel] = setting(("constant", "unigram", "bigram", "shuffled"), "The models of chance.")
    replicates: Replicates = setting(20, "Random replicates of a model, at most.")


class Uncertainty(Section):
    """Intervals: one cluster is left out at a time."""

    level: Annotated[float, Number(above=0, below=1)] = setting(0.95, "The level of the intervals.")
    cluster: Literal["auto", "speaker", "utterance"] = setting(
        "auto",
        "Who is left out together. auto: the speaker, where five are known who are worth four equal ones. Else it "
        "is the utterance, which may also be declared: each speaker has one.",
    )
    prompts: Literal["fixed", "drawn"] = setting(
        "fixed",
        "fixed: intervals are of these sentences; drawn: of others, too (rates, shares, skill over speakers × "
        "prompts).",
    )


class Map(Section):
    """The map of phones."""

    method: Method = setting(
        "umap",
        "How the map is drawn: UMAP keeps neighbourhoods; principal components keep distances as far as two axes can.",
    )
    metric: Metric = setting(METRIC, "The distance between phones: Hellinger's, or Aitchison's of log-ratios.")
    n_neighbors: From2To1000 = setting(10, "Neighbours that UMAP keeps together.")
    batches: UpTo1000 = setting(8, "Parts of a phone's tokens that stand on the map as points of their own.")


class Figures(Section):
    """How figures are drawn."""

    formats: Several[FigureFormat] = setting(
        ("pdf",), "The formats, each a file: pdf for a paper, png for a slide, svg for further drawing."
    )
    width: Millimetres = setting(84.0, "The width of a column: a number of mm, or with a unit (84 mm, 8.4 cm, 3.3 in).")
    font: Text = setting("auto", "A font's name; auto finds one that has the phonetic letters.")
    order: FigureOrder = setting(
        "chart",
        "How heat maps order phones: as the IPA chart does, those confused alike side by side (similarity), by "
        "features (panphon's), or by frequency.",
    )
    kinds: Several[FigureKinds] = setting(
        ("main",),
        "The kinds that are drawn. `main` are rates, errors, the map, and confusions of each corpus; `all` is "
        "every kind that has data. docs/gallery.md shows each.",
    )


class Report(Section):
    """What is written beside tables and figures."""

    html: Flag = setting(True, "Whether the page is written.")


class Decoding(Section):
    """How phones are decoded from the posteriors of a corpus without predictions."""

    method: Literal["greedy", "none"] = setting(
        "greedy", "The best label of each frame; none: no predictions are made."
    )
    min_duration: Annotated[float, Number(at_least=0, at_most=10)] = setting(
        0.03, "How long, in seconds, a run of frames must last to be a phone, where there is no blank."
    )

    @property
    def least(self) -> float | None:
        """The least duration of a phone; None where nothing is decoded."""
        return None if self.method == "none" else self.min_duration


class Times(Section):
    """Times of gold phones that are found from the posteriors: where gold has none, or a corpus has `times: forced`."""

    weights: Literal["soft", "best"] = setting(
        "soft",
        "How frames count: each for every phone by the probability that it is the phone's, or for one phone each.",
    )
    minimum_frames: UpTo1000 = setting(3, "The least frames of a phone. With a blank among the columns it is one.")


class Experiment(Section):
    """The configuration of an experiment: corpora, and how they are analysed."""

    name: Name = Field(description="The experiment's name and its folder of results; the file's name when left out.")
    seed: Seed = setting(20, "Everything random derives from it.")
    corpora: Annotated[Mapping[Name, Corpus], BeforeValidator(checks.check_mapping)] = Field(
        min_length=1, description="The corpora by name, one or more."
    )
    symbols: SymbolRules = SymbolRules()
    languages: LanguageTable | None = setting(
        None,
        "What is known of the languages: a TSV of code, name (title), family, group, seen (yes or no), other columns.",
    )
    features: Features = Features()
    alignment: Alignment = Alignment()
    pairing: Pairing = setting(Pairing(), "How utterances of gold and predicted find each other.")
    decoding: Decoding = Decoding()
    entropy: Entropy = Entropy()
    expected: Expected = Expected()
    times: Times = setting(Times(), "Times of gold phones that are found from the posteriors, where gold has none.")
    information: Information = Information()
    confidence: Confidence = Confidence()
    boundaries: Boundaries = setting(Boundaries(), "Boundaries between phones, where both sides have times.")
    chance: Chance = Chance()
    uncertainty: Uncertainty = setting(Uncertainty(), "Intervals.")
    classes: Annotated[Mapping[ClassName, ClassQuery], BeforeValidator(checks.check_mapping)] = setting(
        {},
        'Natural classes beside the default ones, each by its features: {nasal vowels: "+syl +nas"}; "|" joins '
        "queries.",
    )
    context: Literal["none", "position", "left", "right"] = setting(
        "none",
        "The contexts in which confusions are counted apart: by position in the utterance, or word, where gold "
        "marks words.\n\nleft and right are by the natural class of the gold neighbour there.",
    )
    contrasts: Contrasts = setting(
        "none",
        "The pairs of gold phones whose assimilation is measured: a list such as [[p, b], [e, ɛ]], or the path of "
        "a TSV.\n\nWith auto, all pairs of up to 60 phones, and those of least distance of more.",
    )
    map: Map = Map()
    figures: Figures = Figures()
    report: Report = Report()

    _folder: Path | None = PrivateAttr(default=None)
    _held: Mapping[str, Any] = PrivateAttr(default={})

    @property
    def folder(self) -> Path | None:
        return self._folder

    @property
    def held(self) -> Mapping[str, Any]:
        """What of each corpus, by its name, is in memory instead of in files."""
        return self._held
