"""Symbols of phones: the rules of their normalisation, segments of IPA, natural classes."""

from phonxling.core.inventory import GAP as GAP
from phonxling.experiment.single import segment_ipa as segment_ipa
from phonxling.phones.natural_classes import natural_classes as natural_classes
from phonxling.phones.symbols import SymbolRules as SymbolRules
