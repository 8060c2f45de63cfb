"""The configuration of an experiment: its sections with their defaults, and the whole, as frozen values."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema

from phonxling.configuration import checks
from phonxling.configuration.checks import (
    check_contrasts,
    check_costs,
    check_mapping,
    check_path,
    is_cost_path,
    is_pathlike,
)
from phonxling.configuration.files import (
    Case,
    Choice,
    ClassName,
    ClassQuery,
    Closures,
    Corpus,
    DataPath,
    Flag,
    Gap,
    Marks,
    Name,
    Number,
    Parts,
    PathMark,
    Ratio,
    Section,
    Several,
    Silence,
    SymbolFile,
    Text,
    Tone,
    Unknown,
    WrittenPath,
)
from phonxling.phones import symbols as rules

Method: TypeAlias = Literal["umap", "pca"]
Metric: TypeAlias = Literal["hellinger", "aitchison"]
METRIC: Final = "hellinger"  # the default
GivenName: TypeAlias = Literal[
    "panphon",
    "panphon-weighted",
    "panphon-edit",
    "panphon-hamming",
    "panphon-nonzero",
    "unit",
    "sclite",
]
_GIVEN_NAMES = get_args(GivenName)
_NAMED_COSTS, _GAP_COSTS = PathMark("costs", is_cost_path, _GIVEN_NAMES), PathMark("costs", is_cost_path)
Costs: TypeAlias = Annotated[
    GivenName | WrittenPath, BeforeValidator(partial(check_costs, available=_GIVEN_NAMES)), _NAMED_COSTS
]
_MOST_COST = 1_000_000
GapCost: TypeAlias = Annotated[
    Literal["auto"] | float | Ratio | WrittenPath, Gap("auto", at_least=0, at_most=_MOST_COST), _GAP_COSTS
]
Common: TypeAlias = Annotated[
    Literal["exact", "features"] | WrittenPath,
    BeforeValidator(partial(check_costs, available=("exact", "features"), example="./same.tsv")),
    PathMark("phones", is_cost_path),
]
LanguageTable: TypeAlias = Annotated[WrittenPath, BeforeValidator(check_path), PathMark("languages", lambda _: True)]
Contrasts: TypeAlias = Annotated[
    Literal["none", "auto"] | WrittenPath | tuple[tuple[Text, Text], ...],
    BeforeValidator(check_contrasts),
    PathMark("pairs", is_pathlike, ("none", "auto")),
]
Estimator: TypeAlias = Annotated[
    Literal["ml", "miller-madow", "chao-shen", "shrink", "grassberger", "jeffreys", "laplace", "nsb"], Choice()
]
ChanceModel: TypeAlias = Annotated[Literal["constant", "uniform", "unigram", "bigram", "shuffled"], Choice()]
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
FigureFormat: TypeAlias = Annotated[Literal["pdf", "png", "svg"], Choice()]
FigureKind: TypeAlias = Annotated[FigureKinds, Choice()]
FigureOrder: TypeAlias = Annotated[Literal["chart", "similarity", "features", "frequency"], Choice()]
Seed: TypeAlias = Annotated[int, Number(at_least=0, at_most=LARGEST_SEED, whole=True)]
Permutations: TypeAlias = Annotated[int, Number(at_least=0, at_most=MOST_PERMUTATIONS, whole=True)]
Replicates: TypeAlias = Annotated[int, Number(at_least=1, at_most=10_000, whole=True)]
UpTo1000: TypeAlias = Annotated[int, Number(at_least=1, at_most=1_000, whole=True)]
From2To1000: TypeAlias = Annotated[int, Number(at_least=2, at_most=1_000, whole=True)]


def _default_of(rule: str) -> Any:  # noqa: ANN401 - a field of pydantic's
    """Return the field of a rule, with the default that it has in Python and the words that files have for it."""
    return Field(default=getattr(rules.SymbolRules(), rule), description=SymbolFile.model_fields[rule].description)


class SymbolRules(Section):
    """How raw symbols become phones; a corpus' file may override each."""

    unknown: Unknown = _default_of("unknown")
    tone: Tone = _default_of("tone")
    tone_levels: Annotated[rules.LevelsOrAuto, Choice()] = Field(
        default=rules.TONE_LEVELS,
        description="How tone accents read as pitch: in three levels or in five; auto goes by all tones of the corpus.",
    )
    silence: Silence = _default_of("silence")
    closures: Closures = _default_of("closures")
    diphthongs: Parts = _default_of("diphthongs")
    affricates: Parts = _default_of("affricates")
    length: Marks = _default_of("length")
    diacritics: Marks = _default_of("diacritics")
    position_marks: Marks = _default_of("position_marks")
    case: Case = _default_of("case")

    def of(self, file: SymbolFile) -> "SymbolRules":
        """Return the rules of one file: its own, and these where it has none."""
        own = {rule: getattr(file, rule) for rule in type(self).model_fields}
        return self.model_copy(update={rule: value for rule, value in own.items() if value is not None})


