"""A script as people publish them, with all that only the job's machine has, comes to its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_rehearsal import found, measured, rehearsal

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
    interpreter: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    monkeypatch.delenv("RUN_NAME", raising=False)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    failure = measured(report)["failure"]
    assert (status, failure["kind"], failure["line"]) == (3, "variable", 10)
    assert failure["remedy"].endswith(": RUN_NAME=… trl-doctor rehearse train.py")
    monkeypatch.setenv("RUN_NAME", "first")
    _, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.py")
    assert measured(report)["reached"] == "end"
    assert set(found(report)) == {"flash-attention-not-installed"}
    assert "hf_secret" not in str(report)
    assert not Path("/no-such-workspace").exists()
