"""Why phones are missed, corpus by corpus: bars of the shares of all errors, stacked by reason."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.rows import row_figure
from phonxling.draw.sheet import NAMES, fitted, line_spacing, text_size
from phonxling.draw.style import GREY, INK, SMALL, palette_colour


class _Reason(NamedTuple):
    colour: str
    hatch: str
    ink: str
    meaning: str

    @property
    def look(self) -> dict[str, Any]:
        lines = GREY if self.hatch and self.ink != "white" else "white"
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": lines, "linewidth": 0.4}


# Neighbours differ in lightness or in hatching, so that parts are told apart in grey and by the colour-blind.
REASONS = {
    "absent": _Reason(palette_colour("absent"), "", "white", "phones that the recogniser lacks"),
    "expected": _Reason(palette_colour("expected"), "", INK, "confused as in the {reference} data"),
    "level": _Reason(palette_colour("level"), "////", "white", "wrong more often than in the {reference} data"),
    "pattern": _Reason(palette_colour("pattern"), "....", INK, "wrong in other ways than in the {reference} data"),
    "unattested": _Reason(palette_colour("unattested"), "xxxx", INK, "phones not in the {reference} data"),
    "confused": _Reason(palette_colour("confused"), "\\\\\\\\", "white", "confusions with another phone"),
    "deleted": _Reason(palette_colour("deleted"), "", INK, "deletions"),
    "inserted": _Reason(palette_colour("inserted"), "||", "white", "insertions"),
}
_BY_CHANCE = {"level": "are wrong more often", "pattern": "are wrong in other ways"}
_BAR, _ROW, _COLUMN, _AIR = 0.84, 6.4, 55.0, 1.0  # of a row: a bar's height; mm: a row, a column of the legend, air
_LOW_ROW = 3.4  # mm: a row where there are many
_NARROW = 0.02  # an interval whose limits need a decimal


def draw_errors(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield a bar of 100 % a corpus, whose parts are the shares of its errors by reason; nothing without errors."""
    stored = source.stored
    if stored.summary.loc[stored.summary["measure"] == "error_share", "value"].isna().all():
        return
    shown, width = _shown(stored.targets_first), stored.options.width_mm
    reference = "reference" if stored.reference is None else stored.title(stored.reference)
    meanings = {name: reason.meaning.format(reference=reference) for name, reason in REASONS.items()}
    drawn = _above_chance(shown)
    occur = set(drawn.loc[drawn["share"] > 0, "reason"])
    numbers = shown.groupby("corpus", sort=False)["errors"].first()
    names = {str(name): fitted(stored.title(str(name)), width * NAMES) for name in numbers.index}

    def draw_parts(axes: Axes, _: Floats) -> None:
        ends = drawn.groupby("corpus", sort=False)["share"].cumsum()
        parts = drawn.assign(row=pd.factorize(drawn["corpus"])[0], start=ends - drawn["share"])
        long = axes.get_position().width * width  # of a bar, in mm
        for name, same in parts[parts["share"] > 0].groupby("reason", sort=False):
            reason = REASONS[str(name)]
            axes.barh(same["row"], same["share"], _BAR, same["start"], **reason.look)
            box = {"facecolor": reason.colour, "edgecolor": "none", "pad": 0.6} if reason.hatch else None
            look: dict[str, Any] = {"fontsize": SMALL, "color": reason.ink, "bbox": box, "linespacing": line_spacing()}
            for row, start, *share in same[["row", "start", "share", "low", "high"]].to_numpy(float):
                if text := _fitting(share, share[0] * long, limits=not stored.many):
                    axes.text(start + share[0] / 2, row, text, ha="center", va="center", **look)
        axes.set_xticks(np.arange(6) / 5)

    figure = row_figure(
        [*names.values()],
        draw_parts,
        stored.options,
        title="Errors by reason",
        beside=("errors", [f"{number:,.0f}" for number in numbers], 9.0),
        notes=["Of many languages, errors.tsv has the intervals."] if stored.many else _notes(shown),
        legend={meanings[name]: Patch(**reason.look) for name, reason in REASONS.items() if name in occur},
        columns=max(1, int(width / _COLUMN)),
        step=_LOW_ROW if stored.many else _ROW,
    )
    yield Drawing("errors", figure, shown)


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    shares, null = (summary[summary["measure"] == name] for name in ("error_share", "error_share_null"))
    by_chance = null.set_index(["corpus", "variant"])["value"].rename("by_chance")
    known = shares[shares["value"].notna()].join(by_chance, on=["corpus", "variant"])
    renamed = known.rename(columns={"variant": "reason", "value": "share", "n": "errors"})
    order = {"corpus": list(dict.fromkeys(renamed["corpus"])), "reason": list(REASONS)}
    ordered = renamed.sort_values([*order], key=lambda names: names.map(order[str(names.name)].index))
    return ordered[["corpus", "reason", "share", "low", "high", "by_chance", "errors"]].reset_index(drop=True)


def _above_chance(shown: pd.DataFrame) -> pd.DataFrame:
    """Return the parts of the bars: one that is not above its chance level is drawn as expected, without limits."""
    by_chance = shown["share"] <= shown["by_chance"]
    parts = shown.assign(reason=shown["reason"].mask(by_chance, "expected"))
    several = parts.duplicated(["corpus", "reason"], keep=False)
    parts.loc[several, ["low", "high"]] = np.nan
    summed = parts.groupby(["corpus", "reason"], sort=False)
    return summed.agg({"share": "sum", "low": "first", "high": "first"}).reset_index()


def _fitting(share: Sequence[float], width: float, *, limits: bool) -> str:
    """Return what has room in `width` mm: a share above its limits, the share alone, or nothing."""
    places = 1 if share[2] - share[1] < _NARROW else 0
    value, low, high = (f"{100 * number:.{places}f}" for number in share)
    texts = [f"{value} %\n{low}–{high}"] * bool(limits and np.isfinite(share).all()) + [f"{100 * share[0]:.0f} %"]
    widths = {text: max(text_size(line, SMALL)[0] for line in text.split("\n")) for text in texts}
    return next((text for text, wide in widths.items() if wide + _AIR <= width), "")


def _notes(shown: pd.DataFrame) -> Iterator[str]:
    if shown[["low", "high"]].notna().all(axis=1).any():
        yield "Below a share stands its interval, where there is room."
    highest = shown.groupby("reason")["by_chance"].max().dropna()
    told = [f"up to {100 * highest[reason]:.0f} % {words}" for reason, words in _BY_CHANCE.items() if reason in highest]
    if told:
        yield f"By chance alone, {' and '.join(told)}."
    if (shown["share"] <= shown["by_chance"]).any():
        yield "A share that is not above chance is drawn as expected."


FIGURE = DeclaredFigure("errors", (), draw_errors, of="corpora", first=True)
