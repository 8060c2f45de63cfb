"""Configurations and overrides, stored manifests, and the formats of posteriors."""

import io
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import h5py
import kaldi_native_io
import numpy as np
from safetensors.numpy import save

from phonxling.core.errors import ConfigurationError, DataError
from phonxling.experiment.configuration import load_configuration, resolved, restored
from phonxling.load.posteriors import load_raw_posteriors

FRAMES, LABELS = np.array([[0.25, 0.75], [1, 0]], np.float32), ("a", "b")
MINIMAL = "corpora: {a: {gold: g.tsv, predicted: p.tsv}}\n"
WHOLE = """\
name: x
extends: b.yaml
seed: 3
corpora:
  a: {role: reference, gold: {path: g.tsv, columns: {utterance: id}}, posteriors: {path: p.npz, labels: [a, b]}}
alignment: {costs: unit, insertion: 1/3, method: expected, temperature: 0.5}
classes: {nasal vowels: "+syl +nas | +son"}
figures: {formats: [pdf, svg], width: 8.4 cm}
"""


def _configuration(scratch: Path, data: bytes) -> None:
    scratch.write_bytes(data)
    with suppress(ConfigurationError):
        resolved(load_configuration(scratch))


def _override(scratch: Path, data: bytes) -> None:
    scratch.write_text(MINIMAL, encoding="utf-8")
    with suppress(ConfigurationError):
        load_configuration(scratch, data.decode(errors="replace").split("\n")[:5])


def _stored(scratch: Path, data: bytes) -> None:
    with suppress(ConfigurationError, json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        found = json.loads(data)
        if isinstance(found, dict):
            restored(found, scratch.parent)


def _posteriors(form: str, scratch: Path, data: bytes) -> None:
    scratch.write_bytes(data)
    with suppress(DataError):
        found = load_raw_posteriors(scratch, form, None if form == "npz" else LABELS)
        for name in found.utterances[:20]:
            with suppress(DataError):
                np.asarray(found.read(name))


def _list(scratch: Path, data: bytes) -> None:
    path = scratch.with_suffix(".scp")
    path.write_bytes(data)
    with suppress(DataError):
        load_raw_posteriors(path, None, LABELS)


def _archives() -> dict[str, bytes]:
    npz, npy, hdf5 = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez_compressed(npz, u=FRAMES, phones=np.array(LABELS), frame_shift_s=0.01)
    np.save(npy, FRAMES)
    with h5py.File(hdf5, "w") as file:
        file["u"], file["g/v"], file["phones"], file.attrs["frame_shift_s"] = FRAMES, FRAMES, list(LABELS), 0.01
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("ark", "ark,t"):
            with kaldi_native_io.FloatMatrixWriter(f"{kind}:{folder}/{kind}") as writer:
                writer.write("u", FRAMES)
        binary, text = ((Path(folder) / kind).read_bytes() for kind in ("ark", "ark,t"))
    tensors = save({"u": FRAMES}, metadata={"phones": json.dumps(LABELS), "frame_shift_s": "0.01"})
    files = {"npz": npz.getvalue(), "npy": npy.getvalue(), "hdf5": hdf5.getvalue(), "safetensors": tensors}
    return {**files, "kaldi-ark": binary + text}


def targets(scratch: Path) -> dict[str, tuple[Callable[[bytes], object], tuple[bytes, ...]]]:
    """Return, by name, what is called with each input, and the valid inputs to start from."""
    settings = tuple(text.encode() for text in (MINIMAL, WHOLE))
    overrides = (
        b"alignment.costs=unit\nseed=3",
        b"corpora.a.gold={path: x.tsv, tone: strip}",
        b"figures.formats=[pdf]",
    )
    stored = json.dumps({"name": "x", "corpora": {"a": {"gold": {"path": "g"}, "predicted": {"path": "p"}}}}).encode()
    return {
        "configuration": (partial(_configuration, scratch), settings),
        "override": (partial(_override, scratch), overrides),
        "stored configuration": (partial(_stored, scratch), (stored,)),
        **{form: (partial(_posteriors, form, scratch), (data,)) for form, data in _archives().items()},
        "kaldi-scp": (partial(_list, scratch), (b"u u.ark:2\nv ../v.ark", b"u cat u.ark |")),
    }
