"""An utterance over time: every phone has its label or a dot, nothing stands over another, the right one is shown."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from made_drawings import draw_timeline
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from phonxling.draw.figure import Drawing, Stored, StoredCorpus
from phonxling.draw.style import PAGE_HEIGHT, FigureOptions
from phonxling.draw.timeline import FIGURE, shown_utterance

Check = Callable[[Figure], None]
PHONES = ["k͡p", "a", "d͡ʒ", "i", "ɛ̃ː", "t", "ŋ", "o", "s", "ʷ", "u", "m̩", "l"]


def made(seconds: float, seed: int = 1, shortest: float = 0.03) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the pairs of an utterance of so many seconds, and what its posteriors say."""
    generator = np.random.default_rng(seed)
    borders = np.cumsum(generator.uniform(shortest, 0.12, int(seconds / 0.075))).round(4)
    gold = generator.choice(PHONES, len(borders) - 1)
    said = np.where(generator.random(len(gold)) < 0.5, gold, generator.choice(PHONES, len(gold)))
    said[::7] = "∅"
    kinds = np.where(said == "∅", "deletion", np.where(said == gold, "correct", "substitution"))
    times = {"gold_start": borders[:-1], "gold_end": borders[1:]}
    heard = {f"predicted_{end}": np.where(said == "∅", np.nan, times[f"gold_{end}"]) for end in ("start", "end")}
    pairs = pd.DataFrame({"utterance": "u", "gold": gold, "predicted": said, "operation": kinds, **times, **heard})
    steps = np.arange(0, borders[-1], 0.03).round(4)
    labels = generator.choice([*PHONES, "SIL"], (len(steps), 2))
    shares = generator.uniform(0.05, 0.5, (len(steps), 2)).round(2)
    shown = {"start": np.repeat(steps, 2), "end": np.repeat((steps + 0.03).round(4), 2)}
    return pairs, pd.DataFrame({"utterance": "u", **shown, "phone": labels.ravel(), "probability": shares.ravel()})


def phone_labels(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_ha() == "center"]


def foot_of(figure: Figure) -> str:
    """Return the notes, whose last line is written first, after the title."""
    return " ".join(text.get_text() for text in figure.texts[:0:-1])


def found(*parts: object, **options: object) -> Drawing:
    drawing = draw_timeline(*parts, **options)  # type: ignore[arg-type]
    assert drawing is not None
    return drawing


def crossed(figure: Figure) -> list[str]:
    """Return the labels of phones that a label's line, or a dot, stands on."""
    figure.draw_without_rendering()
    return [
        text.get_text()
        for axes in figure.axes
        for line in axes.lines
        for text in axes.texts
        if text.get_ha() == "center"
        if _on(text.get_window_extent(), axes.transData.transform(np.column_stack(line.get_data())))
    ]


def _on(box: Bbox, points: np.ndarray) -> bool:
    (x, low), high = points.min(axis=0), points.max(axis=0)[1]
    return bool(box.x0 < x < box.x1 and low < box.y1 and high > box.y0)


@pytest.mark.parametrize("width", [84.0, 174.0])
@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_all_labels_stand_free(width: float, seconds: float, legible: Check) -> None:
    pairs, steps = made(seconds, seed=int(seconds))
    options = FigureOptions(width_mm=width, font="DejaVu Sans")
    figure = found(pairs, "Yoruba", options, steps=steps).figure
    legible(figure)
    assert crossed(figure) == []
    wanted = [*pairs["gold"], *pairs.loc[pairs["predicted"] != "∅", "predicted"]]
    assert sorted(phone_labels(figure)) == sorted(wanted)


@pytest.mark.slow
def test_very_short_phones_get_a_dot_and_a_long_utterance_its_beginning(legible: Check) -> None:
    pairs, steps = made(40.0, shortest=0.01)
    figure = found(pairs, "Yoruba", FigureOptions(font="DejaVu Sans"), steps=steps).figure
    legible(figure)
    assert crossed(figure) == []
    assert figure.get_size_inches()[1] * 25.4 <= PAGE_HEIGHT
    foot = foot_of(figure)
    until = max(axes.get_xlim()[1] for axes in figure.axes)
    assert f"Drawn are the first {until:.1f} of {pairs['gold_end'].max() + 0.05:.1f} s." in foot
    dots = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "o"]
    assert f"A dot is a phone too short for its label ({len(dots)})." in foot
    middles = pairs[["gold_start", "gold_end"]].mean(axis=1)
    number = (middles < until).sum() + ((middles < until) & (pairs["predicted"] != "∅")).sum()
    assert len(phone_labels(figure)) + len(dots) == number


def test_what_is_not_known_is_not_drawn() -> None:
    pairs, steps = made(1.0)
    options = FigureOptions(font="DejaVu Sans")
    without = pairs.drop(columns=["gold_start", "gold_end"])
    names = [text.get_text() for text in found(without, "Yoruba", options).figure.axes[0].texts]
    assert "heard" in names
    assert "gold" not in names
    assert (
        draw_timeline(without.drop(columns=["predicted_start", "predicted_end"]), "Yoruba", options, steps=steps)
        is None
    )


def test_the_table_has_what_is_drawn() -> None:
    pairs, steps = made(1.0)
    shown = found(pairs, "Yoruba", FigureOptions(font="DejaVu Sans"), steps=steps).shown
    gold = shown[shown["what"] == "gold"]
    assert gold["phone"].tolist() == pairs["gold"].tolist()
    assert gold["start"].tolist() == pairs["gold_start"].tolist()
    posterior = shown[shown["what"] == "posterior"]
    highest = steps.groupby("phone")["probability"].max()
    assert set(posterior["phone"]) == set(highest.index[highest >= 0.2])
    known = set(steps[["start", "end", "phone", "probability"]].itertuples(index=False, name=None))
    assert set(posterior[["start", "end", "phone", "probability"]].itertuples(index=False, name=None)) <= known


def test_the_median_of_those_with_posteriors_is_shown() -> None:
    pairs, steps = made(1.0)
    rates = pd.DataFrame({"utterance": ["v", "u", "w", "x", "y"], "per": [0.1, 0.4, 0.9, 0.3, np.nan]})
    kept = pd.concat([steps.assign(utterance=name) for name in ("u", "v", "w")])
    assert shown_utterance(rates, kept) == "u"
    assert shown_utterance(rates, None) == "x"
    assert shown_utterance(rates[:0], None) == ""
    tables = {"alignments": pairs.assign(times="forced"), "utterances": rates, "posteriorgrams": kept}
    stored = Stored(tables={"yoruba": tables}, options=FigureOptions(font="DejaVu Sans"), titles={"yoruba": "Yoruba"})
    drawing = FIGURE.draw(StoredCorpus("yoruba", stored))
    assert drawing is not None
    foot = foot_of(drawing.figure)
    assert "u: the median of the 3 utterances of posteriorgrams.tsv by phone error rate (0.400)." in foot
    assert "Gold times were found from the posteriors." in foot
    assert drawing.figure.texts[0].get_text() == "Yoruba: an utterance over time"
