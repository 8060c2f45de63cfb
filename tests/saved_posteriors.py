"""Posteriors in files, written by the library of each format."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import h5py
import kaldi_native_io
import numpy as np
from safetensors.numpy import save_file


def save_posteriors(path: Path, arrays: Mapping[str, np.ndarray], labels: Sequence[str] = ()) -> Path:
    """Write the matrices of utterances as the ending says, with the labels of their columns where a file has them."""
    named = {"phones": np.array(labels)} if labels else {}
    match path.suffix:
        case ".npz":
            (np.savez_compressed if "packed" in path.name else np.savez)(path, **arrays, **named)  # type: ignore[arg-type]
        case ".npy":
            np.save(path, next(iter(arrays.values())))
        case ".h5":
            with h5py.File(path, "w") as file:
                for name, values in arrays.items():
                    file[name] = values
                if labels:
                    file["phones"] = [*labels]
        case ".ark":
            with kaldi_native_io.FloatMatrixWriter(f"ark:{path}") as writer:
                for name, values in arrays.items():
                    writer.write(name, values)
        case ".safetensors":
            save_file({**arrays}, path, metadata={"phones": json.dumps(labels)} if labels else None)
    return path
