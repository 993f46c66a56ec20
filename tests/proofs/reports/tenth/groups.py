"""Threads that searches for errors found: scripts of one project."""

from reports.report import PAIRS, TEXT, Report, changed, rows

CARD = """\
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoTokenizer, set_seed
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, get_peft_config

RUN = [
    "--model_name_or_path", "model", "--dataset_name", "json", "--learning_rate", "2.0e-5",
    "--max_steps", "1", "--packing", "false", "--max_seq_length", "128", "--logging_steps", "5",
    "--per_device_train_batch_size", "2", "--gradient_accumulation_steps", "1",
    "--output_dir", "data/Qwen2.5-1.5B-Open-R1-Distill", "--report_to", "none",
    "--save_strategy", "no", "--use_cpu", "true",
]


def main(script_args, training_args, model_args):
    set_seed(training_args.seed)
    dataset = load_dataset(script_args.dataset_name, data_files={"train": "rows.jsonl"})
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset[script_args.dataset_train_split],
        processing_class=tokenizer,
        peft_config=get_peft_config(model_args),
    )
    train_result = trainer.train()
    metrics = train_result.metrics
    metrics["train_samples"] = len(dataset[script_args.dataset_train_split])
    trainer.log_metrics("train", metrics)
    trainer.save_metrics("train", metrics)
    trainer.save_state()
    trainer.save_model(training_args.output_dir)

    # Save everything else on main process
    kwargs = {
        "finetuned_from": model_args.model_name_or_path,
        "dataset": list(script_args.dataset_name),
        "dataset_tags": list(script_args.dataset_name),
        "tags": ["open-r1"],
    }
    if trainer.accelerator.is_main_process:
        trainer.create_model_card(**kwargs)
        trainer.model.config.use_cache = True
        trainer.model.config.save_pretrained(training_args.output_dir)


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(RUN))
"""
NEVER = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def accuracy_reward(completions, solution, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if sol in one else len(one) / 100 for one, sol in zip(contents, solution)]


def format_reward(completions, **kwargs):
    \"\"\"Reward function that checks if the completion has a specific format.\"\"\"
    pattern = r"^<think>.*?</think><answer>.*?</answer>$"
    completion_contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content) for content in completion_contents]
    return [1.0 if match else 0.0 for match in matches]


SYSTEM_PROMPT = (
    "A conversation between User and Assistant. The assistant first thinks about the reasoning "
    "process in the mind and then provides the user with the answer. The reasoning process and "
    "answer are enclosed within <think> </think> and <answer> </answer> tags, respectively."
)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(
    lambda x: {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": x["problem"]},
        ]
    }
)
training_args = GRPOConfig(
    output_dir="Qwen2.5-Math-7B-Simple-RL",
    max_completion_length=8,
    num_generations=2,
    per_device_train_batch_size=2,
    logging_steps=1,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward, format_reward],
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
good = "<think>\\nSix sevens are\\n42.\\n</think>\\n<answer>\\n42\\n</answer>"
print("format reward of a good answer:", format_reward([[{"content": good}]]))
"""
PROBLEMS = rows(*({"problem": a, "solution": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "huggingface/open-r1#148",
        "grpo-silent",
        "create_model_card\\(\\) got an unexpected keyword argument 'finetuned_from'",
        "finetuned_from|create_model_card",
        {"train.py": CARD, "rows.jsonl": TEXT},
        changed(
            CARD,
            ('"finetuned_from": model_args', '"model_name": model_args'),
            ('"dataset": list(script_args.dataset_name)', '"dataset_name": "rows"'),
            ('        "dataset_tags": list(script_args.dataset_name),\n', ""),
        ),
        level="",
    ),
    Report(
        "huggingface/open-r1#235",
        "grpo-silent",
        "format reward of a good answer: \\[0.0\\]",
        "DOTALL|line break|new ?line",
        {"train.py": NEVER, "rows.jsonl": PROBLEMS},
        changed(
            NEVER,
            ("</think><answer>.*?", "</think>\\s*<answer>.*?"),
            ("re.match(pattern, content)", "re.match(pattern, content, re.DOTALL)"),
        ),
    ),
)
