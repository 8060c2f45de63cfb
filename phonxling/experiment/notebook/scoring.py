"""The numbers of one pair of files, or of phones in memory, from Python: what the command `score` prints."""

import os
from collections.abc import Mapping, Sequence

from phonxling.core.errors import ConfigurationError
from phonxling.core.interface.arguments import checked_types
from phonxling.core.sequences import Transcript
from phonxling.core.work import Threads
from phonxling.experiment.corpora import Held
from phonxling.experiment.loading import Columns, Symbols, both, titles_of
from phonxling.experiment.scoring import score_files
from phonxling.load.given import Source, Speakers, check_sides, read_side, speakers_given
from phonxling.load.in_memory.values import Data
from phonxling.load.remote.fetching import LocalCopies


@checked_types
def score(
    gold: Source | Data,
    predicted: Source | Data,
    *,
    symbols: Symbols | tuple[Symbols, Symbols] = "ipa",
    format: str | tuple[str | None, str | None] | None = None,  # noqa: A002 - the interface's name
    tier: str | tuple[str | None, str | None] | None = None,
    columns: Columns | tuple[Columns | None, Columns | None] | None = None,
    speakers: Speakers | None = None,
    inventory: str | Sequence[str] | None = None,
    settings: Sequence[str] = (),
    workers: int | None = None,
) -> dict[str, object]:
    """Return the error rates of predictions beside what chance would score: what `phonxling score --json` prints.

    Parameters
    ----------
    gold, predicted, symbols, format, tier, columns, speakers
        As for `load_corpus`: files, or phones in memory.
    inventory : str, or list of str, optional
        The recogniser's phones: `arpabet`, `timit61`, `timit48`, `timit39`, the path of a file, or a list. Without it
        there is no floor and no attainable skill.
    settings : list of str
        Settings of a configuration, such as "alignment.costs=unit" or "symbols.tone=strip".
    workers : int, optional
        Threads that compute; by default as many as there are processors. They change no number.

    Returns
    -------
    dict
        Each measure by its name (None where it is missing), its limits as `<name>_low` and `<name>_high`, `verdict`,
        and `signature`. `wper` is the feature-weighted error rate, `per` the phone error rate.

    Raises
    ------
    DataError, ConfigurationError
        As for `load_corpus`.

    Examples
    --------
    One of four phones is wrong, and b is one feature of 24 from p:

    >>> found = score(["p a t a", "t a p a"], ["b a t a", "t a b a"])
    >>> found["per"], found["wper"] == 2 / 24 / 8
    (0.25, True)
    """
    names, forms, tiers, titles = both(symbols), both(format), both(tier), both(columns)
    with LocalCopies() as copies:
        sides = {
            side: read_side(data, side, copies, form=form, tier=layer, columns=titles_of(title))
            for side, data, form, layer, title in zip(
                ("gold", "predicted"), (gold, predicted), forms, tiers, titles, strict=True
            )
        }
        check_sides(*sides.values(), joined="ipa-joined" in str(names))
        held = Held(
            sides={side: _symbols(given.content, side) for side, given in sides.items()},
            speakers=None if speakers is None else lambda utterances: speakers_given(speakers, utterances, copies),
        )
        corpus: dict[str, object] = {
            side: {"path": given.content.source, "symbols": name if isinstance(name, str) else [*name]}
            for (side, given), name in zip(sides.items(), names, strict=True)
        }
        if inventory is not None:
            corpus["recogniser"] = {"inventory": inventory if isinstance(inventory, str) else [*inventory]}
        configuration: Mapping[str, object] = {"name": "score", "corpora": {"score": corpus}}
        work = Threads(workers or os.cpu_count() or 1)
        return score_files(configuration, work, overrides=settings, source="px.score", held=held).flat()


def _symbols(content: object, side: str) -> Transcript:
    if isinstance(content, Transcript):
        return content
    raise ConfigurationError(f"{side}: give phones as texts or lists, or a file, not {type(content).__name__}")
