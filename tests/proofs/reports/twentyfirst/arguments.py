"""Threads of a twenty-first list: names of arguments, in a script and in a run file."""

from reports.report import LENGTH, PROMPTS, TEXT, Report, changed

RETIRED = (
    LENGTH
    + """\


def main():
    from datasets import load_dataset
    from trl import GRPOConfig, GRPOTrainer

    max_prompt_length = 96
    max_seq_length = 128
    training_args = GRPOConfig(
        output_dir="outputs",
        temperature=1.0,
        learning_rate=5e-6,
        warmup_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_prompt_length=max_prompt_length,
        max_completion_length=max_seq_length - max_prompt_length,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
    trainer = GRPOTrainer(
        model="model", reward_funcs=[score], args=training_args, train_dataset=dataset
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
)
MISTYPED = """\
import sys

from datasets import load_dataset
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(argv):
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    script_args, training_args, model_args = parser.parse_args_and_config(argv)
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    trainer = SFTTrainer(
        model=model_args.model_name_or_path, args=training_args, train_dataset=dataset
    )
    trainer.train()
    print("learning rate of the run:", trainer.args.learning_rate)


if __name__ == "__main__":
    main(sys.argv[1:] or ["--config", "sft.yaml"])
"""
RUN_FILE = """\
model_name_or_path: model
dataset_name: texts.jsonl
output_dir: sft-from-a-file
leanring_rate: 3.0e-4
max_steps: 1
per_device_train_batch_size: 2
report_to: none
save_strategy: "no"
use_cpu: true
"""
REPORTS = (
    Report(
        "unslothai/unsloth#8330",
        "current",
        "unexpected keyword argument 'max_prompt_length'",
        "max_prompt_length",
        {"train.py": RETIRED, "prompts.jsonl": PROMPTS},
        changed(
            RETIRED,
            ("        max_prompt_length=max_prompt_length,\n", ""),
            (
                '"prompts.jsonl", split="train")\n',
                '"prompts.jsonl", split="train")\n'
                "    dataset = dataset.filter("
                'lambda row: len(row["prompt"]) <= max_prompt_length)\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3543",
        "grpo-first",
        "learning rate of the run: 2e-05",
        "leanring_rate",
        {"train.py": MISTYPED, "texts.jsonl": TEXT, "sft.yaml": RUN_FILE},
        {"sft.yaml": RUN_FILE.replace("leanring_rate", "learning_rate")},
        level="",
    ),
)
