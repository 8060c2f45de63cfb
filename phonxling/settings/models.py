"""The configuration of an experiment: its sections with their defaults, and the whole, as frozen values."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from phonxling.decoding.rules import DecodingRules
from phonxling.phones import symbols as rules
from phonxling.settings.checks import check_costs, check_mapping, check_pairs, check_path, is_cost_path
from phonxling.settings.files import (
    Case,
    Choice,
    ClassName,
    ClassQuery,
    Closures,
    Corpus,
    CorpusName,
    DataPath,
    Extra,
    Figures,
    Flag,
    FolderName,
    Gap,
    Marks,
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

Method: TypeAlias = Literal["umap", "pca"]
Metric: TypeAlias = Literal["hellinger", "aitchison"]
METRIC: Final = "hellinger"  # the default
GivenName: TypeAlias = Literal[
    "panphon",
    "panphon-weighted",
    "panphon-weighted-0.22.2",
    "panphon-edit",
    "panphon-hamming",
    "panphon-nonzero",
    "unit",
    "sclite",
]
_GIVEN = get_args(GivenName)
_NAMED_COSTS, _GAP_COSTS = PathMark("costs", is_cost_path, _GIVEN), PathMark("costs", is_cost_path)
Costs: TypeAlias = Annotated[
    GivenName | WrittenPath, BeforeValidator(partial(check_costs, available=_GIVEN)), _NAMED_COSTS
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
    Literal["auto", "all", "minimal"] | tuple[tuple[Text, Text], ...],
    BeforeValidator(lambda value: check_pairs(value, ("auto", "all", "minimal"))),
]
Estimator: TypeAlias = Annotated[
    Literal["ml", "miller-madow", "chao-shen", "shrink", "grassberger", "jeffreys", "laplace", "nsb"], Choice()
]
ChanceModel: TypeAlias = Annotated[Literal["constant", "uniform", "unigram", "bigram", "shuffled"], Choice()]
MOST_PERMUTATIONS = 100_000
LARGEST_SEED = 4_000_000_000  # below 2³², which is all that the map's library takes
Seed: TypeAlias = Annotated[int, Number(at_least=0, at_most=LARGEST_SEED, whole=True)]
Permutations: TypeAlias = Annotated[int, Number(at_least=0, at_most=MOST_PERMUTATIONS, whole=True)]
Replicates: TypeAlias = Annotated[int, Number(at_least=1, at_most=10_000, whole=True)]
UpTo1000: TypeAlias = Annotated[int, Number(at_least=1, at_most=1_000, whole=True)]
From2To1000: TypeAlias = Annotated[int, Number(at_least=2, at_most=1_000, whole=True)]
UpTo100: TypeAlias = Annotated[int, Number(at_least=0, at_most=100, whole=True)]


_RULES = rules.SymbolRules()


class SymbolRules(Section):
    """How raw symbols become phones; a corpus' file may override each."""

    unknown: Unknown = Field(default=_RULES.unknown, description="What to do with a symbol that the set does not have.")
    tone: Tone = Field(
        default=_RULES.tone,
        description="Tones stand on a tier of their own, are attached to their vowel, or are stripped.",
    )
    tone_levels: Annotated[rules.LevelsOrAuto, Choice()] = Field(
        default=rules.TONE_LEVELS,
        description="How tone accents read as pitch: in three levels or in five; auto goes by all tones of the corpus.",
    )
    silence: Silence = Field(default=_RULES.silence, description="Whether silences are dropped or kept as a phone.")
    closures: Closures = Field(
        default=_RULES.closures, description="Whether a closure is merged with its release or stands alone."
    )
    diphthongs: Parts = Field(
        default=_RULES.diphthongs, description="Whether a diphthong is one phone or split into its vowels."
    )
    affricates: Parts = Field(
        default=_RULES.affricates, description="Whether an affricate is one phone or split into stop and fricative."
    )
    length: Marks = Field(default=_RULES.length, description="Whether length (ː ˑ) is part of a phone or taken off.")
    diacritics: Marks = Field(
        default=_RULES.diacritics,
        description=(
            "Whether marks (ʰ, ◌̪, ◌̃ …) are part of a phone or taken off: all but length, syllabicity and rhoticity."
        ),
    )
    position_marks: Marks = Field(
        default=_RULES.position_marks,
        description="Whether Kaldi's marks of the place in a word (_B, _I, _E, _S) stay at the end of symbols.",
    )
    case: Case = Field(
        default=_RULES.case,
        description="Whether capitals differ from small letters; fold: symbols are read in small letters.",
    )

    def of(self, file: SymbolFile) -> "SymbolRules":
        """Return the rules of one file: its own, and these where it has none."""
        own = {rule: getattr(file, rule) for rule in type(self).model_fields}
        return self.model_copy(update={rule: value for rule, value in own.items() if value is not None})


