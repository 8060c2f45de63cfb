"""alignments.tsv has times and confidences where the data have them, and each stands beside its own phone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from running import tables_of
from small_experiment import make_experiment

from phonxling.tables.files import table_bytes

FEW = ("uncertainty.resamples=0", "chance.models=[unigram]", "chance.replicates=1", "information.permutations=0")
PLAIN = ["utterance", "position", "gold", "predicted", "operation", "cost", "right"]
TIMES = {side: [f"{side}_start", f"{side}_end"] for side in ("gold", "predicted")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_experiment(tmp_path_factory.mktemp("timed"), utterances=6)


def aligned(configuration: Path, *settings: str) -> pd.DataFrame:
    text = table_bytes(tables_of(configuration, *FEW, *settings)["yoruba/alignments.tsv"])
    path = configuration.parent / "aligned.tsv"
    path.write_bytes(text)
    names = sum(TIMES.values(), ["confidence"])
    return pd.read_csv(path, sep="\t", keep_default_na=False, na_values={name: [""] for name in names}, quoting=3)


def phones_of(file: Path, columns: list[str]) -> list[tuple[object, ...]]:
    """Return the rows of a transcript without silence, as they stand in its file."""
    rows = pd.read_csv(file, sep="\t", keep_default_na=False)
    return list(rows[rows["phone"].str.lower() != "sil"][columns].itertuples(index=False, name=None))


def beside(rows: pd.DataFrame, side: str, columns: list[str]) -> list[tuple[object, ...]]:
    own = rows[rows[side] != "∅"]
    assert rows.loc[rows[side] == "∅", columns].isna().all(axis=None)
    return list(own[["utterance", *columns]].itertuples(index=False, name=None))


def test_each_phone_has_the_times_and_the_confidence_of_its_file(made: Path) -> None:
    rows = aligned(made)
    assert list(rows) == [*PLAIN, *TIMES["gold"], *TIMES["predicted"], "confidence", "speaker"]
    names = ["utterance", "start", "end"]
    assert beside(rows, "gold", TIMES["gold"]) == phones_of(made.parent / "yoruba/gold.tsv", names)
    heard = phones_of(made.parent / "yoruba/predicted.tsv", [*names, "confidence"])
    assert beside(rows, "predicted", [*TIMES["predicted"], "confidence"]) == heard


def without_times(made: Path, side: str) -> str:
    rows = pd.read_csv(made.parent / "yoruba" / f"{side}.tsv", sep="\t", keep_default_na=False)
    path = made.parent / f"yoruba/{side}_without.tsv"
    joined = rows.groupby("utterance", sort=False)["phone"].agg(" ".join).rename("phones")
    joined.reset_index().to_csv(path, sep="\t", index=False)
    return f"corpora.yoruba.{side}.path={path}"


@pytest.mark.slow
def test_without_times_there_are_no_columns_of_them(made: Path) -> None:
    bare = [without_times(made, side) for side in ("gold", "predicted")]
    rows = aligned(made, *bare, "corpora.yoruba.posteriors=null")
    assert list(rows) == [*PLAIN, "speaker"]
    assert rows.equals(aligned(made)[[*PLAIN, "speaker"]])


def test_times_of_segments_are_those_of_utterances_with_the_same_phones(made: Path) -> None:
    gold = made.parent / "yoruba/gold.tsv"
    rows = pd.read_csv(gold, sep="\t", keep_default_na=False)
    here = rows.index[(rows["utterance"] == "yoruba_02") & (rows["phone"] != "sil")]
    rows.loc[here[0], "phone"] = "s" if rows.loc[here[0], "phone"] != "s" else "b"
    segments = made.parent / "yoruba/segments.tsv"
    rows.to_csv(segments, sep="\t", index=False)
    found = aligned(made, without_times(made, "gold"), f"corpora.yoruba.segments.path={segments}")
    other = found["utterance"] == "yoruba_02"
    assert found.loc[other, TIMES["gold"]].isna().all(axis=None)
    wanted = [row for row in phones_of(gold, ["utterance", "start", "end"]) if row[0] != "yoruba_02"]
    assert beside(found[~other], "gold", TIMES["gold"]) == wanted


@pytest.mark.slow
def test_forced_times_are_marked_and_in_order(made: Path) -> None:
    forced = ("corpora.english.times=forced", "corpora.yoruba.times=forced", "forced.replicates=0")
    rows = aligned(made, *forced)
    assert list(rows) == [*PLAIN, *TIMES["gold"], *TIMES["predicted"], "confidence", "speaker", "times"]
    assert set(rows["times"]) == {"forced"}
    own = rows[rows["gold"] != "∅"]
    assert (own["gold_end"] > own["gold_start"]).all()
    assert (own.groupby("utterance")["gold_start"].diff().dropna() > 0).all()
    true = np.array([row[1] for row in phones_of(made.parent / "yoruba/gold.tsv", ["utterance", "start"])])
    assert np.median(abs(own["gold_start"].to_numpy() - true)) < 0.03
    counted = aligned(made, *forced, "alignment.method=posterior")
    assert list(counted) == [*PLAIN, *TIMES["gold"], "speaker", "times"]  # what stands beside gold was not predicted
    assert counted["gold_start"].tolist() == own["gold_start"].tolist()
