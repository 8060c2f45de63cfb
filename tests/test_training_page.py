"""The page on metrics: what stands there is run, with the libraries that it is for where they are installed."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import phonxling as px

PAGE = (Path(__file__).resolve().parent.parent / "docs/training.md").read_text(encoding="utf-8")
GOLD, PREDICTED = [["k", "a", "t"], ["m", "i"]], [["k", "a"], ["m", "a"]]
DATA = f"GOLD, PREDICTED = {GOLD!r}, {PREDICTED!r}\n"
RATE = 2 / 5

TORCHMETRICS = """
metric.update(PREDICTED[:1], GOLD[:1])
print(float(metric(PREDICTED[1:], GOLD[1:])), round(float(metric.compute()), 6), metric.rates().deletions)
metric.reset()
metric.update(GOLD, GOLD)
print(float(metric.compute()))
"""
LIGHTNING = """
model = Recogniser()
with torch.no_grad():
    model.output.weight.copy_(torch.eye(len(PHONES)))
    model.output.bias.zero_()
sounds = torch.nn.functional.one_hot(torch.tensor([[3, 1, 0], [4, 1, 0]]), len(PHONES)).float()
data = torch.utils.data.TensorDataset(sounds, torch.tensor([[3, 1, 5], [4, 2, -100]]))
quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
trainer = lightning.Trainer(accelerator="cpu", **quiet)
(logged,) = trainer.validate(model, torch.utils.data.DataLoader(data), verbose=False)
print(round(logged["val_per"], 6), logged["val_utterances"])
"""
TRAINER = """
import torch
import transformers

class Echo(torch.nn.Module):
    def forward(self, sounds, labels):
        return {"loss": torch.zeros(()), "logits": torch.nn.functional.one_hot(sounds, 6).float()}

rows = [{"sounds": [3, 1, 0], "labels": [3, 1, 5]}, {"sounds": [4, 1, 0], "labels": [4, 2, -100]}]
arguments = transformers.TrainingArguments(output_dir=".", use_cpu=True, report_to=[], disable_tqdm=True)
functions = {"compute_metrics": compute_metrics, "preprocess_logits_for_metrics": best_labels}
metrics = transformers.Trainer(Echo(), arguments, eval_dataset=rows, **functions).evaluate()
print(metrics["eval_per"], metrics["eval_deletions"])
"""
RANK = """
import sys

import phonxling as px

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=sys.argv[2], rank=rank, world_size=2)
errors = px.PhoneErrors()
errors.update(GOLD[rank : rank + 1], PREDICTED[rank : rank + 1])
print(gathered(errors).compute().to_dict())
"""
RANK_OF_METRIC = """
import sys

import torch.distributed as dist

from phonxling.torchmetrics import PhoneErrorRate

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=sys.argv[2], rank=rank, world_size=2)
metric = PhoneErrorRate()
metric.update(PREDICTED[rank : rank + 1], GOLD[rank : rank + 1])
print(metric.rates().to_dict())
"""


def block(name: str) -> str:
    found = re.search(rf"```python {name}\n(.*?)```", PAGE, re.DOTALL)
    return found[1]


def started(folder: Path, parts: list[str], *arguments: str) -> "subprocess.Popen[str]":
    """Start a program made of blocks, by their names, and other text; such libraries leave much behind in a process."""
    text = "\n".join(block(part) if part.isidentifier() else part for part in [DATA, *parts])
    (folder / "program.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "program.py", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours


@pytest.mark.parametrize("name", ["loop", "ids"])
def test_the_examples_print_what_they_say(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block(name), "training.md", "exec"), {})  # noqa: S102 - our own text
    (said,) = re.findall(r"^# (.*)$", block(name), re.MULTILINE)
    assert capsys.readouterr().out.strip() == said


def test_compute_metrics_takes_padded_labels() -> None:
    names: dict[str, Any] = {}
    exec(compile(block("ids") + block("trainer"), "training.md", "exec"), names)  # noqa: S102 - our own text
    evaluated = SimpleNamespace(
        predictions=np.array([[3, 3, 1, 0], [4, 1, -100, -100]]), label_ids=np.array([[3, 1, 5], [4, 2, -100]])
    )
    metrics = names["compute_metrics"](evaluated)
    assert metrics["per"] == RATE
    assert all(isinstance(value, float) for value in metrics.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("libraries", "parts", "printed"),
    [
        (["torchmetrics"], ["torchmetrics", TORCHMETRICS], f"0.5 {RATE} 1\n0.0\n"),
        (["lightning"], ["ids", "ddp", "lightning", LIGHTNING], f"{RATE} 2.0\n"),
        (["transformers", "accelerate", "torch"], ["ids", "trainer", TRAINER], f"{RATE} 1.0\n"),
    ],
)
def test_the_recipes_of_libraries(tmp_path: Path, libraries: list[str], parts: list[str], printed: str) -> None:
    if missing := [library for library in libraries if find_spec(library) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    output, _ = started(tmp_path, parts).communicate(timeout=300)
    assert output.endswith(printed)


def test_without_torchmetrics_the_metric_says_what_to_install() -> None:
    if find_spec("torchmetrics") is None:
        with pytest.raises(ImportError, match="pip install torchmetrics"):
            import phonxling.torchmetrics  # noqa: F401


@pytest.mark.slow
@pytest.mark.parametrize(("library", "parts"), [("torch", ["ddp", RANK]), ("torchmetrics", [RANK_OF_METRIC])])
def test_two_processes_give_the_rates_of_all(library: str, parts: list[str], tmp_path: Path) -> None:
    if find_spec(library) is None:
        pytest.skip(f"not installed: {library}")
    ranks = [started(tmp_path, parts, str(rank), f"file://{tmp_path}/store") for rank in range(2)]
    printed = [rank.communicate(timeout=300)[0] for rank in ranks]
    whole = px.PhoneErrors()
    whole.update(GOLD, PREDICTED)
    assert printed == [f"{whole.compute().to_dict()}\n"] * 2
