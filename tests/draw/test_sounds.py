"""The figure of what phones sound like: all cells, in the order of the other heat maps, the rarest left out by name."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from made_drawings import draw_sounds
from matplotlib.figure import Figure

from phonxling.draw.style import FigureOptions

Check = Callable[[Figure], None]


def sounds(gold: int, heard: int) -> pd.DataFrame:
    """Distributions over so many phones for each of so many gold phones."""
    rows = np.random.default_rng(3).dirichlet(np.full(heard, 0.2), gold)
    names = [f"g{n}" for n in range(gold)], [f"e{n}" for n in range(heard)]
    cells = {"gold": np.repeat(names[0], heard), "recognised": np.tile(names[1], gold), "probability": rows.ravel()}
    return pd.DataFrame(cells)


def test_all_cells_are_drawn(options: FigureOptions, legible: Check) -> None:
    table = sounds(4, 6)
    drawing = draw_sounds(table, "yoruba", options, {"g0": 5, "g1": 3, "g2": 9, "g3": 1}, ["g2", "g0", "g3", "g1"])
    legible(drawing.figure)
    assert list(dict.fromkeys(drawing.shown["gold"])) == ["g2", "g0", "g3", "g1"]
    expected = table.set_index(["gold", "recognised"])["probability"]
    shown = drawing.shown.set_index(["gold", "recognised"])["probability"]
    assert shown.to_dict() == expected.to_dict()


def test_a_phone_without_frames_is_not_drawn(options: FigureOptions) -> None:
    table = sounds(4, 6)
    table.loc[table["gold"] == "g1", "probability"] = np.nan
    drawing = draw_sounds(table, "yoruba", options, dict.fromkeys(["g0", "g1", "g2", "g3"], 5))
    assert set(drawing.shown["gold"]) == {"g0", "g2", "g3"}


def test_the_rarest_are_left_out_and_named(options: FigureOptions) -> None:
    table, tokens = sounds(190, 8), {f"g{n}": 190 - n for n in range(190)}
    drawing = draw_sounds(table, "yoruba", options, tokens)
    kept = set(drawing.shown["gold"])
    assert len(kept) < 190
    assert kept == {f"g{n}" for n in range(len(kept))}
    text = " ".join(text.get_text() for text in drawing.figure.texts)
    assert f"Left out: the {190 - len(kept)} rarest gold phones" in text.replace("\n", " ")
