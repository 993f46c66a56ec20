"""Threads of a twenty-first list: how many steps are made, and where they go on."""

from reports.report import TEXT, Report, changed, rows

BROKEN_OFF = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import SFTConfig, SFTTrainer

OUTPUT = "sft-reader"


class HoursOfTheQueue(TrainerCallback):
    \"\"\"The queue ends a job after so many steps, and puts it in again.\"\"\"

    def __init__(self, steps):
        self.left = steps

    def on_step_end(self, args, state, control, **kwargs):
        self.left -= 1
        control.should_training_stop = control.should_training_stop or self.left == 0


def job(first):
    checkpoint = None if first else get_last_checkpoint(OUTPUT)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(checkpoint or "model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        args=SFTConfig(
            output_dir=OUTPUT,
            max_steps=6,
            per_device_train_batch_size=1,
            learning_rate=1e-3,
            lr_scheduler_type="linear",
            warmup_steps=1,
            save_steps=3,
            logging_steps=1,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
        callbacks=[HoursOfTheQueue(3)],
    )
    trainer.train()
    return [entry for entry in trainer.state.log_history if "loss" in entry]


job(first=True)
again = job(first=False)[-3]
print(f"the second job begins with step {again['step']}, at {again['learning_rate']:.1e}")
"""
ONE_BATCH = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    args=SFTConfig(
        output_dir="short",
        max_steps=10,
        per_device_train_batch_size=16,
        dataloader_drop_last=True,
        learning_rate=2e-5,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("short/final")
print("optimizer steps that were made:", trainer.state.global_step)
"""
BEST = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

data = load_dataset("json", data_files={"train": "texts.jsonl", "validation": "valid.jsonl"})
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=data["train"],
    eval_dataset=data["validation"],
    args=SFTConfig(
        output_dir="wiki",
        do_train=True,
        do_eval=True,
        load_best_model_at_end=True,
        max_length=128,
        max_steps=4,
        save_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("best checkpoint:", trainer.state.best_model_checkpoint)
"""
VALID = rows({"text": "The road was long."}, {"text": "Nobody had closed the window."})
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#512",
        "current",
        "the second job begins with step 1",
        "resume_from_checkpoint",
        {"train.py": BROKEN_OFF, "texts.jsonl": TEXT},
        changed(
            BROKEN_OFF,
            ("    trainer.train()\n", "    trainer.train(resume_from_checkpoint=checkpoint)\n"),
        ),
        level="",
    ),
    Report(
        "NVIDIA-NeMo/RL#921",
        "four",
        "optimizer steps that were made: 0",
        "dataloader_drop_last|drop_last|fewer rows|no (full )?batch",
        {"train.py": ONE_BATCH, "texts.jsonl": TEXT},
        changed(ONE_BATCH, ("per_device_train_batch_size=16", "per_device_train_batch_size=2")),
        level="",
    ),
    Report(
        "huggingface/transformers#11931",
        "current",
        "requires the save and eval strategy to match",
        "load_best_model_at_end|eval_strategy",
        {"train.py": BEST, "texts.jsonl": TEXT, "valid.jsonl": VALID},
        changed(
            BEST,
            (
                "        save_steps=2,\n",
                '        save_steps=2,\n        eval_strategy="steps",\n        eval_steps=2,\n',
            ),
        ),
        level="",
    ),
)
