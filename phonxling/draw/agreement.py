"""Two recognisers of the same gold: bars of the tokens that both, one or none has right, above those by chance."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.sheet import (
    NAMES,
    axes_at,
    fitted,
    labelled,
    legend_at,
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
from phonxling.draw.style import (
    BLUE,
    EDGE,
    GREY,
    INK,
    LINE,
    MIDDLE_BLUE,
    PALE_BLUE,
    PALE_GREY,
    PALE_ORANGE,
    SMALL,
    TEXT,
    FigureOptions,
    house_style,
)

_LOOKS: dict[str, dict[str, Any]] = {  # neighbours differ in lightness or in hatching
    "both right": {"color": PALE_GREY},
    "the first right": {"color": PALE_BLUE, "hatch": "///"},
    "the second right": {"color": PALE_ORANGE, "hatch": "..."},
    "both wrong, with other answers": {"color": MIDDLE_BLUE},
    "both wrong, with the same answer": {"color": BLUE},
}
_NUMBERS = ["kappa_given_phone", "kappa_given_phone_low", "kappa_given_phone_high"]
_NOTE = (
    "Upper bar: tokens of the gold; lower bar: were the recognisers independent given the gold phone. "
    "Right: κ given the phone, with its interval; 0 for independent recognisers."
)
_MORE = " Of {} pairs the first {}; agreement.tsv has all."
_MOST = 20  # pairs
_ROW, _TITLE, _AXIS, _KAPPA, _ENTRY, _COLUMN = 8.0, 8.0, 6.0, 18.0, 2.8, 52.0  # mm
_BARS = ((-0.17, 0.42), (0.21, 0.26))  # of a row: middle and height of the upper and the lower bar


def draw_agreement(agreement: pd.DataFrame, options: FigureOptions) -> Drawing:
    """Return two bars for each pair of items: what became of the gold tokens."""
    rows = agreement.head(_MOST)
    with house_style(options.font):
        room = options.width_mm * NAMES
        names = [fitted(f"{row.item} and {row.other}", room) for row in rows.itertuples()]
        more = _MORE.format(len(agreement), _MOST) if len(agreement) > _MOST else ""
        lines = wrap_notes(_NOTE + more, options.width_mm)
        left = EDGE + max(text_size(name, TEXT)[0] for name in names) + 2
        columns = max(1, int(options.width_mm / _COLUMN))
        legend = EDGE + LINE * len(lines) + 0.8
        below = legend + _ENTRY * -(-len(_LOOKS) // columns) + _AXIS
        high = _ROW * len(rows)
        figure = sheet(options.width_mm, below + high + _TITLE)
        axes = axes_at(figure, left, below, options.width_mm - left - _KAPPA - EDGE, high)
        shown = pd.concat([_parts(rows, expected=expected) for expected in (False, True)], ignore_index=True)
        _draw_bars(axes, shown, names)
        for place, numbers in enumerate(rows[_NUMBERS].to_numpy(float)):
            write_beside(axes, place, _kappa(numbers), _KAPPA)
        legend_at(figure, EDGE, legend, {name: labelled(figure)[name] for name in _LOOKS}, columns)
        write_title(figure, below + high + _TITLE, "Right and wrong together")
        write_at(figure, options.width_mm - EDGE, below + high + 0.4, "κ given phone", SMALL, ha="right", va="bottom")
        write_notes(figure, lines)
        settle(figure)
    return Drawing("agreement", figure, shown)


def _parts(rows: pd.DataFrame, *, expected: bool) -> pd.DataFrame:
    """Return the shares of the tokens of each pair of items, as they are or as expected."""
    beyond = (rows["both_wrong"] - rows["both_wrong_expected"]) * expected
    wrong = rows["both_wrong"] - beyond
    same = wrong * rows["same_expected"].fillna(0) if expected else rows["same_wrong"]
    parts = [rows["both_right"] - beyond, rows["item_right"] + beyond, rows["other_right"] + beyond, wrong - same, same]
    shares = {name: part / rows["tokens"] for name, part in zip(_LOOKS, parts, strict=True)}
    kind = "if independent" if expected else "heard"
    return pd.DataFrame({"item": rows["item"], "other": rows["other"], "bar": kind, **shares})


def _draw_bars(axes: Axes, shown: pd.DataFrame, names: list[str]) -> None:
    for (middle, height), (_, bars) in zip(_BARS, shown.groupby("bar", sort=False), strict=True):
        places = [place + middle for place in range(len(bars))]
        ends = bars[list(_LOOKS)].cumsum(axis=1)
        for name, look in _LOOKS.items():
            edge: dict[str, Any] = {"edgecolor": GREY if "hatch" in look else "white", "linewidth": 0.4}
            axes.barh(places, bars[name], height, ends[name] - bars[name], label=name, **look, **edge)
    name_rows(axes, np.arange(len(names), dtype=np.float64), names, size=TEXT)
    axes.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.5))
    axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.tick_params(axis="x", labelsize=SMALL, labelcolor=INK)
    axes.spines["left"].set_visible(False)


def _kappa(numbers: Floats) -> str:
    texts = [f"{number:.2f}".replace("-", "−") for number in numbers]
    if np.isnan(numbers[0]):
        return "not defined"
    return texts[0] if np.isnan(numbers[1]) else f"{texts[0]}\n[{texts[1]}, {texts[2]}]"


def _of_comparison(comparison: StoredCorpus) -> Drawing | None:
    table = comparison.tables["agreement"]
    return draw_agreement(table, comparison.options) if len(table) else None


FIGURE = DeclaredFigure("agreement", ("agreement",), _of_comparison, of="comparison")
