"""Prompts of PPO and of older RLOO, padded on the right: what the policy answers to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

RULE = "tokenizer-pads-on-the-right"
SCRIPT = """\
import sys
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
try:
    from trl.experimental.ppo import PPOConfig, PPOTrainer
except ImportError:
    from trl import PPOConfig, PPOTrainer
from trl import RLOOConfig, RLOOTrainer
words = AutoTokenizer.from_pretrained("model")
policy = AutoModelForCausalLM.from_pretrained("model")
old = AutoModelForCausalLM.from_pretrained("model")
scorer = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
texts = ["What is two plus two?", "Hi", "Tell me a story about the sea and its ships", "Sum: 1"]
rows = Dataset.from_list([{"input_ids": words.encode(text)} for text in texts])
args = PPOConfig("out", per_device_train_batch_size=4, total_episodes=4, response_length=5,
                 temperature=0.001, bf16=False, use_cpu=True, report_to="none",
                 num_sample_generations=0)
trainer = PPOTrainer(args=args, processing_class=words, model=policy, ref_model=old,
                     reward_model=scorer, value_model=scorer, train_dataset=rows)
trainer.train()
"""
WATCHED = """
import importlib, torch
home = importlib.import_module(type(trainer).__module__)
inner = home.batch_generation
def watched(model, queries, *given, **more):
    found = inner(model, queries, *given, **more)
    for query, whole in zip(queries, found[0]):
        ids = query[query != words.pad_token_id]
        alone = old.generate(ids[None], do_sample=False, max_new_tokens=5)[0, len(ids):]
        print("SAME" if whole[len(query):].equal(alone) else "OTHER", len(ids))
    return found
home.batch_generation = watched
trainer.train()
"""


FIRST = {
    "(args=args": "(config=args",
    " model=policy": " policy=policy",
    "ref_model=old": "ref_policy=old",
}
RLOO = {
    **FIRST,
    "args = PPOConfig(": "args = RLOOConfig(rloo_k=2, output_dir=",
    "trainer = PPOTrainer": "trainer = RLOOTrainer",
    "value_model=scorer, ": "",
}
"""What the first PPOTrainer and the older RLOOTrainer call the same things."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "names"), [("ppo-first", FIRST), ("ppo-last", {}), ("grpo-shapes", RLOO)]
)
def test_shorter_prompts_are_answered_after_their_padding(
    environment: str, names: dict[str, str], tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    for name, folder in (("healthy", "model"), ("reward", "reward")):
        (tmp_path / folder).symlink_to(ROOT / "fixtures/models" / name)
    file = tmp_path / "train.py"
    for side, hurt in (("right", True), ("left", False)):
        script = SCRIPT.replace('("model")\npolicy', f'("model", padding_side="{side}")\npolicy')
        for name, older in names.items():
            script = script.replace(name, older)
        watched = script.replace("trainer.train()\n", WATCHED)
        process = ran(python, "-c", watched, cwd=tmp_path)
        answers = [line for line in process.stdout.splitlines() if line[:5] in ("SAME ", "OTHER")]
        assert len(answers) == 4, process.stderr[-2000:]
        assert any(line.startswith("OTHER") for line in answers) == hurt, answers
        file.write_text(script)
        outcomes = checks(file, python, "--level", "files", "--select", RULE, statuses=(0, 1, 3))
        assert len(outcomes[RULE]["findings"]) == hurt, outcomes[RULE]
        if hurt and environment != "ppo-first":  # one look at the live tokenizer of each trainer
            assert RULE in findings_by_rule(rehearsal(tmp_path, python, "train.py")[1])
