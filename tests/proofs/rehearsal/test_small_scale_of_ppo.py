"""A check that only batches of PPO's own size pass is passed by a rehearsal."""

from __future__ import annotations

from pathlib import Path

from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, measured, rehearsal

PPO = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl.experimental.ppo import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
policy, reference = (
    AutoModelForCausalLM.from_pretrained("models/healthy", dtype=torch.float32) for _ in range(2)
)
reward, value = (
    AutoModelForSequenceClassification.from_pretrained(
        "models/reward", num_labels=1, dtype=torch.float32
    ) for _ in range(2)
)
texts = [f"How is day {n}?" for n in range(96)]
rows = Dataset.from_dict({"input_ids": tokenizer(texts)["input_ids"]})
args = PPOConfig(
    output_dir="out", per_device_train_batch_size=4, gradient_accumulation_steps=4,
    num_mini_batches=2, whiten_rewards=True, stop_token="eos", response_length=8,
    total_episodes=48, num_ppo_epochs=1, num_sample_generations=0, report_to="none", bf16=False,
    use_cpu=True, learning_rate=1e-5,
)
trainer = PPOTrainer(
    args, tokenizer, policy, reference, reward, rows, value, eval_dataset=rows.select(range(8))
)
trainer.train()
assert (args.num_total_batches, args.mini_batch_size) == (3, 8)
trainer.save_model("out/final")
"""


def test_ppo_is_looked_at_again_with_its_own_sizes(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("ppo-last")
    (tmp_path / "train.py").write_text(PPO)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    _, report = rehearsal(tmp_path, python, "train.py")
    assert findings_by_rule(report) == {}
    assert measured(report)["reached"] == "end"
