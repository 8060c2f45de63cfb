"""The page beside a plotly and a bokeh page with the same content: bytes, and seconds until it can be used.

60 × 40 cells and 5,000 aligned utterances of 40 phones. Each page is opened anew in Chromium several times, in turns;
medians are printed. Needs the extras browser and pages. Usage: python scripts/compare_pages.py [--rounds 7]
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import bokeh.io
import bokeh.layouts
import bokeh.models
import bokeh.plotting
import numpy as np
import pandas as pd
import plotly.graph_objects as go
from playwright.sync_api import Browser, Page, sync_playwright
from plotly.subplots import make_subplots

from phonxling.core.work import SERIAL, Silent
from phonxling.experiment.configuration import load_configuration
from phonxling.experiment.pipeline import run

GOLD, HEARD, UTTERANCES, PHONES = 60, 40, 5_000, 40
IPA = [*"pbtdkɡmnŋfvszʃʒhlrjwieɛaɔouəɪʊæʌɑɒθðxɣɲɾqʔcɟɸβʂʐɬɮʎyøœɯɤɨʉɵɐ"]
READY = {
    "phonxling": "document.documentElement.dataset.ready === 'yes'",
    "plotly": "document.querySelectorAll('.main-svg .hm, .heatmaplayer image').length > 0",
    "bokeh": "window.Bokeh && Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle",
}


def main(rounds: int) -> None:
    """Write the three pages, open them in turns, and print bytes and medians."""
    with tempfile.TemporaryDirectory() as folder:
        pages = written(Path(folder))
        times: dict[str, list[float]] = {name: [] for name in pages}
        program = os.environ.get("CHROMIUM") or shutil.which("chromium")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for _ in range(rounds):
                for name, path in pages.items():
                    times[name].append(opened(browser, path, READY[name]))
            browser.close()
        ours = statistics.median(times["phonxling"])
        for name, path in pages.items():
            median = statistics.median(times[name])
            size = path.stat().st_size / 1e6
            print(f"{name:10} {size:6.2f} MB  {median:5.2f} s  {median / ours:4.1f} times ours")


def written(folder: Path) -> dict[str, Path]:
    """Return the three pages of one made-up result."""
    run(load_configuration(made(folder)), folder / "results", SERIAL, Silent())
    corpus = folder / "results" / "made"
    counts = pd.read_csv(corpus / "confusions.tsv", sep="\t", keep_default_na=False)
    matrix = counts.pivot_table(index="gold", columns="predicted", values="count", fill_value=0, sort=False)
    pairs = pd.read_csv(corpus / "alignments.tsv", sep="\t", dtype=str, keep_default_na=False)
    lines = pairs.groupby("utterance", sort=False)[["gold", "predicted"]].agg(" ".join).reset_index()
    pages = {"phonxling": folder / "results" / "report.html"}
    for name, write in (("plotly", plotly_page), ("bokeh", bokeh_page)):
        pages[name] = folder / f"{name}.html"
        write(matrix, lines, pages[name])
    return pages


def made(folder: Path) -> Path:
    """Write gold and predicted phones, and return the configuration."""
    generator = np.random.default_rng(1)
    columns: dict[str, list[str]] = {"gold": [], "predicted": []}
    for number in range(UTTERANCES):
        gold = generator.integers(0, GOLD, PHONES)
        noise = generator.random(PHONES) < 0.4
        heard = np.where(noise, generator.integers(0, HEARD, PHONES), gold % HEARD)
        for side, codes in (("gold", gold), ("predicted", heard)):
            columns[side].append(f"u{number:05d}\t{' '.join(IPA[code] for code in codes)}")
    for side, lines in columns.items():
        (folder / f"{side}.tsv").write_text("\n".join(["utterance\tphones", *lines]) + "\n", encoding="utf-8")
    path = folder / "pages.yaml"
    path.write_text(
        "corpora: {made: {gold: {path: gold.tsv}, predicted: {path: predicted.tsv}}}\n"
        "chance: {replicates: 1}\nuncertainty: {resamples: 20}\nfigures: {formats: [png]}\n",
        encoding="utf-8",
    )
    return path


def plotly_page(matrix: pd.DataFrame, lines: pd.DataFrame, path: Path) -> None:
    """Write a heat map above a table of all alignments, plotly's library inside."""
    figure = make_subplots(rows=2, cols=1, specs=[[{"type": "heatmap"}], [{"type": "table"}]])
    figure.add_trace(go.Heatmap(z=matrix.to_numpy(), x=list(matrix.columns), y=list(matrix.index)), row=1, col=1)
    cells = [lines[name].tolist() for name in lines]
    figure.add_trace(go.Table(header={"values": list(lines)}, cells={"values": cells}), row=2, col=1)
    figure.write_html(path, include_plotlyjs=True)


def bokeh_page(matrix: pd.DataFrame, lines: pd.DataFrame, path: Path) -> None:
    """Write a heat map above a table of all alignments, bokeh's library inside."""
    long = matrix.reset_index().melt("gold", value_name="count")
    plot = bokeh.plotting.figure(
        x_range=list(matrix.columns), y_range=list(matrix.index)[::-1], width=900, height=900,
        tooltips=[("gold", "@gold"), ("heard", "@predicted"), ("count", "@count")],
    )  # fmt: skip
    colours = bokeh.models.LinearColorMapper(palette="Blues256", low=float(matrix.to_numpy().max()), high=0)
    source = bokeh.models.ColumnDataSource(long)
    plot.rect("predicted", "gold", 1, 1, source=source, fill_color={"field": "count", "transform": colours})
    columns = [bokeh.models.TableColumn(field=name, title=name) for name in lines]
    table = bokeh.models.DataTable(source=bokeh.models.ColumnDataSource(lines), columns=columns, width=900)
    bokeh.io.save(bokeh.layouts.column(plot, table), path, resources=bokeh.resources.INLINE, title="pages")


def opened(browser: Browser, path: Path, ready: str) -> float:
    """Return the seconds until a page can be used."""
    page: Page = browser.new_page(viewport={"width": 1200, "height": 900})
    started = time.perf_counter()
    page.goto(path.as_uri())
    while not page.evaluate(ready):  # our policy lets no page function be evaluated later
        time.sleep(0.005)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    seconds = time.perf_counter() - started
    page.close()
    return seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    main(parser.parse_args().rounds)
