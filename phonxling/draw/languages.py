"""wPER of every target language by what may go with it, and by family; how much of each feature comes through."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from phonxling.core.queries import feature_name
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.heatmap import draw_key
from phonxling.draw.sheet import Sheet, fitted, name_rows, text_size, wrap
from phonxling.draw.style import AMOUNT, DARK_GREY, EDGE, GREY, GRID, INK, LINE, PALE_GREY, SMALL, TEXT, sequential

_RATE = {"wper": "wPER", "per": "PER"}
_TITLES = {
    "share_in_inventory": "share of tokens it has",
    "distance_to_nearest": "distance to nearest",
    "gold_phones": "gold phones",
    "phones_per_utterance": "phones per utterance",
    "phones_per_second": "phones per second",
}
_SIDE, _LEFT, _FOOT, _HEAD, _ROW = 24.0, 12.0, 7.5, 7.5, 4.2  # mm: a panel, left of it, below, above, a row of a family
_LOOKS = {  # marker, fill, ink
    "seen": ("o", AMOUNT, AMOUNT),
    "unseen": ("o", "white", AMOUNT),
    "": ("o", GREY, GREY),
}
_NOTES = (
    "Each point is a target language. Diamonds: means of families with {level:.0%} limits over languages. ρ: "
    "Spearman’s rank correlation with its limits; it says what goes together, not why."
)

_MOST, _THIN, _HEADED = 40, 3.2, 1.0  # rows of a matrix; mm of one; rows that the name of a family takes
_KEPT = "share of the feature’s information that comes through"
_SHARES = "Grey: the feature does not vary in the language, or nothing is known of it."
_OF_FAMILIES = "Means over the languages of a family, whose number stands in brackets. "


def draw_languages(source: StoredCorpus) -> Iterator[Drawing]:
    """Yield one figure: a row of points for each family, and a panel for each covariate that languages differ in."""
    tables = next((own for own in source.stored.tables.values() if len(own.get("languages", ()))), {})
    if not {"language_means", "language_covariates", "language_facts"} <= tables.keys():
        return
    measure = next(one for one in (*_RATE, "") if not one or (tables["languages"]["measure"] == one).any())
    points = tables["languages"][tables["languages"]["measure"] == measure].set_index("corpus")
    related = tables["language_covariates"]
    related = related[(related["measure"] == measure) & related["rho"].notna()]
    means = tables["language_means"]
    means = means[(means["measure"] == measure) & (means["by"] == "family")].set_index("languages_of")
    families = [name for name in means.sort_values("value").index if name] if len(means) > 1 else []
    if not measure or not (len(related) or families):
        return
    width = source.options.width_mm
    across = max(1, int((width - EDGE) // (_SIDE + _LEFT + EDGE)))
    side = (width - EDGE) / across - _LEFT - EDGE
    down, rows = -(-len(related) // across), len(families) * _ROW
    lines = wrap([_NOTES.format(level=float(points["level"].iloc[0]))], width)
    foot = EDGE + LINE * (len(lines) + 1) + 3.0
    top = foot + down * (_SIDE + _HEAD + _FOOT)
    figure = Sheet(width, top + (rows + _FOOT if families else 0) + 7.0)
    if families:
        left = EDGE + max(text_size(fitted(name, 0.4 * width), TEXT)[0] for name in families) + 3
        axes = figure.axes_at(left, top + _FOOT, width - left - EDGE, rows)
        _draw_families(axes, points, means, families)
        name_rows(axes, np.arange(len(families), dtype=np.float64), [fitted(one, 0.4 * width) for one in families])
        figure.write(left, top + 1.0, f"{_RATE[measure]} of the languages of a family", SMALL)
    for place, row in enumerate(related.to_dict("records")):
        at = EDGE + _LEFT + (place % across) * (side + _LEFT + EDGE)
        bottom = top - (place // across + 1) * (_SIDE + _HEAD + _FOOT) + _FOOT
        facts = tables["language_facts"]
        own = facts[facts["covariate"] == row["covariate"]].set_index("corpus")["value"]
        axes = figure.axes_at(at, bottom, side, _SIDE)
        _draw_points(axes, points, own.reindex(points.index), points["value"])
        title = _TITLES.get(str(row["covariate"]), str(row["covariate"]))
        figure.write(at, bottom - _FOOT + 1.0, fitted(title, side + 4, size=SMALL), SMALL)
        figure.write(at, bottom + _SIDE + 1.0, _related(row), SMALL)
        if not place % across:
            figure.write(at - _LEFT, bottom + _SIDE / 2, _RATE[measure], SMALL, rotation=90, va="center")
    figure.write_title(f"{_RATE[measure]} of {len(points)} languages")
    figure.legend_at(EDGE, EDGE + LINE * len(lines) + 1.2, figure.labelled(), 3)
    figure.finish(lines)
    shown = points.reset_index()[["corpus", "name", "family", "seen", "measure", "value", "low", "high"]]
    wide = tables["language_facts"].pivot_table(index="corpus", columns="covariate", values="value").reset_index()
    yield Drawing("rates-languages", figure, shown.merge(wide, on="corpus", how="left"))


def _related(row: Mapping[Any, float]) -> str:
    return f"ρ {row['rho']:.2f} [{row['low']:.2f}, {row['high']:.2f}]".replace("-", "−")


def _draw_families(axes: Axes, points: pd.DataFrame, means: pd.DataFrame, families: list[str]) -> None:
    for place, name in enumerate(families):
        own = points[points["family"] == name]
        mean, low, high = means.loc[[name], ["value", "low", "high"]].to_numpy(float)[0]
        _draw_points(axes, own, own["value"], pd.Series(place, index=own.index, dtype=float))
        if np.isfinite(low):
            axes.hlines(place, low, high, color=INK, linewidth=1.2, zorder=1)
        axes.plot([mean], [place], "D", color=INK, markersize=3, markeredgecolor=INK, zorder=3)
    axes.set(ylim=(len(families) - 0.4, -0.6))
    axes.grid(visible=True, axis="x", color=GRID, linewidth=0.4)


def _draw_points(axes: Axes, points: pd.DataFrame, x: "pd.Series[float]", y: "pd.Series[float]") -> None:
    for seen, (marker, fill, ink) in _LOOKS.items():
        own = points["seen"].fillna("") == seen
        if own.any():
            label = {"seen": "seen in training", "unseen": "not seen"}.get(seen, "language")
            look: dict[str, Any] = {
                "markersize": 3.0,
                "markerfacecolor": fill,
                "markeredgecolor": ink,
                "markeredgewidth": 0.7,
            }
            axes.plot(x[own], y[own], marker, label=label, linestyle="none", clip_on=False, **look)
    axes.locator_params(nbins=4)


def draw_features(source: StoredCorpus) -> Drawing | None:
    """Return the matrix of languages, by family, and features; of more languages than have room, that of families."""
    table = next(
        (own["feature_languages"] for own in source.stored.tables.values() if "feature_languages" in own), None
    )
    if table is None or not table["transfer"].notna().any():
        return None
    own = table.assign(family=table["family"].fillna(""), row=table["corpus"].map(source.stored.title))
    if many := own["row"].nunique() > _MOST:
        number = own.groupby("family")["row"].nunique()
        own = own[own["family"] != ""].assign(row=own["family"].map(lambda name: f"{name} ({number.get(name, 0)})"))
    shares = own.pivot_table(index=["family", "row"], columns="feature", values="transfer", aggfunc="mean")
    shares = shares.reindex(columns=[name for name in table["feature"].unique() if name in shares])
    if not 0 < len(shares) <= _MOST:
        return None
    families, rows = (list(map(str, shares.index.get_level_values(level))) for level in ("family", "row"))
    first = [place for place, name in enumerate(families) if name != families[place - 1] or not place]
    headed = not many and any(families)
    heads = first if headed else []
    places = np.arange(len(rows)) + np.cumsum(np.isin(np.arange(len(rows)), heads)) * _HEADED
    width, lines = source.options.width_mm, wrap([_OF_FAMILIES * many + _SHARES], source.options.width_mm)
    names = [fitted(name, 0.35 * width) for name in rows]
    columns = [fitted(feature_name(str(name)), 26, size=SMALL) for name in shares.columns]
    left = EDGE + max(text_size(name, TEXT)[0] for name in names) + 2.0
    below = max(text_size(name, SMALL)[0] for name in columns) + 2.0
    high, foot = (float(places[-1]) + 1.0) * _THIN, EDGE + LINE * len(lines) + 11.0
    figure = Sheet(width, foot + below + high + 6.0)
    axes = figure.axes_at(left, foot + below, width - left - EDGE, high)
    values, look = np.ma.masked_invalid(shares.to_numpy(float)), dict[str, Any](edgecolors="white", linewidth=0.25)
    scale = sequential(), Normalize(0, 1)
    edges = np.arange(values.shape[1] + 1.0)
    for place, one in zip(places, values, strict=True):
        axes.fill_between(edges[[0, -1]], place, place + 1, color=PALE_GREY, linewidth=0, zorder=0)
        axes.pcolormesh(edges, [place, place + 1], one[None], cmap=scale[0], norm=scale[1], **look)
    axes.set(xlim=edges[[0, -1]], ylim=(places[-1] + 1, 0), xticks=[])
    axes.spines[:].set_visible(False)
    name_rows(axes, places + 0.5, names)
    for place in heads:
        at = foot + below + high - (places[place] - 0.15) * _THIN
        figure.write(EDGE, at, families[place] or "no family", SMALL, va="bottom", color=DARK_GREY)
    step = (width - left - EDGE) / len(columns)
    for place, name in enumerate(columns):
        at = left + (place + 0.5) * step
        figure.write(at, foot + below - 1.0, name, SMALL, rotation=90, ha="center", va="top")
    draw_key(figure, (EDGE + 1.0, EDGE + LINE * len(lines) + 4.2), (*scale, _KEPT, [0, 0.25, 0.5, 0.75, 1]), {}, INK)
    figure.write_title(f"Features of {len(rows)} {'families' if many else 'languages'}")
    figure.finish(lines)
    return Drawing("confusions-features", figure, shares.reset_index().melt(["family", "row"], value_name="transfer"))


FEATURES = DeclaredFigure(
    "confusions-features", (), draw_features, of="corpora", shows=("feature_languages",), first=True
)
FIGURE = DeclaredFigure(
    "rates-languages",
    (),
    draw_languages,
    of="corpora",
    shows=("languages", "language_means", "language_covariates", "language_facts"),
    first=True,
)
