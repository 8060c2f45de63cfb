"""How symbols are treated: the options of the configuration, the command line and the library, with their defaults."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from phonxling.core.errors import ConfigurationError
from phonxling.core.phonology.tone import Levels

Unknown: TypeAlias = Literal["error", "drop", "keep"]
Tone: TypeAlias = Literal["tier", "attach", "strip"]
Silence: TypeAlias = Literal["drop", "keep"]
Closures: TypeAlias = Literal["merge", "alone"]
Diphthongs: TypeAlias = Literal["keep", "split"]
LevelsOrAuto: TypeAlias = Literal["auto", "three", "five"]
TONE_LEVELS: Final = "auto"  # the default before it is settled for a corpus


@dataclass(frozen=True, slots=True)
class SymbolRules:
    """How raw symbols become phones (definition 12).

    Parameters
    ----------
    unknown : {"error", "drop", "keep"}
        What to do with a symbol that the symbol set does not have.
    tone : {"tier", "attach", "strip"}
        Whether tones stand on a tier of their own, are attached to their vowel, or are left out.
    silence : {"drop", "keep"}
        Whether silences are dropped or kept as a phone.
    closures : {"merge", "alone"}
        Whether a stop closure is merged with its release or stands alone.
    tone_levels : {"three", "five"}
        How tone accents read as pitch (see `phonxling.core.phonology.tone`). The `auto` of the configuration and of
        `load_corpus` is settled for a corpus before its symbols are read.
    diphthongs : {"keep", "split"}
        Whether a diphthong is one phone or split into its vowels.
    """

    unknown: Unknown = "error"
    tone: Tone = "tier"
    silence: Silence = "drop"
    closures: Closures = "merge"
    tone_levels: Levels = "three"
    diphthongs: Diphthongs = "keep"

    def __post_init__(self) -> None:
        choices = {"unknown": Unknown, "tone": Tone, "silence": Silence, "closures": Closures}
        for name, values in {**choices, "tone_levels": Levels, "diphthongs": Diphthongs}.items():
            if getattr(self, name) not in get_args(values):
                known = ", ".join(get_args(values))
                raise ConfigurationError(f"{name}: there is no '{getattr(self, name)}'; there are: {known}")
