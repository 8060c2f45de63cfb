"""The types that functions return, for annotations and `isinstance`."""

from phonxling.analyses.expected import ExpectedConfusions as ExpectedConfusions
from phonxling.analyses.projection import Projection as Projection
from phonxling.comparison.compare import Comparison as Comparison
from phonxling.core.confusion import Alignments as Alignments, ConfusionStack as ConfusionStack
from phonxling.core.costs import CostTable as CostTable
from phonxling.core.errors import Note as Note
from phonxling.core.estimate import Estimate as Estimate
from phonxling.core.features import FeatureTable as FeatureTable
from phonxling.core.posteriorgram import PhoneMeans as PhoneMeans, Posteriorgrams as Posteriorgrams
from phonxling.core.sequences import PhoneSequences as PhoneSequences, Transcript as Transcript
from phonxling.experiment.notebook import Results as Results
from phonxling.experiment.phone_errors import PhoneErrorRates as PhoneErrorRates
from phonxling.forced.learning import TiedPosteriors as TiedPosteriors
from phonxling.phones.natural_classes import NaturalClasses as NaturalClasses
