"""Joined IPA to phones for users of the library."""

from phonxling.core.interface.arguments import checked_types
from phonxling.core.phonology.features import FeatureTable
from phonxling.load.resources.features import panphon_features
from phonxling.phones.segment import Ties, segment


@checked_types
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