class Features(Section):
    """The phonological features of phones, on which costs rest."""

    table: Annotated[Literal["panphon-0.22.2", "panphon-0.20"], Choice()] = Field(
        default="panphon-0.22.2",
        description="The release of PanPhon's table; rows differ, and so do rates that were published with another.",
    )
    path: DataPath | None = Field(
        default=None,
        description=(
            "A feature table of your own (TSV: segment, then one column per feature); panphon's alone when left out."
        ),
    )
    base: Annotated[Literal["panphon", "none"], Choice()] = Field(
        default="panphon",
        description="Whether the table adds to panphon's rows and replaces some, or is the whole feature system.",
    )


class Alignment(Section):
    """How gold and predicted phones are aligned, and errors weighed."""

    costs: Costs = Field(
        default="panphon",
        description="The costs of substitutions: named, or the path of a TSV (gold, predicted, cost).",
    )
    insertion: GapCost = Field(
        default="auto",
        description="The cost of an insertion, or the path of a TSV (phone, cost); auto follows the costs.",
    )
    deletion: GapCost = Field(
        default="auto",
        description="The cost of a deletion, or the path of a TSV (phone, cost); auto follows the costs.",
    )
    ties: Annotated[Literal["auto", "identical", "nist", "kaldi"], Choice()] = Field(
        default="auto", description="Which of equally good alignments is taken; auto follows the costs."
    )


class Pairing(Section):
    """How utterances of gold and predicted, and phones and frames, find each other."""

    allow_unpaired: Annotated[float, Number(at_least=0, below=1)] = Field(
        default=0.0, description="The share of utterances that may lack a partner."
    )
    check_posteriors: Flag = Field(
        default=True,
        description="Whether posteriors are refused whose labels, frame shift or blank do not fit the phones.",
    )


class Entropy(Section):
    """Entropies of confusions."""

    estimators: Several[Estimator] = Field(default=("ml",), description="The estimators of entropy.")
    gaps: Annotated[Literal["exclude", "include"], Choice()] = Field(
        default="exclude", description="Whether insertions and deletions count as confusions with nothing."
    )


class Expected(Section):
    """The confusions of a target to be expected from those of the reference."""

    common: Common = Field(
        default="exact",
        description=(
            "Which phones of two languages are the same: by symbol, the nearest by features, or a TSV (target, "
            "reference)."
        ),
    )
    distance: Annotated[float, Number(at_least=0)] = Field(
        default=0.05,
        description=(
            "The greatest distance of phones that are the same by features: mean difference, 1/24 for one of 24."
        ),
    )
    predicted: Annotated[Literal["common", "all"], Choice()] = Field(
        default="all", description="The predicted phones that are compared: all, or those of common phones alone."
    )
    smoothing: Annotated[float, Number(at_least=1e-9, at_most=1_000_000)] = Field(
        default=0.5, description="What is added to every count."
    )
    allow_other_recogniser: Flag = Field(
        default=False, description="Whether target and reference may come from different recognisers."
    )


