"""What the charts of vowels and of consonants share: answers to gold phones, shades, the key, what is noted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.patches import Rectangle

from phonxling.core.inventory import GAP
from phonxling.draw.figure import StoredCorpus, Tables, list_phones
from phonxling.draw.sheet import Sheet, text_size
from phonxling.draw.style import (
    EDGE,
    FEW_TOKENS_DRAWN,
    GREY,
    INK,
    LINE,
    PALE_GREY,
    PASSING,
    PHONE,
    FigureOptions,
    sequential_map,
)
from phonxling.phones.chart import consonant_place, vowel_places

LEAST = 0.1  # of a gold phone's tokens: a smaller share of another answer is not shown
KEY = 4.4  # mm: a line of the key
# Of quarters, so that a letter, dark or white, is legible on each shade.
SHADES = {f"{low}–{low + 25} %": sequential_map()(place) for low, place in ((0, 0.0), (25, 0.18), (50, 0.6), (75, 0.9))}
FEW_LOOK: dict[str, Any] = {"facecolor": "white", "hatch": "///////", "hatchcolor": PASSING}  # a letter may stand on it


def answers(tables: Tables, options: FigureOptions, *, declared: bool) -> pd.DataFrame:
    """Return the confusions of gold phones, ∅ too: gold, predicted, tokens of the gold phone, share of them, lacking.

    Phones that are never right have a row of their own symbol, with 0; `lacking`: the recogniser cannot answer them,
    by the errors of its `declared` inventory, or because it never predicted them.
    """
    table = tables["confusions"]
    table = table[table["gold"].isin(options.chosen({*table["gold"]} - {GAP}))]
    tokens = table.groupby("gold", sort=False)["count"].sum()
    shares = table[["gold", "predicted"]].assign(share=table["count"] / table["gold"].map(tokens))
    missing = [gold for gold in tokens.index if gold not in {*table.loc[table["gold"] == table["predicted"], "gold"]}]
    never = pd.DataFrame({"gold": missing, "predicted": missing, "share": 0.0})
    every = pd.concat([shares, never] if missing else [shares], ignore_index=True)
    lacking = ~every["gold"].isin({*recogniser_phones(tables)})
    if declared:
        errors = tables.get("errors", pd.DataFrame(columns=["gold", "reason", "count"]))
        lacking = every["gold"].isin(errors.loc[(errors["reason"] == "absent") & (errors["count"] > 0), "gold"])
    return every.assign(tokens=every["gold"].map(tokens), lacking=lacking)


def has_inventory(corpus: StoredCorpus, name: str) -> bool:
    """Return whether the recogniser's phones are declared, for a corpus; else they are what it happened to predict."""
    return StoredCorpus(name, corpus.stored).value("error_share", "absent") is not None


def lacking_means(*, declared: bool) -> str:
    """Return what is to be said of phones without an answer: what a recogniser happened to predict is no inventory."""
    return "the recogniser lacks it" if declared else "never predicted"


def recogniser_phones(tables: Tables) -> list[str]:
    """Return the recogniser's phones."""
    columns = [tables["confusions"]["predicted"]]
    if "phones" in tables:
        columns.append(tables["phones"].loc[tables["phones"]["side"] == "predicted", "phone"])
    return sorted({*pd.concat(columns)} - {GAP})


def look_of(own: Mapping[Any, Any]) -> tuple[dict[str, Any], str]:
    """Return the look of the area of a gold phone, a row of `answers` of its own symbol, and of a letter on it."""
    look = outline(lacking=bool(own["lacking"]))
    if own["tokens"] < FEW_TOKENS_DRAWN:
        return look | FEW_LOOK, INK
    right = own["share"]
    shade = PALE_GREY if np.isnan(right) else [*SHADES.values()][min(int(right * 4), 3)]
    return look | {"facecolor": shade}, "white" if right >= 0.5 else INK


def without_place(cells: pd.DataFrame) -> Iterator[str]:
    none = [gold for gold in dict.fromkeys(cells["gold"]) if not (vowel_places(gold) or consonant_place(gold))]
    if none:
        yield f"{len(none)} gold phones have no place in the chart: {list_phones(none)}."


class Key:
    """The key below a figure: samples with their meanings, one after another in as many rows as they need."""

    def __init__(self, width: float) -> None:
        self.items: list[tuple[float, float, float, str, Callable[[float, float], Artist]]] = []
        self.width, self._left, self.rows = width - 2 * EDGE, 0.0, 1

    def add(self, meaning: str, wide: float, sample: Callable[[float, float], Artist]) -> None:
        """Add a sample `wide` mm that is made of its left end and its middle's height."""
        size = wide + 1.0 + text_size(meaning, PHONE)[0]
        if self._left and self._left + size > self.width:
            self.rows, self._left = self.rows + 1, 0.0
        self.items.append((self._left, self.rows - 1.0, wide, meaning, sample))
        self._left += size + 2.5

    def looks(self, gold: pd.DataFrame, lacking: str, mark: Callable[..., Artist] | None = None) -> None:
        """Add the shades, and the looks of phones that are `lacking` or of few tokens, as 3 mm of a mark."""
        edge: dict[str, Any] = {"edgecolor": GREY, "linewidth": 0.3}
        for place, (meaning, colour) in enumerate(SHADES.items()):
            self.add(f"{meaning} right" if place == 0 else meaning, 3.0, partial(_swatch, facecolor=colour, **edge))
        if gold["lacking"].any():
            self.add(lacking, 3.0, partial(mark or _swatch, facecolor="white", **outline(lacking=True)))
        if (gold["tokens"] < FEW_TOKENS_DRAWN).any():
            few = outline(lacking=False) | FEW_LOOK
            self.add(f"fewer than {FEW_TOKENS_DRAWN} tokens", 3.0, partial(mark or _swatch, **few))

    def draw(self, figure: Sheet, notes: Sequence[str]) -> None:
        """Write notes at the foot, the key above them, and finish the figure."""
        axes = figure.axes_at(EDGE, EDGE + LINE * len(notes) + 0.5, self.width, KEY * self.rows)
        axes.set(xlim=(0, self.width), ylim=(0, KEY * self.rows))
        axes.axis("off")
        for left, row, wide, meaning, sample in self.items:
            y = KEY * (self.rows - row - 0.5)
            axes.add_artist(sample(left, y)).set_clip_on(False)
            axes.text(left + wide + 1.0, y, meaning, fontsize=PHONE, va="center")
        figure.finish(notes)


def _swatch(x: float, y: float, **look: Any) -> Rectangle:  # noqa: ANN401 - what matplotlib takes
    return Rectangle((x, y - 1.2), 3.0, 2.4, **look)


def outline(*, lacking: bool) -> dict[str, Any]:
    return {"edgecolor": INK, "linewidth": 0.6, "linestyle": (0, (2, 1.4)) if lacking else "-"}
