"""What only the run's own counts make fail, and a small rehearsal passes, is told all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter
from rehearsing import findings_by_rule, rehearsal
from test_small_scale import GROUPS, GRPO, SFT, laid_out

PAIRS = """\
class Pairs:
    def __call__(self, examples):
        assert len(examples) % 2 == 0, f"{len(examples)} rows are no pairs"
        joined = [a["input_ids"] + b["input_ids"] for a, b in zip(examples[::2], examples[1::2])]
        batch = tokenizer.pad({"input_ids": joined}, return_tensors="pt")
        mask = batch["attention_mask"] == 0
        return {**batch, "labels": batch["input_ids"].masked_fill(mask, -100)}


rows = rows.map(lambda row: {"text": row["prompt"] + row["completion"]})
"""
OF_PAIRS = SFT.replace('"prompt", "completion"', '"text"').replace(
    "args=", "data_collator=Pairs(), args=")  # fmt: skip
EPOCH = "max_steps=-1, num_train_epochs=1"
PLACES = """\
PLACES = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]


def reward(completions, **more):
    order = sorted(range(len(completions)), key=lambda at: -len(set(completions[at])))
    places = dict(zip(order, PLACES, strict=True))
    return [places[at] for at in range(len(completions))]


"""
LOADER = """\
class Trainer(trl.SFTTrainer):
    def get_train_dataloader(self):
        size = self.args.per_device_train_batch_size
        loader = torch.utils.data.DataLoader(
            self.train_dataset, batch_size=size, drop_last=True, collate_fn=self.data_collator
        )
        return self.accelerator.prepare(loader)


"""
SAMPLER = """\
class Trainer(trl.SFTTrainer):
    def _get_train_sampler(self, *args):
        return [*range(40), 400, *range(40, 400)]


"""
EVALUATED = (
    'eval_strategy="steps", save_strategy="steps", eval_steps=2, save_steps=2, '
    "load_best_model_at_end=True, dataloader_drop_last=True, per_device_train_batch_size=4"
)
HELD_OUT = SFT.replace('"completion"])', '"completion"]).train_test_split(FEW, seed=0)').replace(
    "train_dataset=rows", 'train_dataset=rows["train"], eval_dataset=rows["test"]')  # fmt: skip
FEW = "rows = rows.select(range(12))\n"
TRUE = {
    "a remainder that 64 rows do not have": (
        "rows = rows.select(range(391))\nassert len(rows) % 4 == 0, len(rows)\n" + SFT, "{}",
        "script-fails"),
    "a reward for so many completions": (PLACES + GRPO, GROUPS, "reward-raises"),
    "a collator of pairs": (
        "rows = rows.select(range(399))\n" + PAIRS + OF_PAIRS,
        f"dict({EPOCH}, per_device_train_batch_size=18)", "batch-size-fixed-in-loss"),
    "a loader without a batch": (
        LOADER + FEW + SFT.replace("trl.SFTTrainer", "Trainer"), f"dict({EPOCH}, "
        "per_device_train_batch_size=16)", "run-takes-no-step"),
    "an order of more rows than there are": (
        SAMPLER + SFT.replace("trl.SFTTrainer", "Trainer"), f"dict({EPOCH})", "step-raises"),
    "packed into one row": (
        FEW + SFT, f"dict({EPOCH}, packing=True, max_length=2048, dataloader_drop_last=True, "
        "per_device_train_batch_size=4)", "run-takes-no-step"),
    "an evaluation that is dropped": (
        HELD_OUT.replace("FEW", "5"), f"dict({EVALUATED})", "evaluation-raises"),
}  # fmt: skip
HEALTHY = {
    "a remainder that all rows have": ("assert len(rows) % 16 == 0\n" + SFT, "{}"),
    "a reward for so many completions": (
        PLACES + GRPO, "dict(per_device_train_batch_size=6, num_generations=6, "
        "max_completion_length=32)"),
    "a collator of pairs, and rows that divide": (
        PAIRS + OF_PAIRS, f"dict({EPOCH}, per_device_train_batch_size=20)"),
    "a collator of pairs, and few steps": (
        PAIRS + OF_PAIRS, "dict(max_steps=6, per_device_train_batch_size=6)"),
    "a loader with one batch": (
        LOADER + FEW + SFT.replace("trl.SFTTrainer", "Trainer"), f"dict({EPOCH}, "
        "per_device_train_batch_size=12)"),
    "an evaluation of one batch": (HELD_OUT.replace("FEW", "8"), f"dict({EVALUATED})"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_what_the_small_scale_hides_is_an_error(
    name: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    body, more, rule = TRUE[name]
    laid_out(tmp_path, body, more)
    assert ran(python, "train.py", cwd=tmp_path).returncode
    _, report = rehearsal(tmp_path, python, "train.py")
    (finding,) = findings_by_rule(report)[rule]
    assert finding["severity"] == "error"


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_said_where_the_counts_are_right(
    name: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    laid_out(tmp_path, *HEALTHY[name])
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    _, report = rehearsal(tmp_path, python, "train.py")
    assert set(findings_by_rule(report)) <= {"data-prompts-skip-chat-template"}
