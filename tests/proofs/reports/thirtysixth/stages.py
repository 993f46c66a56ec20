"""Threads of a thirty-sixth list: a second run that continues a first one."""

from reports.report import TEXT, Report, changed

UNFROZEN = '''\
"""Trains the upper layer for two steps, and then, from there, the whole model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

BACKBONE_TRAIN_STEP = 2


def build(frozen, steps):
    model = AutoModelForCausalLM.from_pretrained("model")
    for name, parameter in model.named_parameters():
        parameter.requires_grad = not frozen or "layers.1." in name
    return SFTTrainer(
        model=model,
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        args=SFTConfig(
            output_dir="stages",
            max_steps=steps,
            save_steps=BACKBONE_TRAIN_STEP,
            gradient_checkpointing=False,
            per_device_train_batch_size=2,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
    )


def main():
    build(frozen=True, steps=BACKBONE_TRAIN_STEP).train()
    checkpoint = f"stages/checkpoint-{BACKBONE_TRAIN_STEP}"
    build(frozen=False, steps=4).train(resume_from_checkpoint=checkpoint)


if __name__ == "__main__":
    main()
'''
IGNORED = '''\
"""Fine-tunes, and goes on from a checkpoint if one is named: `--resume_checkpoint folder`."""

import argparse
import sys
from pathlib import Path

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import SFTConfig, SFTTrainer


class Begins(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        print(f"{args.resume_from_checkpoint} was named, training begins at {state.global_step}")


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--resume_checkpoint", default=None)
    return parser.parse_args(words)


def finetune(options):
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        callbacks=[Begins()],
        args=SFTConfig(
            output_dir="tuned",
            max_steps=options.steps,
            save_steps=2,
            resume_from_checkpoint=options.resume_checkpoint,
            per_device_train_batch_size=2,
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()


def main():
    if sys.argv[1:]:
        return finetune(parse(sys.argv[1:]))
    finetune(parse([]))
    finetune(parse(["--steps", "4", "--resume_checkpoint", str(Path("tuned/checkpoint-2"))]))


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "STVIR/pysot#92",
        "four",
        "parameter group",
        r"optimizer|parameter group|resume",
        {"train.py": UNFROZEN, "texts.jsonl": TEXT},
        changed(
            UNFROZEN,
            ("def build(frozen, steps):", 'def build(frozen, steps, path="model"):'),
            (
                'AutoModelForCausalLM.from_pretrained("model")',
                "AutoModelForCausalLM.from_pretrained(path)",
            ),
            (
                "build(frozen=False, steps=4).train(resume_from_checkpoint=checkpoint)",
                "build(frozen=False, steps=2, path=checkpoint).train()",
            ),
        ),
    ),
    Report(
        "kuleshov-group/llmtools#7",
        "current",
        "tuned/checkpoint-2 was named, training begins at 0",
        r"resume",
        {"train.py": IGNORED, "texts.jsonl": TEXT},
        changed(
            IGNORED,
            (
                "    trainer.train()\n",
                "    trainer.train(resume_from_checkpoint=options.resume_checkpoint)\n",
            ),
        ),
    ),
)
