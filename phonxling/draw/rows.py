"""Figures of named rows: a name, what is drawn beside it (dots on a grid, or bars), and a text at its right end.

Entropy: by gold phone, how uncertain its
answers are. Errors: shares of all errors of a corpus, stacked by reason. Features: by their group, how
much of each is kept, how often it changes, and how.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from phonxling.core.arrays import Floats
from phonxling.core.estimate import SIGNIFICANT
from phonxling.core.inventory import GAP
from phonxling.core.queries import feature_name
from phonxling.draw.figure import DeclaredFigure, Drawing, Stored, StoredCorpus, rarest
from phonxling.draw.sheet import NAMES, Sheet, fitted, line_spacing, name_rows, text_size, wrap, write_beside
from phonxling.draw.style import (
    AMOUNT,
    AXIS_LABEL,
    DARK_GREY,
    EDGE,
    FEW,
    GREY,
    GRID,
    INK,
    LEAST_SIDE,
    LINE,
    MIDDLE,
    PAGE_HEIGHT,
    PALE,
    PHONE,
    SMALL,
    TEXT,
    FigureOptions,
    palette_colour,
)

ABOVE, AXIS, ENTRY, ROW = 8.0, 7.4, 2.8, 3.0  # mm: title and header, the axis, a line of the legend, a row
_BARS_AXIS = 6.0  # mm: an axis without a name


def row_figure(
    names: Sequence[str],
    draw: Callable[[Axes, Floats], object],
    options: FigureOptions,
    *,
    title: str,
    beside: tuple[str, Iterable[str], float],
    notes: Iterable[str],
    legend: Mapping[str, Artist],
    columns: int = 1,
    legend_lines: int = 0,
    axes_names: tuple[str, str] | None = None,
    most: float | None = 1.0,
    step: float | None = None,
    wide: float | None = None,
) -> Sheet:
    """Return a figure whose rows `draw` fills, given the axes and the rows' places.

    `beside` are a header, the text right of each row, and how wide in mm. With names of the axes (rows, x) there are
    dots on a grid from 0 to `most` (None: as drawn); without, bars of 100 %. `step` and `wide` are a row and the
    names, in mm; `legend_lines` is how many lines the legend takes at least.
    """
    dots, header, texts, right = axes_names is not None, *beside
    size = PHONE if dots else TEXT
    names = [fitted(name, options.width_mm * NAMES, size=size) for name in names]
    sizes = [text_size(name, size) for name in names]
    wide = max(width for width, *_ in sizes) if wide is None else wide
    step = max([ROW, *(height + 0.2 for _, height, _ in sizes)]) if step is None else step
    lines, places = wrap(notes, options.width_mm), np.arange(len(names), dtype=np.float64)
    foot = EDGE + LINE * len(lines) + 0.8
    bottom = foot + ENTRY * max(-(-len(legend) // columns), legend_lines) + (AXIS if dots else _BARS_AXIS)
    left, top = EDGE + (AXIS_LABEL + wide + 2.5 if dots else wide + 2), bottom + step * len(names)
    figure = Sheet(options.width_mm, top + ABOVE)
    axes = figure.axes_at(left, bottom, options.width_mm - left - right - EDGE, step * len(names))
    draw(axes, places)
    write_beside(axes, places, texts, right)
    name_rows(axes, places, names, size=size, pad=4.0 if dots else 1.5)
    axes.set(xlim=(0, most), ylim=(len(names) - 0.5, -0.5))
    axes.spines["left"].set_visible(False)
    figure.legend_at(EDGE, foot, legend, columns)
    figure.write_title(title)
    header_at = top + (0.8 if dots else 0.4)
    figure.write(options.width_mm - EDGE, header_at, header, SMALL, ha="right", va="bottom")
    if axes_names is None:
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    else:
        axes.hlines(places, 0, 1, color=GRID, linewidth=0.4, transform=axes.get_yaxis_transform(), zorder=0.9)
        axes.grid(axis="x", color=GRID, linewidth=0.4)
        axes.set_xlabel(axes_names[1], fontsize=SMALL)
        figure.write(EDGE, (bottom + top) / 2, axes_names[0], rotation=90, va="center")
    figure.finish(lines)
    return figure


_NOTES = 16.0  # mm that a full page keeps for notes
_DOT: dict[str, Any] = {"marker": "o", "markersize": 3, "markeredgecolor": AMOUNT, "markeredgewidth": 0.7}


def draw_entropy(corpus: StoredCorpus) -> Drawing | None:
    """Return a dot a gold phone, most uncertain first, with its interval where there is one.

    Dots of phones of few tokens are hollow. Lines stand at H(predicted | gold) and at the most that is possible
    without ∅, log₂ of the number of predicted phones. Where a page has no room the rarest phones are left out.
    """
    table = corpus.tables["phones"]
    phones = table[table["phone"] != GAP]
    gold = phones[phones["side"] == "gold"]
    known = gold[gold["entropy"].notna()].sort_values("entropy", ascending=False, kind="stable")
    if known.empty:
        return None
    names = [fitted(phone, corpus.options.width_mm * NAMES, size=PHONE) for phone in known["phone"]]
    wide, high, _ = np.max([text_size(name, PHONE) for name in names], axis=0).tolist()
    step = max(2.3, LEAST_SIDE / len(known), high + 0.1)
    room = int((PAGE_HEIGHT - ABOVE - AXIS - 3 * ENTRY - _NOTES) / step)
    rare = known.iloc[rarest(known["tokens"].to_numpy(float), room + 1)]
    shown = known.drop(rare.index)
    most = float(np.log2(max((phones["side"] == "predicted").sum(), 1)))
    mean = corpus.value("conditional_entropy", "")
    ends = shown.reindex(columns=["entropy_low", "entropy_high"]).to_numpy(float)
    few, has_ends = shown["tokens"].to_numpy(float) < FEW, np.isfinite(ends).all(axis=1)
    lines: list[tuple[float, str, dict[str, Any]]] = []
    if mean is not None:
        lines.append((mean, f"H(predicted | gold) = {mean:.2f} bits", {"color": INK, "linestyle": ":"}))
    if most:
        lines.append(
            (most, f"most without ∅: log₂ {2**most:.0f} = {most:.2f} bits", {"color": GREY, "linestyle": "--"})
        )

    def draw_dots(axes: Axes, rows: Floats) -> None:
        for chosen, colour, thick in ((few, GREY, 0.5), (~few, AMOUNT, 0.9)):
            axes.hlines(rows[has_ends & chosen], *ends[has_ends & chosen].T, color=colour, linewidth=thick)
        for chosen, fill in ((~few, AMOUNT), (few, "white")):  # a dot at 0 stays whole
            dots = shown["entropy"].to_numpy(float)[chosen]
            axes.plot(dots, rows[chosen], color=fill, linestyle="none", clip_on=False, **_DOT)
        for place, _, of_line in lines:
            axes.axvline(place, linewidth=0.7, zorder=1.5, **of_line)
        axes.set_xlim(0, max(axes.get_xlim()[1], most * 1.02, 0.1))

    legend: dict[str, Artist] = {"interval": LineCollection([], color=AMOUNT, linewidth=0.9)} if has_ends.any() else {}
    for chosen, fill, meaning in ((~few, AMOUNT, f"{FEW} tokens or more"), (few, "white", f"fewer than {FEW} tokens")):
        legend |= {meaning: Line2D([], [], color=fill, linestyle="none", **_DOT)} if chosen.any() else {}
    legend |= {meaning: Line2D([], [], linewidth=0.7, **look) for _, meaning, look in lines}
    figure = row_figure(
        shown["phone"].tolist(),
        draw_dots,
        corpus.options,
        title=corpus.titled("entropy"),
        beside=("tokens", [f"{tokens:,.0f}" for tokens in shown["tokens"]], 11.0),
        notes=_entropy_notes(gold, rare, ends[has_ends], most, all_have=bool(has_ends.all())),
        legend=legend,
        columns=2,
        legend_lines=3 if few.any() and not few.all() else 2,
        axes_names=("gold phone", "entropy of the answers (bits)"),
        most=None,
        step=step,
        wide=wide + 1,
    )
    columns = ["phone", "tokens", "entropy", "entropy_low", "entropy_high"]
    return Drawing("entropy", figure, shown[[name for name in columns if name in shown]])


def _entropy_notes(
    gold: pd.DataFrame, rare: pd.DataFrame, ends: Floats, most: float, *, all_have: bool
) -> Iterator[str]:
    yield f"Dots{' and intervals' * bool(len(ends))} are corrected for few tokens."
    if ((ends == 0) | (ends >= most)).any():
        yield "No entropy is below 0 or above the most possible: intervals end there."
    if len(ends) and not all_have:
        yield "No interval where fewer than five speakers or utterances have the phone, or all answers are alike."
    if none := gold.loc[gold["entropy"].isna(), "phone"].tolist():
        yield f"No entropy (no tokens): {' '.join(none)}."
    if len(rare):
        yield f"Left out: the {len(rare)} rarest phones ({' '.join(rare['phone'])})."


ENTROPY = DeclaredFigure("entropy", ("phones",), draw_entropy)


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
    "absent": _Reason(palette_colour("absent"), "", "white", "phones that the recogniser’s labels lack"),
    "expected": _Reason(palette_colour("expected"), "", INK, "confused as often as in the {reference} data"),
    "level": _Reason(palette_colour("level"), "////", "white", "confused more often than in the {reference} data"),
    "unexplained": _Reason(palette_colour("unexplained"), "xxxx", INK, "confused, with nothing to compare"),
    "deleted": _Reason(palette_colour("deleted"), "", INK, "deletions"),
    "inserted": _Reason(palette_colour("inserted"), "||", "white", "insertions"),
}
_BAR = 0.84  # of a row: a bar's height
_ERRORS_ROW, _LOW_ROW, _ERRORS_COLUMN, _AIR = 6.4, 3.4, 55.0, 1.0  # mm: a row, one of many, a column of the legend, air
_NARROW = 0.02  # an interval whose limits need a decimal


def draw_errors(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield a bar of 100 % a corpus, whose parts are the shares of its errors by reason; nothing without errors."""
    stored = source.stored
    if stored.summary.loc[stored.summary["measure"] == "error_share", "value"].isna().all():
        return
    shown, width = _shown(stored.targets_first), stored.options.width_mm
    reference = "reference" if stored.reference is None else stored.title(stored.reference)
    meanings = {name: reason.meaning.format(reference=reference) for name, reason in REASONS.items()}
    occur = set(shown.loc[shown["share"] > 0, "reason"])
    numbers = shown.groupby("corpus", sort=False)["errors"].first()
    names = {str(name): fitted(stored.title(str(name)), width * NAMES) for name in numbers.index}

    def draw_parts(axes: Axes, _: Floats) -> None:
        ends = shown.groupby("corpus", sort=False)["share"].cumsum()
        parts = shown.assign(row=pd.factorize(shown["corpus"])[0], start=ends - shown["share"])
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
        notes=_errors_notes(shown, _unclear(stored, shown), many=stored.many),
        legend={meanings[name]: Patch(**reason.look) for name, reason in REASONS.items() if name in occur},
        columns=max(1, int(width / _ERRORS_COLUMN)),
        step=_LOW_ROW if stored.many else _ERRORS_ROW,
    )
    yield Drawing("errors", figure, shown)


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    known = summary[(summary["measure"] == "error_share") & summary["variant"].isin(REASONS) & summary["value"].notna()]
    renamed = known.rename(columns={"variant": "reason", "value": "share", "n": "errors"})
    order = {"corpus": list(dict.fromkeys(renamed["corpus"])), "reason": list(REASONS)}
    ordered = renamed.sort_values([*order], key=lambda names: names.map(order[str(names.name)].index))
    return ordered[["corpus", "reason", "share", "low", "high", "errors"]].reset_index(drop=True)


