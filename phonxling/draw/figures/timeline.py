"""One utterance over time: gold phones above, heard phones below, and between them what the posteriors say."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.draw.colours import GREY, INK, sequential
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    axes_at,
    fitted,
    legend_at,
    settle,
    sheet,
    wrap_notes,
    write_notes,
    write_title,
)
from phonxling.draw.style import EDGE, LINE, PHONE, SMALL, FigureOptions, house_style
from phonxling.draw.timeline.rows import (
    AXIS,
    BAND,
    BETWEEN,
    BOX,
    LEAST,
    LEVEL,
    MOST_BANDS,
    NAMES,
    TimePlan,
    TimeRow,
    label_of,
    plan_rows,
)

_TITLE, _LEGEND = 5.0, 3.2  # mm: the title, a row of the legend
_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "correct": {"facecolor": "white"},
    "substituted": {"facecolor": "#d98a3d"},
    "deleted or inserted": {"facecolor": "white", "hatch": "//////"},
}
_KINDS = {"correct": "correct", "substitution": "substituted"}  # any other is deleted or inserted
_SIDES = ("gold", "predicted")


def shown_utterance(utterances: pd.DataFrame, steps: pd.DataFrame | None) -> str:
    """Return the median utterance by phone error rate, of those in the steps where there are such; "" for none."""
    rated = utterances[utterances["per"].notna()]
    if steps is not None:
        rated = rated[rated["utterance"].isin(steps["utterance"].unique())]
    order = rated.sort_values("per", kind="stable")["utterance"].tolist()
    return order[(len(order) - 1) // 2] if order else ""


def draw_timeline(
    pairs: pd.DataFrame, corpus: str, options: FigureOptions, *, steps: pd.DataFrame | None = None, note: str = ""
) -> Drawing | None:
    """Return an utterance over time, in as many rows of time as its labels need; None where no phone has times.

    A label that finds no room on either of two levels is a dot. Where a page cannot hold the utterance, it shows the
    first part of it. Each row of time has the sixteen labels of the posteriors that have the most of it.

    Parameters
    ----------
    pairs : DataFrame
        The utterance's gold, predicted, operation; gold_start and gold_end, predicted_start and predicted_end, where
        known.
    steps : DataFrame, optional
        start, end, phone, probability: what its posteriors say.
    note : str
        What is said of the utterance at the foot.
    """
    lanes = {side: lane for side in _SIDES if len(lane := _lane(pairs, side))}
    if not lanes:
        return None
    with house_style(options.font):
        plan = plan_rows(lanes, steps, options.width_mm)
        lines = wrap_notes(" ".join(filter(None, [note, *_notes(plan, steps)])), options.width_mm)
        entries = _legend(steps is not None)
        columns = 3 if options.width_mm < 150 else 6
        below = EDGE + LINE * len(lines) + 1 + _LEGEND * -(-len(entries) // columns)
        figure = sheet(options.width_mm, below + plan.height + _TITLE)
        foot = below + plan.height
        for row in plan.rows:
            foot -= row.height
            axes = axes_at(figure, plan.left, foot + AXIS + BETWEEN, plan.width, row.height - AXIS - BETWEEN)
            _draw_row(axes, row, plan, lanes)
        figure.axes[-1].set_xlabel("seconds", fontsize=SMALL, labelpad=1)
        legend_at(figure, EDGE, EDGE + LINE * len(lines) + 0.6, entries, columns)
        write_title(figure, below + plan.height + _TITLE, f"{corpus}: an utterance over time")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("timeline", figure, _shown(lanes, plan))


def _lane(pairs: pd.DataFrame, side: str) -> pd.DataFrame:
    """Return start, end, phone and what became of it, of the phones of a side that have times."""
    if f"{side}_start" not in pairs:
        return pd.DataFrame()
    timed = pairs[pairs[f"{side}_start"].notna() & pairs[f"{side}_end"].notna()]
    columns = {"start": f"{side}_start", "end": f"{side}_end", "phone": side, "operation": "operation"}
    return pd.DataFrame({name: timed[column] for name, column in columns.items()}).reset_index(drop=True)


def _draw_row(axes: Axes, row: TimeRow, plan: TimePlan, lanes: Mapping[str, pd.DataFrame]) -> None:
    """Draw one row of time; heights are in mm from the foot of the axes."""
    top = row.height - AXIS - BETWEEN
    axes.set(xlim=(row.begin, row.end), ylim=(0, top), yticks=[])
    axes.spines["left"].set_visible(False)
    seconds = (row.end - row.begin) / plan.width  # a mm
    high = {side: top - row.labels(side) - BOX if side == "gold" else row.labels(side) for side in lanes}
    for side, lane in lanes.items():
        _draw_lane(axes, lane, row.levels[side], high[side], up=side == "gold")
        name = {"gold": "gold", "predicted": "heard"}[side]
        axes.text(row.begin - seconds, high[side] + BOX / 2, name, size=SMALL, ha="right", va="center_baseline")
    foot = high["predicted"] + BOX + 0.6 if "predicted" in lanes else 0.3
    for place, (phone, steps) in enumerate(reversed([*row.bands.items()])):
        low = foot + place * BAND
        spans = list(zip(steps["start"], steps["end"] - steps["start"], strict=True))
        shades = sequential()(steps["probability"].to_numpy(float))
        axes.broken_barh(spans, (low + 0.15, BAND - 0.3), facecolors=shades, linewidth=0)
        axes.text(
            row.begin - seconds,
            low + BAND / 2,
            fitted(phone, NAMES, size=SMALL),
            size=SMALL,
            ha="right",
            va="center_baseline",
        )
    if row.bands and "gold" in lanes:
        axes.vlines(lanes["gold"][["start", "end"]].to_numpy().ravel(), foot, high["gold"], color=GREY, linewidth=0.25)


def _draw_lane(axes: Axes, lane: pd.DataFrame, levels: Mapping[int, int | None], low: float, *, up: bool) -> None:
    """Draw the phones of a lane as boxes, and their labels above or below them."""
    for meaning, look in _LOOKS.items():
        own = lane[lane["operation"].map(_KINDS).fillna("deleted or inserted") == meaning]
        spans = list(zip(own["start"], own["end"] - own["start"], strict=True))
        axes.broken_barh(spans, (low, BOX), edgecolor=INK, linewidth=0.4, **look)
    for place, level in levels.items():
        middle, edge = (lane["start"][place] + lane["end"][place]) / 2, low + BOX if up else low
        sign = 1 if up else -1
        if level is None:
            axes.plot(middle, edge + sign * 0.35, "o", color=INK, markersize=0.9)
            continue
        foot = edge + LEVEL * level + 1.1 if up else edge - LEVEL * (level + 1) + 0.65
        axes.text(middle, foot, label_of(lane["phone"][place]), size=PHONE, ha="center", va="baseline", clip_on=False)
        if level:
            axes.plot([middle, middle], [edge, edge + sign * LEVEL * level], color=GREY, linewidth=0.3)


def _legend(posteriors: bool) -> dict[str, Patch]:
    looks = {meaning: Patch(edgecolor=INK, linewidth=0.4, **look) for meaning, look in _LOOKS.items()}
    shades = {f"p = {share:g}": Patch(facecolor=sequential()(share)) for share in (0.1, 0.5, 1.0)} if posteriors else {}
    return {**looks, **shades}


def _notes(plan: TimePlan, steps: pd.DataFrame | None) -> Iterator[str]:
    if plan.rows[-1].end < plan.until:
        yield f"Drawn are the first {plan.rows[-1].end:.1f} of {plan.until:.1f} s."
    if steps is not None:
        yield f"Shades: posteriors of labels that reach {LEAST:g} in a row of time, at most {MOST_BANDS} of them."
    if plan.unlabelled:
        yield f"A dot is a phone too short for its label ({plan.unlabelled})."


def _shown(lanes: Mapping[str, pd.DataFrame], plan: TimePlan) -> pd.DataFrame:
    """Return what is drawn: the phones of each side, and the steps of the labels in each row of time."""
    until = plan.rows[-1].end
    parts = [lane[lane["start"] < until].assign(what=side) for side, lane in lanes.items()]
    drawn = [band for row in plan.rows for band in row.bands.values()]
    if drawn:
        parts.append(pd.concat(drawn).drop_duplicates().sort_values("start", kind="stable").assign(what="posterior"))
    columns = ["what", "start", "end", "phone", "operation", "probability"]
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def _of_corpus(corpus: StoredCorpus) -> Drawing | None:
    pairs, utterances = corpus.tables["alignments"], corpus.tables["utterances"]
    steps = corpus.tables.get("posteriorgrams")
    name = shown_utterance(utterances, steps)
    rate = utterances.set_index("utterance")["per"].get(name)
    number = len(utterances) if steps is None else steps["utterance"].nunique()
    among = f"all {number} utterances" if steps is None else f"the {number} utterances of posteriorgrams.tsv"
    note = f"{name}: the median of {among} by phone error rate ({rate:.3f})."
    note += " Gold times were found from the posteriors." if "times" in pairs else ""
    own = None if steps is None else steps[steps["utterance"] == name]
    return draw_timeline(pairs, corpus.title, corpus.options, steps=own, note=note)


FIGURE = DeclaredFigure("timeline", ("alignments", "utterances"), _of_corpus, shows=("posteriorgrams",))
