"""Scripts of TRL's experimental trainers run for real, and a rehearsal finds nothing in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.experimental.{module} import {name}Config, {name}Trainer


def asked(n):
    return [{{"role": "user", "content": f"What is {{n}} plus {{n + 1}}?"}}]


def said(text):
    return [{{"role": "assistant", "content": text}}]


def digits(completions, **kwargs):
    texts = [done if isinstance(done, str) else done[0]["content"] for done in completions]
    return [float(sum(letter.isdigit() for letter in text)) for text in texts]


tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
args = {name}Config(
    output_dir="out", max_steps=2, per_device_train_batch_size=8, learning_rate=1e-5, bf16=False,
    {limit}report_to="none",
)
trainer = {name}Trainer(
    model=model,
    args=args,
    train_dataset=Dataset.from_list([{row} for n in range(64)]),
    processing_class=tokenizer,
    {scored}
)
trainer.train()
"""
PROMPT = '{"prompt": asked(n)}'
TRIPLE = (
    '{"prompt": asked(n), "chosen": said(f"{2 * n + 1}."), "rejected": said(f"{n}, I think."), '
    '"reference": said(f"It is {2 * n + 1}.")}'
)


@dataclass(frozen=True)
class Experimental:
    """A trainer, the row that it gets, and the argument that keeps its completions short."""

    module: str
    name: str
    row: str = PROMPT
    limit: str = "max_completion_length=16, "

    @property
    def script(self) -> str:
        scored = "reward_funcs=digits," if self.limit else ""
        return SCRIPT.format(
            module=self.module, name=self.name, row=self.row, limit=self.limit, scored=scored
        )


TRAINERS = (
    Experimental("tpo", "TPO", TRIPLE, limit=""),
    Experimental("a2po", "A2PO"),
    Experimental("gmpo", "GMPO"),
    Experimental("online_dpo", "OnlineDPO", limit="max_new_tokens=16, "),
)


@pytest.mark.slow
@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: trainer.name)
def test_a_healthy_script_passes(
    trainer: Experimental, interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(trainer.script)
    process = ran(interpreter("current"), "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    status, report = rehearsal(tmp_path, interpreter("current"), "train.py")
    assert (status, findings_by_rule(report)) == (0, {})