def _unclear(stored: Stored, shown: pd.DataFrame) -> list[str]:
    """Return the corpora with more errors than expected of which the test does not show that there are more."""
    summary = stored.summary
    q = summary[(summary["measure"] == "expected_level_p") & (summary["variant"] == "q")].set_index("corpus")["value"]
    sure = {*q[q < SIGNIFICANT].index}
    more = shown.loc[(shown["reason"] == "level") & (shown["share"] > 0), "corpus"]
    return [stored.title(name) for name in more if name not in sure]


def _fitting(share: Sequence[float], width: float, *, limits: bool) -> str:
    """Return what has room in `width` mm: a share above its limits, the share alone, or nothing."""
    places = 1 if share[2] - share[1] < _NARROW else 0
    value, low, high = (f"{100 * number:.{places}f}" for number in share)
    texts = [f"{value} %\n{low}–{high}"] * bool(limits and np.isfinite(share).all()) + [f"{100 * share[0]:.0f} %"]
    widths = {text: max(text_size(line, SMALL)[0] for line in text.split("\n")) for text in texts}
    return next((text for text, wide in widths.items() if wide + _AIR <= width), "")


def _errors_notes(shown: pd.DataFrame, unclear: Sequence[str], *, many: bool) -> Iterator[str]:
    if many:
        yield "Of many languages, errors.tsv has the intervals."
    elif shown[["low", "high"]].notna().all(axis=1).any():
        yield "Below a share stands its interval, where there is room."
    if unclear:
        yield f"More often than in the reference data, but not clearly so: {', '.join(unclear)}."


