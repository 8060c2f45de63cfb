"""Error rates by language between their floors and their chance levels, people beside them; and those of utterances."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from phonxling.analyses.orders import short_letters
from phonxling.core.arrays import Codes, Floats
from phonxling.draw.figure import MANY, DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import NAMES, WIDE, Sheet, fitted, name_rows, text_size, wrap, write_beside
from phonxling.draw.style import (
    AMOUNT,
    DARK_GREY,
    EDGE,
    INK,
    LINE,
    PAGE_HEIGHT,
    PALE,
    SMALL,
    TEXT,
    FigureOptions,
    palette_colour,
    tint,
)

_NAMES = {"wper": "Weighted phone error rate (wPER)", "per": "Phone error rate (PER)"}
_ROW, _TITLE, _RATES_AXIS = 6.8, 8.0, 6.0  # mm: a row, a title, an axis
_FIGURES, _ENTRY = 18.0, 2.8  # mm: the numbers beside a row, a line of the legend
_LOW_ROW, _LEAST_ROW, _LETTER, _RATES_APART = 4.2, 2.8, 1.5, 3.0  # mm: many corpora: a row, the least; a letter; panels
_PAGE = 165.0  # mm: the width of a figure of many rows
_LETTERS = "Skills that share a letter do not differ clearly (q < .05)."
_UNLIKE = "Not defined alike in all: {}; comparison.tsv says how."
_GROUPS = ["measure", "corpus", "group"]
_BAR, _RATE_LANE, _LIMITS_LANE, _NUMBERS = 0.48, 0.17, 0.37, 0.82  # of a row, from its top: where things stand
_REACH, _CHANCE = palette_colour("panel"), palette_colour("line")
_FLOOR: dict[str, Any] = {"facecolor": tint("absent", 0.15), "edgecolor": tint("absent", 0.8)}
_FLOOR |= {"hatch": "/////", "linewidth": 0}
_DOT: dict[str, Any] = {"color": AMOUNT, "marker": "o", "markersize": 4, "linestyle": "none", "clip_on": False}
_PEOPLE: dict[str, Any] = {**_DOT, "color": INK, "marker": "D", "markersize": 3.4, "markerfacecolor": "white"}


def draw_rates(source: StoredCorpus) -> Drawing | None:
    """Return wPER and PER of each corpus as a point with its interval, in a bar from its floor to its chance level.

    Many corpora have a low row each, those of the most skill on top, with the letters of their groups.
    """
    stored = source.stored
    shown = _shown(stored.targets_first)
    if not shown["measure"].isin(_NAMES).any():
        return None
    orders = next((own["orders"] for own in stored.tables.values() if "orders" in own), pd.DataFrame(columns=_GROUPS))
    letters = {name: _letters(orders[orders["measure"] == f"skill_{name}"], "corpus") for name in _NAMES}
    titles = {name: stored.title(name) for name in shown["corpus"]}
    return Drawing("rates", _drawn(shown, titles, letters if stored.many else {}, stored.options), shown)


def draw_ranking(comparison: StoredCorpus) -> Drawing | None:
    """Return the same of the items of a comparison, those of the lowest wPER on top."""
    ranking = comparison.tables["ranking"]
    if not ranking["measure"].isin(_NAMES).any():
        return None
    rows, same = ranking.rename(columns={"item": "corpus"}), ["corpus", "measure", "variant", "value", "low", "high"]
    skill = rows["measure"].str.contains("skill_")
    rows = rows.assign(variant=np.where(skill, "best", ""))
    parts = [rows]
    for limit in ("chance", "floor"):
        of_rates = rows[rows["measure"].isin(_NAMES)].assign(low=np.nan, high=np.nan, value=rows.get(limit, np.nan))
        parts.append(
            of_rates.assign(measure=f"{limit}_" + of_rates["measure"], variant="best"[: 4 * (limit != "floor")])
        )
    shown = pd.concat(parts, ignore_index=True)[same].dropna(subset="value")
    letters = {name: _letters(ranking[ranking["measure"] == f"skill_{name}"], "item") for name in _NAMES}
    unlike = sorted({*ranking.loc[ranking["unlike"] != "", "measure"]})
    notes = [_UNLIKE.format(", ".join(unlike))] if unlike else []
    titles = {name: name for name in shown["corpus"]}
    return Drawing("rates", _drawn(shown, titles, letters, comparison.options, notes), shown)


def _drawn(
    shown: pd.DataFrame,
    titles: Mapping[str, str],
    groups: Mapping[str, Mapping[str, str]],
    options: FigureOptions,
    notes: Sequence[str] = (),
) -> Sheet:
    measures = [name for name in _NAMES if (shown["measure"] == name).any()]
    corpora = list(dict.fromkeys(shown.loc[shown["measure"].isin(measures), "corpus"]))
    low = len(corpora) > MANY
    full = max(options.width_mm, _PAGE) if low else options.width_mm
    letters = {measure: short_letters(own) for measure, own in groups.items()}
    grouped = any(len(own) for own in letters.values())
    lines = wrap([*[_LETTERS] * grouped, *notes], full)
    entries, beside = _legend(shown), len(measures) if full >= WIDE else 1
    below = EDGE + LINE * len(lines) + _ENTRY * -(-len(entries) // (2 * beside)) + 1.5
    row = min(_LOW_ROW, (PAGE_HEIGHT - below - _TITLE - _RATES_AXIS) / len(corpora)) if low else _ROW
    high, width = max(row, _LEAST_ROW) * len(corpora), (full - EDGE * (beside + 1)) / beside
    right = _FIGURES + _LETTER * max((len(own) + 1 for group in letters.values() for own in group.values()), default=0)
    names = [fitted(titles[corpus], width * NAMES) for corpus in corpora]
    left, panel = max(text_size(name, TEXT)[0] for name in names) + 2, _TITLE + high + _RATES_AXIS
    stacked = len(measures) // beside
    figure = Sheet(full, panel * stacked + below)
    figure.title = "Error rates between floor and chance"
    for place, measure in enumerate(measures):
        start = EDGE + (width + EDGE) * (place % beside)
        bottom = below + panel * (stacked - 1 - place // beside) + _RATES_AXIS
        named = not (low and place % beside)  # names of low rows stand once
        begin = left if named else _RATES_APART
        axes = figure.axes_at(start + begin, bottom, width - begin - right, high)
        numbers = _by_corpus(shown, measure, corpora)
        _draw_panel(axes, numbers, 0 if low else width - left - right)
        own = letters.get(measure, {})
        beside_rows = np.arange(len(corpora)) + _BAR / 2
        write_beside(axes, beside_rows, map(_in_figures, numbers["rate"][:, 0], numbers["skill"][:, 0]), _FIGURES)
        write_beside(axes, beside_rows, [own.get(corpus, "") for corpus in corpora], right)
        if named:
            name_rows(axes, np.arange(len(names), dtype=np.float64) + _BAR / 2, names, size=TEXT)
        figure.write_panel_title(bottom + high + _TITLE, _NAMES[measure], start if named else start + begin)
        heads = f"rate (skill{', its group' * grouped})"
        figure.write(start + width, bottom + high + 0.6, heads, SMALL, ha="right", va="bottom")
    figure.legend_at(EDGE, EDGE + LINE * len(lines), entries, 2 * beside)
    figure.finish(lines)
    return figure


def _letters(rows: pd.DataFrame, of: str) -> dict[str, str]:
    rows = rows[rows["group"].astype(str) != ""]
    return dict(zip(rows[of].astype(str), rows["group"].astype(str), strict=True))


def _shown(summary: pd.DataFrame) -> pd.DataFrame:
    variant = summary["variant"].astype(object).where(summary["variant"].notna(), "")
    plain = summary["measure"].isin(
        [*_NAMES, *(f"{kind}_{name}" for name in _NAMES for kind in ("floor", "people"))]
    ) & (variant == "")
    best = [f"{kind}_{name}" for name in _NAMES for kind in ("chance", "skill")]
    chosen = plain | (summary["measure"].isin(best) & (variant == "best"))
    columns = ["corpus", "measure", "variant", "value", "low", "high"]
    return summary.assign(variant=variant)[chosen & summary["value"].notna()][columns]


def _by_corpus(shown: pd.DataFrame, measure: str, corpora: list[str]) -> dict[str, Floats]:
    """Return value, low and high of each corpus, [C, 3], of the rate and of what it is read beside; NaN without one."""
    names = {"rate": measure, **{kind: f"{kind}_{measure}" for kind in ("skill", "floor", "people", "chance")}}
    own = {kind: shown[shown["measure"] == name].set_index("corpus") for kind, name in names.items()}
    numbers = {kind: rows[["value", "low", "high"]].reindex(corpora).to_numpy(float) for kind, rows in own.items()}
    return {**numbers, "floor": np.where(numbers["floor"][:, :1] > 0, numbers["floor"], np.nan)}  # a floor of 0 is none


def _draw_panel(axes: Axes, numbers: Mapping[str, Floats], width: float) -> None:
    """Draw the corpora; limits have their numbers where a panel of this width in mm is given for them."""
    rate, floor, chance = (numbers[kind] for kind in ("rate", "floor", "chance"))
    rows = np.arange(len(rate), dtype=np.float64)
    people = numbers["people"]
    most = float(np.nanmax([rate, chance, people])) * 1.08 or 1.0
    look: dict[str, Any] = {"height": _BAR, "align": "edge"}
    axes.barh(rows, np.full(len(rows), most), color=_REACH, **look)
    axes.barh(rows, floor[:, 0], **_FLOOR, **look)
    axes.barh(rows, most - chance[:, 0], left=chance[:, 0], color=_CHANCE, **look)
    for limit in (floor, chance):
        axes.vlines(limit[:, 0], rows, rows + _BAR + 0.05, color=INK, linewidth=0.7)
        axes.hlines(rows + _LIMITS_LANE, *limit[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.hlines(rows + _RATE_LANE, *rate[:, 1:].T, color=AMOUNT, linewidth=0.9)
    axes.plot(rate[:, 0], rows + _RATE_LANE, **_DOT)
    axes.hlines(rows + _LIMITS_LANE, *people[:, 1:].T, color=DARK_GREY, linewidth=0.9)
    axes.plot(people[:, 0], rows + _LIMITS_LANE, **_PEOPLE)
    for row, *limits in np.column_stack([rows, floor[:, 0], chance[:, 0]]).tolist() if width else ():
        _write_limits(axes, row, limits, width / most)
    axes.set(xlim=(0, most), ylim=(len(rows), 0), yticks=[])
    axes.spines["left"].set_visible(False)


def _write_limits(axes: Axes, row: float, limits: list[float], scale: float) -> None:
    """Write the floor and the chance level below their lines; beside them where they would meet."""
    texts = [f"{limit:.3f}" for limit in limits if np.isfinite(limit)]
    at = np.array([limit for limit in limits if np.isfinite(limit)]) * scale
    wide = np.array([text_size(text, SMALL)[0] for text in texts])
    starts = np.maximum(at - wide / 2, 0)
    if len(texts) > 1 and starts[0] + wide[0] + 1 > starts[1]:
        starts = np.maximum([at[0] - wide[0], at[1]], [0, wide[0] + 1])
    for start, text in zip(starts, texts, strict=True):
        axes.text(start / scale, row + _NUMBERS, text, fontsize=SMALL, ha="left", va="baseline")


def _legend(shown: pd.DataFrame) -> dict[str, Artist]:
    floors = shown["measure"].str.startswith("floor_") & (shown["value"] > 0)
    chance, people = (shown["measure"].str.startswith(f"{kind}_") for kind in ("chance", "people"))
    line = Line2D([], [], color=DARK_GREY, linewidth=0.9)
    entries: list[tuple[str, Artist, bool]] = [
        ("rate of the recogniser", Line2D([], [], **_DOT), True),
        ("a second transcriber", Line2D([], [], **_PEOPLE), bool(people.any())),
        ("below the floor: phones it lacks", Patch(**_FLOOR), bool(floors.any())),
        ("no better than chance", Patch(facecolor=_CHANCE), bool(chance.any())),
        ("interval of floor or chance", line, bool((floors | chance).any())),
    ]
    return {meaning: handle for meaning, handle, occurs in entries if occurs}


def _in_figures(rate: float, skill: float) -> str:
    words = [form.format(value) for form, value in (("{:.3f}", rate), ("({:+z.2f})", skill)) if np.isfinite(value)]
    return " ".join(words).replace("-", "−")


RATES = DeclaredFigure("rates", (), draw_rates, of="corpora", shows=("orders",), main=True)
RANKING = DeclaredFigure("rates", ("ranking",), draw_ranking, of="comparison")


_LEFT, _UTTERANCES_AXIS, _LEGEND, _ABOVE, _HIGH = 10.0, 7.0, 6.0, 6.0, 34.0  # mm
_MOST_BINS = 60


def draw_utterance_rates(corpus: StoredCorpus) -> Drawing | None:
    """Return the histogram of wPER by utterance, that of the chance level of each where it is known."""
    utterances, width = corpus.tables["utterances"], corpus.options.width_mm
    rates = utterances["wper"].dropna().to_numpy(float)
    if not len(rates):
        return None
    spoken = utterances[utterances["gold_tokens"] > 0]
    costs = spoken.reindex(columns=["chance_cost"])["chance_cost"]
    by_chance = (costs / spoken["gold_tokens"]).dropna().to_numpy(float)
    edges = _edges(rates, by_chance)
    counts, chances = _counts(rates, edges), _counts(by_chance, edges)
    empty, beyond = int(utterances["wper"].isna().sum()), int((rates > edges[-1]).sum())
    notes = [f"Without a rate, because their gold is empty: {empty}."] if empty else []
    notes += [f"The last bin holds all above {edges[-1]:.2f}, too: {beyond}."] if beyond else []
    lines = wrap(notes, width)
    legend = EDGE + LINE * len(lines) + 0.8
    below = legend + _LEGEND + _UTTERANCES_AXIS
    figure = Sheet(width, below + _HIGH + _ABOVE)
    axes = figure.axes_at(_LEFT, below, width - _LEFT - EDGE, _HIGH)
    look: dict[str, Any] = {"facecolor": PALE, "edgecolor": AMOUNT, "linewidth": 0.8}
    entries: dict[str, Artist] = {"utterances, as recognised": axes.stairs(counts, edges, fill=True, **look)}
    if len(by_chance):
        look = {"color": DARK_GREY, "linewidth": 0.9, "hatch": "////"}
        entries["the same utterances at chance"] = axes.stairs(chances, edges, **look)
    pooled, chance = utterances["cost"].sum() / utterances["gold_tokens"].sum(), corpus.value("chance_wper", "best")
    entries[f"wPER of all: {pooled:.3f}"] = axes.axvline(pooled, linewidth=0.9, color=INK)
    if chance is not None:
        line = axes.axvline(chance, linestyle="--", linewidth=0.9, color=INK)
        entries[f"chance level of all: {chance:.3f}"] = line
    axes.set(xlim=(0, edges[-1]), ylim=(0, 1.04 * max(counts.max(), chances.max())))
    axes.set_xlabel("wPER of an utterance", fontsize=SMALL)
    axes.set_ylabel("utterances", fontsize=SMALL)
    figure.legend_at(EDGE, legend, entries, 2)
    figure.write_title(corpus.titled("rates-utterances"))
    figure.finish(lines)
    table = pd.DataFrame({"from": edges[:-1], "to": edges[1:], "utterances": counts, "chance": chances})
    return Drawing("rates-utterances", figure, table)


def _counts(rates: Floats, edges: Floats) -> Codes:
    return np.histogram(np.minimum(rates, edges[-1]), edges)[0]


def _edges(rates: Floats, chance: Floats) -> Floats:
    """Return the bins' edges from 0 (Freedman and Diaconis' width), the last where few rates lie beyond."""
    top = float(np.quantile(np.concatenate([rates, chance]), 0.995))
    quarter, three_quarters = np.quantile(rates, [0.25, 0.75])
    width = 2 * (three_quarters - quarter) / len(rates) ** (1 / 3)
    bins = int(np.clip(np.ceil(top / width) if width > 0 else 10, 5, _MOST_BINS))
    return np.linspace(0, top if top > 0 else 1.0, bins + 1)


UTTERANCES = DeclaredFigure("rates-utterances", ("utterances",), draw_utterance_rates)
