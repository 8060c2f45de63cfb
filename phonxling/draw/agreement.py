"""Two recognisers of the same gold: bars of the tokens that both, one or none has right, above those by chance."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from phonxling.core.arrays import Floats
from phonxling.draw.figure import DeclaredFigure, Drawing, StoredCorpus
from phonxling.draw.rows import row_figure
from phonxling.draw.style import GREY, INK, PALE, PALE_GREY, SMALL, WRONG, tint

_LOOKS: dict[str, dict[str, Any]] = {  # neighbours differ in lightness or in hatching
    "both right": {"facecolor": PALE_GREY, "edgecolor": "white"},
    "the first right": {"facecolor": PALE, "hatch": "///", "edgecolor": GREY},
    "the second right": {"facecolor": "white", "hatch": "...", "edgecolor": GREY},
    "both wrong, with other answers": {"facecolor": tint("wrong", 0.4), "edgecolor": "white"},
    "both wrong, with the same answer": {"facecolor": WRONG, "edgecolor": "white"},
}
_NUMBERS = ["kappa_given_phone", "kappa_given_phone_low", "kappa_given_phone_high"]
_NOTE = (
    "If independent: given the gold phone. Right: κ given the phone, with its interval; 0 for independent recognisers."
)
_MORE = "Of {} pairs the first {}; agreement.tsv has all."
_MOST, _ROW, _COLUMN = 20, 3.6, 52.0  # pairs; mm: a row, a column of the legend
_NAMES = ("observed", "if independent")  # of the bars of a pair


def draw_agreement(comparison: StoredCorpus) -> Drawing:
    """Return two bars for each pair of items: what became of the gold tokens, as heard and if independent."""
    agreement, options = comparison.tables["agreement"], comparison.options
    rows = agreement.head(_MOST)
    shown = pd.concat([_parts(rows, expected=expected) for expected in (False, True)], ignore_index=True)

    def draw_bars(axes: Axes, places: Floats) -> None:
        for place, bar in enumerate(_NAMES, start=1):
            bars = shown[shown["bar"] == bar]
            ends = bars[list(_LOOKS)].cumsum(axis=1)
            for name, look in _LOOKS.items():
                axes.barh(places[place::3], bars[name], 0.8, ends[name] - bars[name], linewidth=0.4, **look)
        axes.tick_params(axis="x", labelsize=SMALL, labelcolor=INK)

    figure = row_figure(
        [name for row in rows.itertuples() for name in (f"{row.item} and {row.other}", *_NAMES)],
        draw_bars,
        options,
        title="Right and wrong together",
        beside=("κ given phone", [text for row in rows[_NUMBERS].to_numpy(float) for text in _kappa(row)], 18.0),
        notes=[_NOTE, *[_MORE.format(len(agreement), _MOST)] * (len(agreement) > _MOST)],
        legend={name: Patch(linewidth=0.4, **look) for name, look in _LOOKS.items()},
        columns=max(1, int(options.width_mm / _COLUMN)),
        step=_ROW,
    )
    return Drawing("errors-shared", figure, shown)


def _parts(rows: pd.DataFrame, *, expected: bool) -> pd.DataFrame:
    """Return the shares of the tokens of each pair of items, as they are or as expected."""
    beyond = (rows["both_wrong"] - rows["both_wrong_expected"]) * expected
    wrong = rows["both_wrong"] - beyond
    same = wrong * rows["same_expected"].fillna(0) if expected else rows["same_wrong"]
    parts = [rows["both_right"] - beyond, rows["item_right"] + beyond, rows["other_right"] + beyond, wrong - same, same]
    shares = {name: part / rows["tokens"] for name, part in zip(_LOOKS, parts, strict=True)}
    return pd.DataFrame({"item": rows["item"], "other": rows["other"], "bar": _NAMES[expected], **shares})


def _kappa(numbers: Floats) -> tuple[str, str, str]:
    """Return what stands beside the rows of a pair: nothing, κ, its interval."""
    texts = [f"{number:.2f}".replace("-", "−") for number in numbers]
    if np.isnan(numbers[0]):
        return "", "not defined", ""
    return "", texts[0], "" if np.isnan(numbers[1]) else f"[{texts[1]}, {texts[2]}]"


FIGURE = DeclaredFigure("errors-shared", ("agreement",), draw_agreement, of="comparison")