ERRORS = DeclaredFigure("errors", (), draw_errors, of="corpora", main=True)


_ABOVE, _BETWEEN, _LEGEND, _FEATURES_ROW = 9.0, 5.5, 7.4, 3.2  # mm: title and names of panels; air; the legend; a row
_GROUPS = {
    "class": ("syl", "son", "cons"),
    "manner": ("cont", "delrel", "lat", "nas", "strid"),
    "larynx": ("voi", "sg", "cg"),
    "place": ("ant", "cor", "distr", "lab", "velaric"),
    "vowel": ("hi", "lo", "back", "round", "tense", "long"),
    "tone": ("hitone", "hireg"),
    "other": (),
}
_DIRECTIONS = {
    "plus_to_minus": ("+ to −", AMOUNT, ""),
    "minus_to_plus": ("− to +", MIDDLE, "////"),
    "zero": ("to or from 0", GREY, ""),
}


def draw_features(corpus: StoredCorpus) -> Drawing | None:
    """Return for each feature the share of wrong pairs in which it changed, beside the information that is kept."""
    features, width = corpus.tables["features"], corpus.options.width_mm
    own = features[features["changed"].notna()]
    if own.empty:
        return None
    still = (own["changed"] == 0) & own["transfer"].isna()
    group = own["feature"].map(lambda name: next((key for key, names in _GROUPS.items() if name in names), "other"))
    ordered = own.assign(group=pd.Categorical(group, [*_GROUPS], ordered=True))[~still]
    shown = ordered.sort_values(["group", "changed"], ascending=[True, False], kind="stable").reset_index(drop=True)
    lines = wrap(_features_notes(own[still]["feature"].tolist()), width)
    first = ~shown["group"].duplicated().to_numpy()
    places = np.arange(len(shown)) + 0.5 * (np.cumsum(first) - 1)  # groups stand apart
    names = [fitted(feature_name(name), width * NAMES, size=PHONE) for name in shown["feature"]]
    beside = max([text_size(name, SMALL)[0] for name in shown["group"]], default=0) + 1.5
    left = EDGE + beside + max([text_size(name, PHONE)[0] for name in names], default=0) + 2
    legend = EDGE + LINE * len(lines) + 0.8
    last = float(places[-1]) if len(places) else 0.0
    high, below = _FEATURES_ROW * (last + 1), legend + _LEGEND + AXIS
    side, top = (width - left - _BETWEEN - 2 * EDGE) / 2, below + high
    figure = Sheet(width, top + _ABOVE)
    transfer = figure.axes_at(left, below, side, high)
    changes = figure.axes_at(left + side + _BETWEEN, below, side, high)
    entries = {**_draw_changes(changes, places, shown), **_draw_transfer(transfer, places, shown)}
    for axes in (changes, transfer):
        axes.set(ylim=(last + 0.5, -0.5), yticks=[])
        axes.grid(axis="x", color=GRID, linewidth=0.4)
        axes.spines["left"].set_visible(False)
    name_rows(transfer, places, names)
    for place, name in zip(places[first], shown["group"][first], strict=True):
        figure.write(EDGE, below + high - _FEATURES_ROW * (place + 0.5), name, SMALL, va="center", color=DARK_GREY)
    figure.legend_at(EDGE, legend, entries, 3)
    figure.write_title(corpus.titled("features"))
    figure.write(left, top + 1, "information kept", SMALL, va="bottom")
    figure.write(left + side + _BETWEEN, top + 1, "changed in errors", SMALL, va="bottom")
    figure.finish(lines)
    columns = ["group", "feature", "changed", "plus_to_minus", "minus_to_plus", "from_zero", "to_zero", "transfer"]
    return Drawing("features", figure, shown[columns])