class Information(Section):
    """Mutual information from posteriors."""

    permutations: Permutations = Field(
        default=1000, description="Permutations of the test against independence; 0: none."
    )


class Confidence(Section):
    """How far confidences and posteriors can be trusted."""

    bins: From2To1000 = Field(default=10, description="The bins of confidences that calibration uses.")
    map: DataPath | None = Field(
        default=None,
        description=(
            "Which of the recogniser's phones a gold phone is, where it is another symbol: a TSV (gold phone, its "
            "phone)."
        ),
    )


class Boundaries(Section):
    """Boundaries between phones, where gold and predicted phones have times."""

    tolerance: Annotated[float, Number(at_least=0, at_most=10)] = Field(
        default=0.02, description="The tolerance, in seconds, within which two boundaries match."
    )


class Chance(Section):
    """Predictions without information, as levels of comparison."""

    models: Several[ChanceModel] = Field(
        default=("constant", "unigram", "bigram", "shuffled"), description="The models of chance."
    )
    replicates: Replicates = Field(default=20, description="Random replicates of a model, at most.")


class Uncertainty(Section):
    """Intervals: one cluster is left out at a time."""

    level: Annotated[float, Number(above=0, below=1)] = Field(default=0.95, description="The level of the intervals.")
    cluster: Annotated[Literal["auto", "speaker", "utterance"], Choice()] = Field(
        default="auto",
        description=(
            "Who is left out together. auto: the speaker, where five are known who are worth four equal ones. "
            "Else it is the utterance, which may also be declared: each speaker has one."
        ),
    )
    prompts: Annotated[Literal["fixed", "drawn"], Choice()] = Field(
        default="fixed",
        description=(
            "fixed: intervals are of these sentences; drawn: of others, too (rates, shares, skill over speakers × "
            "prompts)."
        ),
    )


class Map(Section):
    """The map of phones."""

    method: Annotated[Method, Choice()] = Field(
        default="umap",
        description=(
            "How the map is drawn: UMAP keeps neighbourhoods; principal components keep distances as far as two "
            "axes can."
        ),
    )
    metric: Annotated[Metric, Choice()] = Field(
        default=METRIC,
        description=("The distance between phones: Hellinger's, or Aitchison's of log-ratios."),
    )
    n_neighbors: From2To1000 = Field(default=10, description="Neighbours that UMAP keeps together.")
    batches: UpTo1000 = Field(
        default=8, description="Parts of a phone's tokens that stand on the map as points of their own."
    )


class Figures(Section):
    """How figures are drawn."""

    formats: Several[FigureFormat] = Field(
        default=("pdf",),
        description="The formats, each a file: pdf for a paper, png for a slide, svg for further drawing.",
    )
    width: Millimetres = Field(
        default=84.0, description="The width of a column: a number of mm, or with a unit (84 mm, 8.4 cm, 3.3 in)."
    )
    font: Text = Field(default="auto", description="A font's name; auto finds one that has the phonetic letters.")
    order: FigureOrder = Field(
        default="chart",
        description=(
            "How heat maps order phones: as the IPA chart does, those confused alike side by side (similarity), "
            "by features (panphon's), or by frequency."
        ),
    )
    kinds: Several[FigureKind] = Field(
        default=("main",),
        description=(
            "The kinds that are drawn. `main` are rates, errors, the map, and confusions of each corpus; "
            "`all` is every kind that has data. docs/gallery.md shows each."
        ),
    )


class Report(Section):
    """What is written beside tables and figures."""

    html: Flag = Field(default=True, description="Whether the page is written.")


class Decoding(Section):
    """How phones are decoded from the posteriors of a corpus without predictions."""

    method: Annotated[Literal["greedy", "none"], Choice()] = Field(
        default="greedy", description="The best label of each frame; none: no predictions are made."
    )
    min_duration: Annotated[float, Number(at_least=0, at_most=10)] = Field(
        default=0.03,
        description="How long, in seconds, a run of frames must last to be a phone, where there is no blank.",
    )

    @property
    def least(self) -> float | None:
        """The least duration of a phone; None where nothing is decoded."""
        return None if self.method == "none" else self.min_duration


