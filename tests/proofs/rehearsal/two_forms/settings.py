"""Settings that no trainer reads, or that it refuses, in two forms."""

from __future__ import annotations

from two_forms.script import TwoForms

ON_TOKENIZER = """\
from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.model_max_length = 32
texts = [f"{n}: " + "one, two, three, " * 10 for n in range(4)]
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
        max_length=32,  #~good
        save_strategy="no", use_cpu=True, bf16=False,
    ),
    train_dataset=Dataset.from_dict({"text": texts}),
    processing_class=tokenizer,
)
trainer.train()
print("AT MOST 32", max(len(row["input_ids"]) for row in trainer.train_dataset) <= 32)
"""


def limited(environment: str, key: str = "max_length") -> TwoForms:
    """The script in an environment whose trainer calls its own limit so."""
    return TwoForms(
        f"a limit is on the tokenizer ({environment})", environment, "tokenizer-limit-not-read",
        ON_TOKENIZER.replace("max_length=32", f"{key}=32"), "AT MOST 32 False", "AT MOST 32 True",
        severity="warning", says=f"rows are cut at {key} 1024, its default",
    )  # fmt: skip


REFUSED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_dict({"text": [f"It is {n}.<|im_end|>" for n in range(8)]})
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", num_train_epochs=1, use_cpu=True, bf16=False, save_strategy="no",
        WRONG,  #~bad
        RIGHT,  #~good
    ),
    train_dataset=rows,
)
trainer.train()
print("TRAINED")
"""

TRACKER, NONE = "training-tracker-unknown", "argument-is-none"
ATTENTION = "argument-attention-unknown"
UNKNOWN = "is not supported, only azure_ml"

REFUSED_VALUES = tuple(
    TwoForms(f"{environment} gets {wrong}", environment, rule,
             REFUSED.replace("WRONG", wrong).replace("RIGHT", right), shows, "TRAINED",
             says=says)
    for environment, rule, wrong, right, shows, says in (
        ("current", TRACKER, "report_to=None", 'report_to="none"', UNKNOWN, " is None"),
        ("four", TRACKER, 'report_to="wandb,tensorboard"', "report_to=[]", UNKNOWN,
         "is 'wandb,tensorboard'"),
        ("grpo-first", TRACKER, 'report_to=["none", "wandb"]', 'report_to=["none"]', UNKNOWN,
         "has 'none'"),
        ("current", NONE, "max_steps=None", "max_steps=1", "NoneType", " is None"),
        ("four", NONE, "per_device_train_batch_size=None", "per_device_train_batch_size=2",
         "NoneType", " is None"),
        ("current", ATTENTION, 'model_init_kwargs={"attn_implementation": "flash_attention"}',
         'model_init_kwargs={"attn_implementation": "sdpa"}', "The only possible arguments",
         "which transformers does not know"),
        ("grpo-first", NONE, "eval_strategy=None", 'eval_strategy="no"',
         "None is not a valid IntervalStrategy", " is None"),
    )
)  # fmt: skip

WRAPPED = """\
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

talks = [[{"role": "user", "content": f"What is {n} and {n}?"},
          {"role": "assistant", "content": f"{n} and {n} is {2 * n}."}] for n in range(24)]
trainer = SFTTrainer(
    "models/healthy",
    args=SFTConfig(
        output_dir="out", max_steps=1, per_device_train_batch_size=2, report_to="none",
        packing=True, max_length=64,
        packing_strategy="wrapped",  #~bad
        save_strategy="no", use_cpu=True, bf16=False,
    ),
    train_dataset=Dataset.from_dict({"messages": talks}),
)
rows = trainer.train_dataset
begins = {trainer.processing_class.decode(row["input_ids"][:1]) for row in rows}
print("EACH BEGINS A TALK", begins == {"<|im_start|>"})
trainer.train()
"""
RESUMED = """from datasets import load_dataset
from transformers import TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
taken = []


class Counts(TrainerCallback):
    def on_step_end(self, args, state, control, **more):
        taken.append(state.global_step)


def made(steps, **more):
    args = SFTConfig(output_dir="out", max_steps=steps, save_steps=2, use_cpu=True, bf16=False,
                     per_device_train_batch_size=2, report_to="none", **more)
    return SFTTrainer("models/healthy", args=args, train_dataset=rows, callbacks=[Counts()])


made(2).train()
taken.clear()
trainer = made(4, resume_from_checkpoint=get_last_checkpoint("out"))
trainer.train()  #~bad
trainer.train(resume_from_checkpoint=trainer.args.resume_from_checkpoint)  #~good
print("THE SECOND BEGINS WITH STEP", taken[0])
"""
WARMUP = """from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train").shuffle(seed=1)
args = SFTConfig(
    output_dir="out", num_train_epochs=1, per_device_train_batch_size=8, learning_rate=1e-4,
    warmup_steps=500,  #~bad
    warmup_steps=1,  #~good
    logging_steps=1, report_to="none", save_strategy="no", use_cpu=True, bf16=False,
)
trainer = SFTTrainer("models/healthy", args=args, train_dataset=rows)
trainer.train()
rates = [entry["learning_rate"] for entry in trainer.state.log_history if "loss" in entry]
print("THE RATE IS REACHED", max(rates) > 5e-5)
"""
ONE = 'rows = load_dataset("json", data_files="rows.jsonl", split="train")'
PARTS = """\
parts = [load_dataset("json", data_files=name, split="train") for name in ("rows.jsonl", "b.jsonl")]
parts[1] = parts[1].map(lambda row, n: {"text": f"{n}. {row['text']}"}, with_indices=True)
rows = concatenate_datasets([part.select_columns(["text"]) for part in parts])"""
MIXED = WARMUP.replace(ONE, PARTS).replace("import load", "import concatenate_datasets, load")
TEXTS = {"rows.jsonl": "".join(f'{{"text": "Row {n} is here."}}\n' for n in range(64))}
"""More rows than a rehearsal takes."""

SCRIPTS = (
    TwoForms("chats are packed and cut", "current", "packing-wrapped-cuts-rows", WRAPPED,
             "EACH BEGINS A TALK False", "EACH BEGINS A TALK True", "warning", "with messages"),
    TwoForms("chats are packed and cut, trl 0.24", "four", "packing-wrapped-cuts-rows", WRAPPED,
             "EACH BEGINS A TALK False", "EACH BEGINS A TALK True", "warning", "with messages"),
    TwoForms("a checkpoint comes through a function", "current", "resume-argument-never-read",
             RESUMED, "STEP 1", "STEP 3", "warning", "and train() does not", TEXTS),
    TwoForms("a warmup is longer than the rows that were cut", "current",
             "argument-warmup-outlasts-run", WARMUP, "THE RATE IS REACHED False",
             "THE RATE IS REACHED True", "warning", "500 steps, but the run has 8", TEXTS),
    TwoForms("a warmup is longer than two files that were cut", "current",
             "argument-warmup-outlasts-run", MIXED, "THE RATE IS REACHED False",
             "THE RATE IS REACHED True", "warning", "500 steps, but the run has 16",
             {**TEXTS, "b.jsonl": TEXTS["rows.jsonl"]}),
    limited("current"),
    limited("four"),
    limited("grpo-first", "max_seq_length"),
    *REFUSED_VALUES,
)  # fmt: skip
