"""Lists of labels as models keep them: the order, the blank, and what is wrong with one."""

from pathlib import Path

import numpy as np
import pytest
from support import write

from phonxling.core.errors import DataError
from phonxling.load.posteriors import Labels, given_labels, load_raw_posteriors


@pytest.mark.parametrize(
    ("name", "text", "labels", "blank"),
    [
        ("vocab.json", '{"a": 2, "[PAD]": 0, "|": 1}', "[PAD] | a", "[PAD]"),
        ("vocab.json", '{"<pad>": 1, "a": 0, "<blank>": 2}', "a <pad> <blank>", "<blank>"),
        ("labels.json", '["a", "b"]', "a b", None),
        ("tokens.txt", "a 1\n<blk> 0\n#0 3\nb 2\n", "<blk> a b", "<blk>"),
        ("phones.txt", "a\nɑː\n<blank>\n", "a ɑː <blank>", None),
        ("config.yaml", "lr: 1\ntoken_list: [<blank>, a, 'no']\n", "<blank> a no", "<blank>"),
        ("model_config.yaml", "decoder: {vocabulary: [a, b]}\n", "a b <blank>", "<blank>"),
        ("model_config.yaml", "labels: [a, b]\ndecoder: {vocabulary: null}\n", "a b <blank>", "<blank>"),
    ],
)
def test_the_order_and_the_blank(tmp_path: Path, name: str, text: str, labels: str, blank: str | None) -> None:
    assert given_labels(write(tmp_path / name, text)) == Labels(tuple(labels.split()), blank)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("vocab.json", '{"a": 0, "b": 2}', "1 column has no label: 1; two labels have one number, or a second file"),
        ("vocab.json", '{"a": "x"}', "no list of labels; it needs numbers by label"),
        ("vocab.json", "{", "no JSON: "),
        ("config.yaml", "a: [", "no YAML: "),
        ("config.yaml", "!!python/object/apply:os.system [ls]", "no YAML: "),
        ("config.yaml", "lr: 1\n", "holds neither token_list (ESPnet) nor vocabulary or labels (NeMo) as a list"),
    ],
)
def test_what_is_wrong(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(DataError) as caught:
        given_labels(path)
    assert str(caught.value).startswith(f"{path}: {complaint}")


@pytest.mark.parametrize(("name", "text"), [("vocab.json", '{"a": 1, "<pad>": 0}'), ("tokens.txt", "a 1\n<blk> 0\n")])
def test_a_model_s_list_is_found_beside_arrays(tmp_path: Path, name: str, text: str) -> None:
    np.save(tmp_path / "u1.npy", np.array([[0.9, 0.1], [0.2, 0.8]]))
    write(tmp_path / name, text)
    raw = load_raw_posteriors(tmp_path / "u1.npy")
    assert raw.labels[1] == "a"
    assert raw.blank == raw.labels[0]
    write(tmp_path / "phones.txt", "b\nc\n")
    assert load_raw_posteriors(tmp_path / "u1.npy").labels == ("b", "c")
