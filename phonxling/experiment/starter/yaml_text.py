"""Plain data → YAML on one line; a text stands without quotes where that cannot be misread."""

import json
import re
from collections.abc import Mapping, Sequence

_PLAIN = re.compile(r"[^\W\d_][\w./-]*|\w+[.](?=[^\W\d])[\w./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def flow(value: object) -> str:
    """Return a value as YAML writes it on one line.

    Examples
    --------
    >>> print(flow({"path": "a b.tsv", "scale": "logit", "columns": {"phones": "ipa"}, "times": [0.5, None, True]}))
    {path: "a b.tsv", scale: logit, columns: {phones: ipa}, times: [0.5, null, true]}
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(flow, value)) + "]"
    plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    return str(value) if plain else json.dumps(value, ensure_ascii=False)