class Features(Section):
    """The phonological features of phones, on which costs rest."""

    path: DataPath | None = Field(
        default=None,
        description=(
            "A feature table of your own (TSV: segment, then a column a feature); panphon's alone when left out."
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
    tone_weight: Annotated[float, Number(at_least=0, at_most=1_000)] = Field(
        default=1.0, description="The weight of each tone feature in panphon-weighted, where phones have tone attached."
    )
    ties: Annotated[Literal["auto", "identical", "nist"], Choice()] = Field(
        default="auto", description="Which of equally good alignments is taken; auto follows the costs."
    )


class Pairing(Section):
    """How utterances of gold and predicted, and phones and frames, find each other."""

    allow_unpaired: Annotated[float, Number(at_least=0, below=1)] = Field(
        default=0.0, description="The share of utterances that may lack a partner."
    )
    allow_without_frame: Annotated[float, Number(at_least=0)] = Field(
        default=0.5,
        description=(
            "The share of gold tokens that may be too short to hold a frame of the posteriors; 1: any, 0: none."
        ),
    )
    check_posteriors: Flag = Field(
        default=True,
        description="Whether posteriors are refused whose labels, frame shift or blank do not fit the phones.",
    )


class Entropy(Section):
    """Entropies of confusions."""

    estimators: Several[Estimator] = Field(default=("ml", "chao-shen"), description="The estimators of entropy.")
    gaps: Annotated[Literal["exclude", "include"], Choice()] = Field(
        default="exclude", description="Whether insertions and deletions count as confusions with nothing."
    )
    support: Annotated[Literal["inventory", "observed"], Choice()] = Field(
        default="inventory", description="The possible phones of an estimator: all of the inventory, or those observed."
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
            "How far apart phones may be that are the same by features: mean difference, 1/24 for one of 24 features."
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

    unit: Annotated[Literal["token", "frame"], Choice()] = Field(
        default="token", description="What counts once: a phone token or a frame."
    )
    permutations: Permutations = Field(
        default=1000, description="Permutations of the test against independence; 0: none."
    )


class Confidence(Section):
    """How far confidences and posteriors can be trusted."""

    bins: From2To1000 = Field(default=10, description="The bins of confidences that calibration uses.")
    floor: Annotated[float, Number(at_least=1e-300, below=0.5)] = Field(
        default=1e-7, description="The least probability in the log loss of posteriors: what is below counts as this."
    )
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
        default=0.02, description="How far apart, in seconds, two boundaries may be that meet."
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
            "Else it is the utterance, which may also be declared: no speaker said several."
        ),
    )
    prompts: Annotated[Literal["fixed", "drawn"], Choice()] = Field(
        default="fixed",
        description=(
            "fixed: intervals are of these sentences; drawn: of others, too (rates, shares, skill over speakers × "
            "prompts)."
        ),
    )


class Context(Section):
    """The contexts in which confusions are counted apart, over and above all together."""

    left: Annotated[Literal["none", "class", "phone"], Choice()] = Field(
        default="none",
        description="By the gold neighbour on the left: by its default natural class, or by the phone itself.",
    )
    right: Annotated[Literal["none", "class", "phone"], Choice()] = Field(
        default="none", description="By the gold neighbour on the right."
    )
    position: Flag = Field(
        default=False,
        description=(
            "By the position in the utterance, and in the word where gold marks words (| or #): initial, medial, "
            "final, alone."
        ),
    )


class Embedding(Section):
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
        description=(
            "The distance between phones, on the map and in nearest.tsv: Hellinger's, or Aitchison's of log-ratios."
        ),
    )
    n_neighbors: From2To1000 = Field(default=10, description="Neighbours that UMAP keeps together.")
    batches: UpTo1000 = Field(
        default=8, description="Parts of a phone's tokens that stand on the map as points of their own."
    )


class Report(Section):
    """What is written beside tables and figures."""

    html: Flag = Field(default=True, description="Whether the page is written.")
    intervals: Flag = Field(default=True, description="Whether the tables in LaTeX have confidence intervals.")


