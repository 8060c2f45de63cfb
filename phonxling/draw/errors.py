"""Why phones are missed, corpus by corpus: bars of the shares of all errors, stacked by reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from phonxling.draw.figure import Drawing, JointFigure, Stored
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    legend_at,
    line_spacing,
    name_rows,
    settle,
    sheet,
    text_size,
    wrap_notes,
    write_at,
    write_beside,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, GREY, INK, LINE, SMALL, TEXT, FigureOptions, house_style


@dataclass(frozen=True, slots=True)
class _Reason:
    """How the errors of a reason look, and what they are."""

    colour: str
    hatch: str
    ink: str
    meaning: str

    @property
    def edge(self) -> dict[str, Any]:
        """How its parts are hatched and set apart."""
        lines = GREY if self.hatch and self.ink != "white" else "white"
        return {"hatch": self.hatch, "edgecolor": lines, "linewidth": 0.4}


# Neighbours differ in lightness or in hatching, so that parts are told apart in grey and by the colour-blind.
_REASONS = {
    "absent": _Reason("#6f4296", "", "white", "phones that the recogniser lacks"),
    "expected": _Reason("#c5d0dc", "", INK, "confused as in the {reference} data"),
    "level": _Reason("#c05a12", "////", "white", "wrong more often than in the {reference} data"),
    "pattern": _Reason("#f3c9a0", "....", INK, "wrong in other ways than in the {reference} data"),
    "unattested": _Reason("#dedede", "xxxx", INK, "phones not in the {reference} data"),
    "confused": _Reason("#ad6a28", "\\\\\\\\", "white", "confusions with another phone"),
    "deleted": _Reason("#e5d38a", "", INK, "deletions"),
    "inserted": _Reason("#2b7a6e", "||", "white", "insertions"),
}
_BAR, _ROW = 0.84, 6.4  # of a row: a bar's height; mm
_TITLE, _AXIS, _NUMBERS, _ENTRY, _COLUMN, _AIR = 8.0, 6.0, 9.0, 2.8, 55.0, 1.0  # mm
_NARROW = 0.02  # an interval whose limits need a decimal


def draw_errors(
    summary: pd.DataFrame,
    options: FigureOptions,
    titles: Mapping[str, str] | None = None,
    reference: str = "reference",
) -> Drawing:
    """Return a bar of 100 % a corpus, whose parts are the shares of its errors by reason."""
    shown = _shown(summary)
    numbers = shown.groupby("corpus", sort=False)["errors"].first()
    with house_style(options.font):
        names = {name: fitted((titles or {}).get(name, name), options.width_mm * NAMES) for name in numbers.index}
        lines = wrap_notes(" ".join(_notes(shown, names, reference)), options.width_mm)
        left = EDGE + max(text_size(name, TEXT)[0] for name in names.values()) + 2
        width, high = options.width_mm - left - _NUMBERS - EDGE, _ROW * len(names)
        entries, columns = _legend(shown, reference), max(1, int(options.width_mm / _COLUMN))
        legend = EDGE + LINE * len(lines) + 0.8
        below = legend + _ENTRY * -(-len(entries) // columns) + _AXIS
        figure = sheet(options.width_mm, below + high + _TITLE)
        axes = axes_at(figure, left, below, width, high)
        _draw_parts(axes, shown, width)
        _dress(axes, [*names.values()], numbers.tolist())
        legend_at(figure, EDGE, legend, entries, columns)
        write_title(figure, below + high + _TITLE, "Errors by reason")
        write_at(figure, options.width_mm - EDGE, below + high + 0.4, "errors", SMALL, ha="right", va="bottom")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("errors", figure, shown)


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of each corpus, in the order of the reasons, with those by chance."""
    of_measure = {name: summary[summary["measure"] == name] for name in ("error_share", "error_share_null")}
    shares, null = of_measure.values()
    by_chance = null.set_index(["corpus", "variant"])["value"].rename("by_chance")
    known = shares[shares["value"].notna()].join(by_chance, on=["corpus", "variant"])
    renamed = known.rename(columns={"variant": "reason", "value": "share", "n": "errors"})
    order = {"corpus": list(dict.fromkeys(renamed["corpus"])), "reason": list(_REASONS)}
    ordered = renamed.sort_values([*order], key=lambda names: names.map(order[str(names.name)].index))
    return ordered[["corpus", "reason", "share", "low", "high", "by_chance", "errors"]].reset_index(drop=True)


