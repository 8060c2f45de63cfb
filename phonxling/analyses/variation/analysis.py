"""variation.tsv: shares of the variance of being right, by language, speaker, phone and recogniser."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from phonxling.analyses.case.case import Case
from phonxling.analyses.variation.components import PHONE, design
from phonxling.analyses.variation.heard import Heard, all_heard, speakers_used
from phonxling.analyses.variation.shares import RESIDUAL, SPEAKER, UTTERANCE, Row, shares
from phonxling.core.estimate import joined
from phonxling.settings.variation import Variation
from phonxling.tables.files import table_of

if TYPE_CHECKING:
    import pandas as pd

_NOTHING = "nothing to estimate: no corpus has right and wrong tokens of several speakers or utterances"


def variation(cases: Sequence[Case], settings: Variation) -> "Iterator[tuple[str, pd.DataFrame]]":
    """Yield variation.tsv."""
    analysed = [case for case in cases if case.aligned is not None]
    heard = list(all_heard(analysed, include_absent=settings.absent == "include"))
    used = [one for one in heard if one.varies]
    unit = SPEAKER if speakers_used(analysed) else UTTERANCE
    try:
        rows = list(shares(design(used), unit=unit, level=analysed[0].level)) if used else []
        problem = _NOTHING
    except ArithmeticError as error:
        rows, problem = [], str(error)
    rows = rows or [Row(component=RESIDUAL, note=problem)]
    notes = {PHONE: _absent(used), UTTERANCE: _without_speakers(analysed), RESIDUAL: _left_out(heard)}
    noted = [{**asdict(row), "note": joined([row.note, notes.get(row.component, "")])} for row in rows]
    table = table_of("variation", noted)
    yield "variation", table.assign(**{name: table[name].round().astype("Int64") for name in ("levels", "n")})


def _absent(heard: Sequence[Heard]) -> str:
    """Return what is to be said of tokens whose phone the recogniser lacks."""
    absent = sum(one.absent for one in heard)
    every = absent + sum(float(one.tokens.sum()) for one in heard)
    return f"without {absent:,.0f} of {every:,.0f} tokens, of phones that the recogniser lacks" if absent else ""


def _without_speakers(cases: Sequence[Case]) -> str:
    known = [case for case in cases if case.counted.corpus.speakers is not None]
    if not known:
        return "speakers are not known: differences between them are in this row"
    return f"speakers are not used: {'not all corpora have them' if len(known) < len(cases) else 'one a corpus'}"


def _left_out(heard: Sequence[Heard]) -> str:
    names = [one.corpus for one in heard if not one.varies]
    return f"left out, since all tokens are right or all are wrong: {', '.join(names)}" if names else ""
