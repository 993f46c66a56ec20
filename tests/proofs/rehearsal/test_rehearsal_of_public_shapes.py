"""A script as people publish them, with all that only the job's machine has, comes to its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laid import ROOT, Interpreter
from rehearsed import SFT
from rehearsing import findings_by_rule, measured, rehearsal

SCRIPT = """\
import os
import torch
from datasets import load_dataset
from huggingface_hub import login
from transformers import AutoModelForCausalLM, AutoTokenizer, EarlyStoppingCallback
from trl import GRPOConfig, GRPOTrainer

assert torch.cuda.is_available(), "change the runtime"
login(os.environ["HF_TOKEN"])
name = os.environ["RUN_NAME"]
out = "/no-such-workspace/runs"
os.makedirs(out, exist_ok=True)
weights = torch.ones(2, device="cuda")
with torch.device("meta"):
    assert torch.empty(1).is_meta, "transformers makes models so before it loads them"
tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-3B")
rows = load_dataset("org/pairs", split="train").filter(lambda row: row["score"] > 8)
rows = rows.map(lambda row: {"prompt": [{"role": "user", "content": row["chosen"][0]["content"]}]})
print(rows[45]["prompt"])

def score(completions, **kwargs):
    return [float(len(one[0]["content"]) % 3) for one in completions]

args = GRPOConfig(
    output_dir="out", run_name=name, beta=0.01, eval_strategy="steps", eval_steps=5,
    metric_for_best_model="reward", load_best_model_at_end=True, save_steps=5,
    model_init_kwargs={"attn_implementation": "flash_attention_2"},
)
trainer = GRPOTrainer(model="Qwen/Qwen2.5-3B", reward_funcs=score, args=args, train_dataset=rows,
                      eval_dataset=rows, processing_class=tokenizer,
                      callbacks=[EarlyStoppingCallback(early_stopping_patience=3)])
trainer.train()
trainer.save_model(out + "/final")
with torch.cuda.device(0):
    AutoModelForCausalLM.from_pretrained(out + "/final").to("cuda:0")
torch.save(weights, out + "/weights.pt")
assert torch.load(out + "/weights.pt", map_location="cuda").sum() == 2
assert sorted(os.listdir(out)) == ["final", "weights.pt"]
"""


@pytest.mark.slow
def test_it_comes_to_its_end(
    interpreter: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.delenv("RUN_NAME", raising=False)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    python = interpreter("current")
    status, report = rehearsal(tmp_path, python, "--offline", "train.py")
    failure = measured(report)["failure"]
    assert (failure["kind"], failure["line"]) == ("variable", 10)
    assert status == 1  # what reading the script shows is a finding all the same
    assert set(findings_by_rule(report)) == {"flash-attention-not-installed"}
    again = f": RUN_NAME=… trl-doctor rehearse --python {python} train.py"
    assert failure["remedy"].endswith(again)
    monkeypatch.setenv("RUN_NAME", "first")
    _, report = rehearsal(tmp_path, python, "--offline", "train.py")
    assert measured(report)["reached"] == "end"
    assert set(findings_by_rule(report)) == {"flash-attention-not-installed"}
    assert "hf_secret" not in str(report)
    assert not Path("/no-such-workspace").exists()


def test_a_notebook_names_files_from_its_own_folder(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """Started from the folder above, as the job is; its names begin at the notebook."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "notebooks").mkdir()
    text = SFT.replace('"models/healthy"', '"../models/healthy"')
    text = text.replace(
        "[talk] * 50", "[[{**talk[0], 'content': f'{n}?'}, talk[1]] for n in range(50)]"
    )
    cell = {"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": []}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks/train.ipynb").write_text(json.dumps(book))
    status, report = rehearsal(tmp_path, interpreter("current"), "notebooks/train.ipynb")
    assert (status, measured(report)["reached"], findings_by_rule(report)) == (0, "end", {}), report


ON_A_GPU = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

stream = torch.cuda.Stream()
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
generator = torch.Generator(device="cuda").manual_seed(3)
assert isinstance(torch.Generator(), torch.Generator)
assert isinstance(torch.default_generator, torch.Generator)
noise = torch.randn(4, generator=generator, device="cuda")
start.record()
with torch.cuda.stream(stream):
    noise = noise.pin_memory().to("cuda", non_blocking=True) * 2
    noise.record_stream(torch.cuda.current_stream())
torch.cuda.current_stream().wait_stream(stream)
end.record()
torch.cuda.synchronize()
print(1 / start.elapsed_time(end), torch.cuda.max_memory_allocated() / 2**30)
print(torch.cuda.memory_stats()["allocated_bytes.all.peak"])
torch.cuda.memory._record_memory_history(max_entries=1000)
torch.cuda.nvtx.range_push("load")
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
with torch.device("cuda"):
    mask = torch.zeros(3).new_ones(3, device="cuda")
model = AutoModelForCausalLM.from_pretrained("models/healthy").to("cuda")
torch.cuda.nvtx.range_pop()
answer = {"role": "assistant", "content": "One, two."}
talks = [[{"role": "user", "content": f"Count to {n}."}, answer] for n in range(50)]
trainer = SFTTrainer(model=model, args=SFTConfig(output_dir="out", learning_rate=1e-4, bf16=True),
                     train_dataset=Dataset.from_dict({"messages": talks}),
                     processing_class=tokenizer)
trainer.train()
"""


@pytest.mark.parametrize(("environment", "words"), [("current", ()), ("four", ()),
                                                    ("cluster", ("--processes", "2"))])  # fmt: skip
def test_what_only_a_gpu_has_is_stood_in_for(
    environment: str, words: tuple[str, ...], interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(ON_A_GPU)
    status, report = rehearsal(tmp_path, interpreter(environment), *words, "train.py")
    measures = measured(report)
    assert (status, measures["reached"], findings_by_rule(report)) == (0, "end", {}), measures
    changed = {name: used for name, _, used, _ in measures["changed"]}
    names = ("torch.cuda.Stream()", "torch.cuda.Event()", "torch.Generator()")
    assert [changed[name] for name in names] == ["a stand-in"] * 3
