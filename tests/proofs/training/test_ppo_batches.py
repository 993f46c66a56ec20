"""PPO's mini-batches: what PPOTrainer refuses, and what the doctor reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "ppo-batch-not-divisible"
BUILT = """\
import sys
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
try:
    from trl.experimental.ppo import PPOConfig, PPOTrainer
except ImportError:
    from trl import PPOConfig, PPOTrainer
model, reward, parts = *sys.argv[1:3], int(sys.argv[3])
words = AutoTokenizer.from_pretrained(model)
scorer = AutoModelForSequenceClassification.from_pretrained(reward, num_labels=1)
rows = Dataset.from_list([{"input_ids": [5, 6, 7]}] * 8)
args = PPOConfig(output_dir="out", per_device_train_batch_size=2, num_mini_batches=parts,
                 bf16=False, use_cpu=True, report_to="none", num_sample_generations=0)
PPOTrainer(args=args, processing_class=words, model=AutoModelForCausalLM.from_pretrained(model),
           ref_model=AutoModelForCausalLM.from_pretrained(model), reward_model=scorer,
           value_model=scorer, train_dataset=rows, eval_dataset=rows)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "refuses"), [("four", True), ("ppo-last", True), ("grpo-first", False)]
)
def test_mini_batches(
    environment: str, refuses: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    models = [str(ROOT / "fixtures/models" / name) for name in ("healthy", "reward")]
    flags = ("--trainer", "ppo", "--level", "files", "--select", RULE)
    for parts, refused in ((3, refuses), (2, False)):
        process = ran(python, "-c", BUILT, *models, str(parts), cwd=tmp_path)
        assert ("must be a multiple of `num_mini_batches`" in process.stderr) == refused
        assert (process.returncode == 0) != refused, process.stderr[-2000:]
        run = {"per_device_train_batch_size": 2, "num_mini_batches": parts}
        (tmp_path / "run.json").write_text(json.dumps(run))
        outcomes = checks(tmp_path / "run.json", python, *flags, statuses=(0, 1, 3))[RULE]
        assert len(outcomes["findings"]) == refused
