"""Rewards that look wrong and are not: places in a call, a log of weight 0, a wanted length."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

PRIZES, WEIGHTS, LAST = [1.0, 0.6, 0.3, 0.0], [0.7, 0.3], []


def near(text, wanted):
    return 1 / (1 + abs(len(text) - wanted))


def podium(completions, target, **kwargs):
    scores = [near(c[0]["content"], t) for c, t in zip(completions, target)]
    rewards = [0.0] * len(scores)
    for place, at in enumerate(sorted(range(len(scores)), key=lambda at: -scores[at])):
        rewards[at] = PRIZES[min(place, 3)]
    return rewards


def length(completions, target, **kwargs):
    LAST.clear()
    for completion, wanted in zip(completions, target):
        parts = [near(completion[0]["content"], wanted), completion[0]["content"].count(" ") / 99]
        LAST.append(sum(WEIGHTS[i] * parts[i] for i in range(len(parts))))
    return [LAST[i] for i in range(len(completions))]


def log(completions, target, **kwargs):
    scores = [near(c[0]["content"], t) for c, t in zip(completions, target)]
    return [sum(scores) / len(scores)] * len(scores)


rows = Dataset.from_list([{"prompt": [{"role": "user", "content": f"Write {n} letters."}],
                           "target": n} for n in (30, 40, 60, 80) * 4])
GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"), train_dataset=rows,
    reward_funcs=[podium, length, log],
    processing_class=AutoTokenizer.from_pretrained("models/healthy"),
    args=GRPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=4,
                    num_generations=4, max_completion_length=64, reward_weights=[1.0, 1.0, 0.0],
                    learning_rate=1e-2, use_cpu=True, bf16=False, report_to="none"),
).train()
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_healthy_rewards_are_not_accused(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(SCRIPT)
    _, report = rehearsal(tmp_path, interpreter(environment), "train.py")
    found = findings_by_rule(report)
    assert not [name for name in found if name.startswith("reward-")], found
