"""Symbols of phones: the rules of their normalisation, segments of IPA, natural classes, and tables of features."""

from phonxling.core.inventory import GAP as GAP
from phonxling.experiment.single import segment_ipa as segment_ipa
from phonxling.load.resources import load_features as load_features, panphon_features as panphon_features
from phonxling.phones.chart import natural_classes as natural_classes
from phonxling.phones.symbols import SymbolRules as SymbolRules