class Times(Section):
    """Times of gold phones that are found from the posteriors: where gold has none, or a corpus has `times: forced`."""

    weights: Annotated[Literal["soft", "best"], Choice()] = Field(
        default="soft",
        description=(
            "How frames count: each for every phone by the probability that it is the phone's, or for one phone each."
        ),
    )
    minimum_frames: UpTo1000 = Field(
        default=3, description="The least frames of a phone. With a blank among the columns it is one."
    )


def _check_corpora(value: object) -> object:
    if check_mapping(value):
        return value
    raise ValueError("needs at least one corpus")


class Experiment(Section):
    """The configuration of an experiment: corpora, and how they are analysed."""

    name: Name = Field(description="The experiment's name and its folder of results; the file's name when left out.")
    seed: Seed = Field(default=20, description="Everything random derives from it.")
    corpora: Annotated[Mapping[Name, Corpus], BeforeValidator(_check_corpora)] = Field(
        description="The corpora by name, one or more."
    )
    symbols: SymbolRules = Field(
        default=SymbolRules(), description="How raw symbols become phones; a corpus' file may override each."
    )
    languages: LanguageTable | None = Field(
        default=None,
        description=(
            "What is known of the languages: a TSV of code, name (title), family, group, seen (yes or no), other "
            "columns."
        ),
    )
    features: Features = Field(
        default=Features(), description="The phonological features of phones, on which costs rest."
    )
    alignment: Alignment = Field(
        default=Alignment(), description="How gold and predicted phones are aligned, and errors weighed."
    )
    pairing: Pairing = Field(default=Pairing(), description="How utterances of gold and predicted find each other.")
    decoding: Decoding = Field(
        default=Decoding(), description="How phones are decoded from the posteriors of a corpus without predictions."
    )
    entropy: Entropy = Field(default=Entropy(), description="Entropies of confusions.")
    expected: Expected = Field(
        default=Expected(), description="The confusions of a target to be expected from those of the reference."
    )
    times: Times = Field(
        default=Times(), description="Times of gold phones that are found from the posteriors, where gold has none."
    )
    information: Information = Field(default=Information(), description="Mutual information from posteriors.")
    confidence: Confidence = Field(
        default=Confidence(), description="How far confidences and posteriors can be trusted."
    )
    boundaries: Boundaries = Field(
        default=Boundaries(), description="Boundaries between phones, where both sides have times."
    )
    chance: Chance = Field(default=Chance(), description="Predictions without information, as levels of comparison.")
    uncertainty: Uncertainty = Field(default=Uncertainty(), description="Intervals.")
    classes: Annotated[Mapping[ClassName, ClassQuery], BeforeValidator(check_mapping)] = Field(
        default={},
        description=(
            'Natural classes beside the default ones, each by its features: {nasal vowels: "+syl +nas"}; "|" '
            "joins queries."
        ),
    )
    context: Annotated[Literal["none", "position", "left", "right"], Choice()] = Field(
        default="none",
        description=(
            "The contexts in which confusions are counted apart: by position in the utterance, or word, where gold "
            "marks words.\n\nleft and right are by the natural class of the gold neighbour there."
        ),
    )
    contrasts: Contrasts = Field(
        default="none",
        description=(
            "The pairs of gold phones whose assimilation is measured: a list such as [[p, b], [e, ɛ]], or the "
            "path of a TSV.\n\nWith auto, all pairs of up to 60 phones, and those of least distance of more."
        ),
    )
    map: Map = Field(default=Map(), description="The map of phones.")
    figures: Figures = Field(default=Figures(), description="How figures are drawn.")
    report: Report = Field(default=Report(), description="What is written beside tables and figures.")

    _folder: Path | None = PrivateAttr(default=None)
    _held: Mapping[str, Any] = PrivateAttr(default={})

    @property
    def folder(self) -> Path | None:
        return self._folder

    @property
    def held(self) -> Mapping[str, Any]:
        """What of each corpus, by its name, is in memory instead of in files."""
        return self._held