def _draw_parts(axes: Axes, shown: pd.DataFrame, width: float) -> None:
    """Draw a bar a row, `width` mm long."""
    ends = shown.groupby("corpus", sort=False)["share"].cumsum()
    parts = shown.assign(row=pd.factorize(shown["corpus"])[0], start=ends - shown["share"])
    for reason, same in parts[parts["share"] > 0].groupby("reason", sort=False):
        look = _REASONS[str(reason)]
        axes.barh(same["row"], same["share"], _BAR, same["start"], color=look.colour, **look.edge)
        for row, start, *share in same[["row", "start", "share", "low", "high"]].to_numpy(float):
            _write_share(axes, (start + share[0] / 2, row), _fitting(share, share[0] * width), look)


def _write_share(axes: Axes, place: tuple[float, float], text: str, look: _Reason) -> None:
    box = {"facecolor": look.colour, "edgecolor": "none", "pad": 0.6} if look.hatch else None
    if text:
        lines: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": line_spacing()}
        axes.text(*place, text, fontsize=SMALL, color=look.ink, bbox=box, **lines)


def _fitting(share: Sequence[float], width: float) -> str:
    """Return what has room in `width` mm: a share above its limits, the share alone, or nothing."""
    places = 1 if share[2] - share[1] < _NARROW else 0
    value, low, high = (f"{100 * number:.{places}f}" for number in share)
    texts = [f"{value} %\n{low}–{high}"] * bool(np.isfinite(share).all()) + [f"{100 * share[0]:.0f} %"]
    widths = {text: max(text_size(line, SMALL)[0] for line in text.split("\n")) for text in texts}
    return next((text for text, wide in widths.items() if wide + _AIR <= width), "")


def _dress(axes: Axes, names: list[str], numbers: list[float]) -> None:
    rows = np.arange(len(names), dtype=np.float64)
    name_rows(axes, rows, names, size=TEXT)
    for row, number in zip(rows, numbers, strict=True):
        write_beside(axes, float(row), f"{number:,.0f}", _NUMBERS)
    axes.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5))
    axes.set_xticks(np.arange(6) / 5)
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.spines["left"].set_visible(False)


def _legend(shown: pd.DataFrame, reference: str) -> dict[str, Artist]:
    """Return what the parts are, of the reasons that occur."""
    occur = set(shown.loc[shown["share"] > 0, "reason"])
    return {
        look.meaning.format(reference=reference): Patch(facecolor=look.colour, **look.edge)
        for name, look in _REASONS.items()
        if name in occur
    }


def _notes(shown: pd.DataFrame, names: Mapping[str, str], reference: str) -> Iterator[str]:
    if shown[["low", "high"]].notna().all(axis=1).any():
        yield "Below a share stands its interval, where there is room; errors.tsv has all."
    for reason, same in shown[shown["by_chance"].notna()].groupby("reason", sort=False):
        pairs = zip(same["corpus"], same["by_chance"], strict=True)
        shares = ", ".join(f"{names[corpus]} {100 * share:.0f} %" for corpus, share in pairs)
        meaning = _REASONS[str(reason)].meaning.format(reference=reference)
        yield f"{meaning[:1].upper()}{meaning[1:]} by chance alone: {shares}."


def _of_corpora(stored: Stored) -> Iterator[Drawing]:
    shares = stored.summary.loc[stored.summary["measure"] == "error_share", "value"]
    if shares.notna().any():
        reference = {} if stored.reference is None else {"reference": stored.title(stored.reference)}
        yield draw_errors(stored.targets_first, stored.options, stored.titles, **reference)


FIGURE = JointFigure("errors", (), _of_corpora)