def _draw_changes(axes: Axes, places: Floats, shown: pd.DataFrame) -> dict[str, Artist]:
    parts = shown.assign(zero=shown["from_zero"] + shown["to_zero"])
    start, entries = np.zeros(len(shown)), dict[str, Artist]()
    for name, (meaning, colour, hatch) in _DIRECTIONS.items():
        look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        share = parts[name].to_numpy(float)
        axes.barh(places, share, 0.66, start, **look)
        start = start + share
        entries[meaning] = Patch(**look)
    axes.set_xlabel("share of wrong pairs", fontsize=SMALL)
    axes.set_xlim(0, max(float(start.max(initial=0)) * 1.05, 0.01))
    return entries


def _draw_transfer(axes: Axes, places: Floats, shown: pd.DataFrame) -> dict[str, Artist]:
    axes.hlines(places, 0, 1, color=PALE, linewidth=0.6, zorder=0.9)
    (dot,) = axes.plot(shown["transfer"], places, "o", color=AMOUNT, clip_on=False, markersize=3)
    axes.set(xlim=(0, 1), xticks=[0, 0.5, 1])
    axes.set_xlabel("share of its entropy", fontsize=SMALL)
    return {"kept": dot}


def _features_notes(still: list[str]) -> Iterator[str]:
    yield "What is kept is too high where tokens are few."
    if still:
        yield f"Not shown, because all phones here are alike in them: {', '.join(map(feature_name, still))}."


FEATURES = DeclaredFigure("features", ("features",), draw_features)