class Decoding(Section):
    """How phones are decoded from the posteriors of a corpus without predictions."""

    method: Annotated[Literal["greedy", "none"], Choice()] = Field(
        default="greedy", description="The best label of each frame; none: no predictions are made."
    )
    min_duration: Annotated[float, Number(at_least=0, at_most=10)] = Field(
        default=DecodingRules().min_duration,
        description="How long, in seconds, a run of frames must last to be a phone, where there is no blank.",
    )

    @property
    def rules(self) -> DecodingRules | None:
        """The rules; None where nothing is decoded."""
        return None if self.method == "none" else DecodingRules(self.min_duration)


class Forced(Section):
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


class Assimilation(Section):
    """To which phones of the recogniser the contrasts of a language are assimilated."""

    threshold: Annotated[float, Number(above=0, at_most=1)] = Field(
        default=0.5, description="The least share of a phone's tokens with one answer that makes a category."
    )
    goodness: Annotated[float, Number(at_least=0, at_most=1)] = Field(
        default=0.1, description="The least difference in goodness that makes two phones of one category distinct."
    )
    tokens: Annotated[int, Number(at_least=1, whole=True)] = Field(
        default=20, description="The tokens that both phones of a contrast must have."
    )
    contrasts: Contrasts = Field(
        default="auto",
        description=(
            "The pairs of gold phones: all, those of least feature distance (minimal), or a list such as [[p, b], "
            "[e, ɛ]]. `auto` is all of up to 60 phones, and the minimal ones of more that have features."
        ),
    )


class Posteriorgrams(Section):
    """What posteriors say over time, kept of some utterances so that their errors can be looked at."""

    utterances: UpTo100 = Field(
        default=15,
        description=(
            "How many: evenly spaced in the order of their error rate, with the best, the median and the worst; "
            "0: none."
        ),
    )


RETIRED = {
    "cluster": "start a Dask scheduler and its workers as jobs, and give --scheduler its address: docs/scale.md",
    "differences": "phonxling compare says which confusions of two corpora differ, in cells.tsv",
    "gold_errors": "errors of gold are not simulated any more; a second transcription shows how sure gold is",
    "habit": "too few errors showed whether they follow the phonotactics of the reference",
    "learning": "costs are not learned any more; name some, or give a table of your own, under alignment",
    "pooling": "phones.tsv has the accuracy of each phone with its interval, confusions.tsv the shares",
    "scoring": "the costs that align weigh errors, too; set them under alignment",
    "variation": "fit the mixed model of docs/r.md to alignments.tsv instead",
}
"""Sections of earlier versions, and what is to be said of each."""


def _check_corpora(value: object) -> object:
    if check_mapping(value):
        return value
    raise ValueError("needs at least one corpus")


class Experiment(Section):
    """The configuration of an experiment: corpora, and how they are analysed."""

    name: FolderName = Field(
        description="The experiment's name and its folder of results; the file's name when left out."
    )
    seed: Seed = Field(default=20, description="Everything random derives from it.")
    corpora: Annotated[Mapping[CorpusName, Corpus], BeforeValidator(_check_corpora)] = Field(
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
    forced: Forced = Field(
        default=Forced(), description="Times of gold phones that are found from the posteriors, where gold has none."
    )
    information: Information = Field(default=Information(), description="Mutual information from posteriors.")
    confidence: Confidence = Field(
        default=Confidence(), description="How far confidences and posteriors can be trusted."
    )
    posteriorgrams: Posteriorgrams = Field(
        default=Posteriorgrams(), description="What posteriors say over time, kept of some utterances."
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
    context: Context = Field(default=Context(), description="The contexts in which confusions are counted apart.")
    embedding: Embedding = Field(default=Embedding(), description="The map of phones.")
    assimilation: Extra[Assimilation] = Field(
        default=None,
        description=(
            "How contrasts of gold phones are assimilated; {} takes all defaults; without this section there are none."
        ),
    )
    figures: Figures = Field(default=Figures(), description="How figures are drawn.")
    report: Report = Field(default=Report(), description="What is written beside tables and figures.")

    _folder: Path | None = PrivateAttr(default=None)

    @model_serializer(mode="wrap")
    def _without_absent(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return plain data without the sections that are left out, so that it loads again."""
        return {name: value for name, value in plain(self).items() if value is not None}

    @property
    def folder(self) -> Path | None:
        return self._folder
