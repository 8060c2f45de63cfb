"""Names of languages by their codes, and what a corpus is called on the page and in figures."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from iso639 import Lang
from iso639.exceptions import InvalidLanguageValue


def language_name(code: str) -> str:
    """Return the English name of a language of ISO 639-3, "" for a code that stands for none.

    Examples
    --------
    >>> [language_name(code) for code in ("yor", "its", "swa", "ell", "qaa")]
    ['Yoruba', 'Isekiri', 'Swahili', 'Modern Greek', '']
    """
    try:
        return str(Lang(code).name).partition(" (")[0]  # Swahili (macrolanguage), Modern Greek (1453-)
    except InvalidLanguageValue:
        return ""


def corpus_titles(corpora: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return what each corpus is called where people read of it: its language, where the configuration gives the code.

    A corpus without a code keeps its own name; corpora of one language are told apart by theirs.

    Parameters
    ----------
    corpora : mapping
        The corpora of a configuration, by name; each may have a `language`.

    Examples
    --------
    >>> corpus_titles({"its": {"language": "its"}, "dev": {"language": None}})
    {'its': 'Isekiri', 'dev': 'dev'}
    >>> corpus_titles({"old": {"language": "yor"}, "new": {"language": "yor"}})
    {'old': 'Yoruba (old)', 'new': 'Yoruba (new)'}
    """
    languages = {name: language_name(about.get("language") or "") for name, about in corpora.items()}
    number = Counter(languages.values())
    return {name: _title(name, language, number[language]) for name, language in languages.items()}


def _title(name: str, language: str, number: int) -> str:
    """Return a corpus' title, of as many corpora of its language."""
    if not language:
        return name
    return f"{language} ({name})" if number > 1 else language
