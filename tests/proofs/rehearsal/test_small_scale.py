"""What only the small scale of a rehearsal does is not said of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, measured, rehearsal

BEGIN = """\
import torch
import trl
from collections import Counter
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy", dtype="float32")
common = dict(
    output_dir="out", learning_rate=1e-4, report_to="none", bf16=False, use_cpu=True, max_steps=4
)
rows = load_dataset("json", data_files="rows.jsonl", split="train")
"""
SFT = """\
rows = rows.select_columns(["prompt", "completion"])
trainer = trl.SFTTrainer(
    model, args=trl.SFTConfig(**{**common, **MORE}), train_dataset=rows,
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("out")
"""
KTO = SFT.replace("SFT", "KTO").replace('"completion"', '"completion", "label"')
GRPO = """\
args = trl.GRPOConfig(**{**common, **MORE})
trainer = trl.GRPOTrainer(
    model, args=args, train_dataset=rows.select_columns(["prompt"]), reward_funcs=reward,
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("out")
"""
GROUPS = "dict(per_device_train_batch_size=12, num_generations=6, max_completion_length=32)"
LOSS = """\
class Trainer(trl.SFTTrainer):
    def compute_loss(self, model, inputs, *args, **more):
        assert inputs["input_ids"].shape[0] == self.args.per_device_train_batch_size
        return super().compute_loss(model, inputs, *args, **more)


"""
SAMPLER = """\
class Trainer(trl.SFTTrainer):
    def _get_train_sampler(self, dataset=None):
        return torch.utils.data.WeightedRandomSampler([1.0] * len(rows), len(rows))


"""
SAVING = """\
class Saved(TrainerCallback):
    steps = []

    def on_save(self, args, state, control, **more):
        self.steps.append(state.global_step)


"""
METRICS = """\
kept = []


def metrics(result, compute_result=False):
    kept.append(len(result.label_ids))
    if compute_result:
        assert len(kept) == 8, kept
        kept.clear()
    return {"batches": 8.0}


"""
LOADER = """\
class Trainer(trl.SFTTrainer):
    def get_train_dataloader(self):
        loader = super().get_train_dataloader()
        assert len(loader) == 50, len(loader)
        return loader


"""
LOGS = """\
class Log(TrainerCallback):
    def __init__(self):
        self.losses = []

    def on_log(self, args, state, control, logs=None, **more):
        self.losses += [logs["loss"]] if "loss" in logs else []


log = Log()
"""
COUNTED = """\
class Counted(TrainerCallback):
    logs = 0

    def on_log(self, args, state, control, **more):
        Counted.logs += 1


"""
RUNS = {
    "rows are counted": ("assert len(rows) == 400\n" + SFT, "{}"),
    "rows are split by counts": (
        "rows = rows.train_test_split(test_size=100, seed=0)['train']\n"
        "if len(rows) != 300:\n    raise SystemExit('too few rows')\n" + SFT, "{}"),
    "the first rows have one label": (
        "count = Counter(rows['label'])\nrows = rows.shuffle(seed=0)\n"
        'common["desirable_weight"] = count[False] / count[True]\n' + KTO,
        "dict(per_device_train_batch_size=4)"),
    "steps are counted": (
        SFT + "losses = [entry['loss'] for entry in trainer.state.log_history if 'loss' in entry]\n"
        "assert len(losses) == 4\n", "dict(logging_steps=1, per_device_train_batch_size=4)"),
    "checkpoints are named by a number": (
        SFT + "states = [AutoModelForCausalLM.from_pretrained(f'out/checkpoint-{n}').state_dict()"
        " for n in (2, 4)]\nmodel.load_state_dict({k: (states[0][k] + states[1][k]) / 2"
        " for k in states[0]})\n", "dict(save_steps=2)"),
    "savings are counted": (
        SAVING + SFT.replace("args=", "callbacks=[Saved()], args=")
        + "assert Saved.steps == [3, 4], Saved.steps\n", "dict(save_steps=3)"),
    "a loss of full batches": (
        LOSS + SFT.replace("trl.SFTTrainer", "Trainer"), "dict(per_device_train_batch_size=8)"),
    "an order of all rows": (SAMPLER + SFT.replace("trl.SFTTrainer", "Trainer"), "{}"),
    "rewards of groups": (
        "def reward(completions, **more):\n    lengths = torch.tensor([float(len(set(text)))"
        " for text in completions])\n    groups = lengths.view(-1, 6)\n"
        "    return (groups - groups.mean(1)[:, None]).flatten().tolist()\n\n\n" + GRPO, GROUPS),
    "rewards that count completions": (
        "def reward(completions, **more):\n    assert len(completions) == 12\n"
        "    return [float(len(set(text))) for text in completions]\n\n\n" + GRPO, GROUPS),
    "calls of a reward are counted": (
        "calls = []\n\n\ndef reward(completions, **more):\n    calls.append(len(completions))\n"
        "    return [float(len(set(text))) for text in completions]\n\n\n" + GRPO
        + "assert set(calls) == {12}, calls\n", GROUPS),
    "batches of an evaluation are counted": (
        METRICS + SFT.replace("train_dataset=rows", "train_dataset=rows.select(range(300)), "
                              "eval_dataset=rows.select(range(300, 364)), compute_metrics=metrics, "
                              "preprocess_logits_for_metrics=lambda logits, labels: labels"),
        'dict(eval_strategy="steps", eval_steps=2, batch_eval_metrics=True, save_strategy="no", '
        'per_device_train_batch_size=4)'),
    "checkpoints are looked for": (
        "import glob\n" + SFT + "assert len(glob.glob('out/checkpoint-*')) == 2\n",
        "dict(save_steps=2)"),
    "batches are counted in the trainer": (
        LOADER + SFT.replace("trl.SFTTrainer", "Trainer"), "dict(per_device_train_batch_size=8)"),
    "a schedule of its own kind": (
        SFT, "dict(lr_scheduler_type='cosine_with_min_lr', warmup_steps=2, "
        "lr_scheduler_kwargs={'min_lr': 1e-6})"),
    "long rows are packed": (
        'rows = rows.select(range(32)).map(lambda row: {"prompt": row["prompt"] * 120})\n' + SFT,
        "dict(packing=True, max_length=4096, per_device_train_batch_size=1, max_steps=1)"),
}  # fmt: skip


def laid_out(folder: Path, body: str, more: str) -> None:
    (folder / "train.py").write_text(BEGIN + body.replace("MORE", more))
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    with (folder / "rows.jsonl").open("w") as file:
        for n in range(400):
            row = {"prompt": f"How is day {n}?", "completion": f" It is day {n}.",
                   "label": n < 200}  # fmt: skip
            file.write(json.dumps(row) + "\n")


@pytest.mark.parametrize("name", RUNS)
def test_no_error_is_said_of_a_run_that_is_healthy(
    name: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    laid_out(tmp_path, *RUNS[name])
    _, report = rehearsal(tmp_path, python, "train.py")
    findings = findings_by_rule(report)
    assert set(findings) <= {"data-prompts-skip-chat-template"}, findings
    assert measured(report)["reached"] == "end"
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ("assert len(rows) > 4000\n" + SFT, "{}"),
        (SFT + "assert trainer.state.global_step == 40\n", "dict(max_steps=40)"),
        (LOGS + SFT.replace("args=", "callbacks=[log], args=")
         + "assert len(log.losses) == 2, log.losses\n", "dict(logging_steps=2)"),
        (COUNTED + SFT.replace("trainer.train", "trainer.add_callback(Counted())\ntrainer.train")
         + "assert Counted.logs == 5, Counted.logs\n", "dict(logging_steps=10, max_steps=40)"),
        ("import json\n" + SFT + "trainer.save_state()\n"
         "log = json.load(open('out/trainer_state.json'))['log_history']\n"
         "assert len(log) == 5, len(log)\n", "dict(logging_steps=10, max_steps=40)"),
        ("stream = load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)\n"
         "assert len(list(stream)) == 5001\n" + SFT, "{}"),
        ("if common['max_steps'] < 3:\n    raise ValueError('few')\n"
         "args = trl.SFTConfig(**common, dataloader_num_workers=2)\n"
         "assert args.dataloader_num_workers == 2\n" + SFT, "{}"),
    ],
)  # fmt: skip
def test_a_check_of_more_than_a_rehearsal_has_is_not_known(
    body: str, more: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    laid_out(tmp_path, body, more)
    with (tmp_path / "rows.jsonl").open("a") as file:
        for n in range(400, 5000):
            file.write(json.dumps({"prompt": f"{n}?", "completion": " So.", "label": True}) + "\n")
    _, report = rehearsal(tmp_path, interpreter("current"), "train.py")
    assert "script-fails" not in findings_by_rule(report)
    assert measured(report)["failure"]["kind"] == "shortened"


@pytest.mark.parametrize(
    ("body", "more", "said"),
    [
        ("assert len(rows) == 401\n" + SFT, "{}", "AssertionError"),
        ("rows = rows.shuffle(seed=1).select(range(500))\n" + SFT, "{}", "of size 400"),
        ("rows = rows.train_test_split(500)['train']\n" + SFT, "{}", "number of samples 400"),
        ("rows = rows.train_test_split(0.5)['test'].select(range(250))\n" + SFT, "{}",
         "of size 200"),
        ("print(rows[450])\n" + SFT, "{}", "size 400"),
        (SFT, "dict(lr_scheduler_type='cosine_with_min_lr')", "One of min_lr or min_lr_rate"),
        (SFT, "dict(dataloader_persistent_workers=True)", "needs num_workers > 0"),
    ],
)  # fmt: skip
def test_what_all_rows_of_the_run_raise_is_an_error(
    body: str, more: str, said: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter("current")
    laid_out(tmp_path, body, more)
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode and said in process.stderr
    _, report = rehearsal(tmp_path, python, "train.py")
    findings = findings_by_rule(report)
    errors = [*findings.get("script-fails", ()), *findings.get("step-raises", ())]
    assert said in str(errors)
