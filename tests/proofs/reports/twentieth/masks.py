"""Threads of a twentieth list: which tokens of a row are trained."""

from reports.report import PAIRS, Report, changed, rows, turn

PROBLEMS = rows(*({"problem": a, "solution": b} for a, b in PAIRS))
NECTAR_ROWS = rows(
    *(
        {
            "prompt": [
                turn("user", "Hello!"),
                turn("assistant", "What can I do for you?"),
                turn("user", asked),
            ],
            "answers": [
                {"answer": "I do not know.", "model": "weak", "rank": 2},
                {"answer": answer, "model": "strong", "rank": 1},
            ],
        }
        for asked, answer in PAIRS
    )
)
FULL_SEQUENCE = """\
from dataclasses import dataclass

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import ModelConfig, SFTConfig, SFTTrainer, TrlParser

INSTRUCTION = "Reason step by step, and put the final answer in a box."


@dataclass
class DataConfig:
    data_file: str = "problems.jsonl"


def make_format_fn(tokenizer):
    def format_example(example):
        message = {"role": "user", "content": f"{example['problem']}\\n\\n{INSTRUCTION}"}
        prompt = tokenizer.apply_chat_template(
            [message], tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        return {"text": prompt + example["solution"] + "<|im_end|>"}

    return format_example


def main():
    parser = TrlParser((DataConfig, SFTConfig, ModelConfig))
    data_args, training_args, model_args = parser.parse_args_and_config(
        ["--config", "sft_baseline.yaml"]
    )
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    raw = load_dataset("json", data_files=data_args.data_file, split="train")
    dataset = raw.map(make_format_fn(tokenizer), remove_columns=raw.column_names)
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    batch = next(iter(trainer.get_train_dataloader()))
    trained = batch["input_ids"][batch["labels"] != -100]
    print("the problems are trained:", INSTRUCTION in tokenizer.decode(trained))


if __name__ == "__main__":
    main()
"""
BASELINE_CONFIG = """\
model_name_or_path: model
output_dir: sft_baseline
max_length: 512
max_steps: 1
per_device_train_batch_size: 4
learning_rate: 1.0e-5
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
NECTAR = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

# the first turns are from a weak model, the best of the last answers is what is to be learnt
nectar = load_dataset("json", data_files="nectar.jsonl", split="train")


def to_chat(row):
    best = min(row["answers"], key=lambda answer: answer["rank"])
    return {"messages": row["prompt"] + [{"role": "assistant", "content": best["answer"]}]}


tokenizer = AutoTokenizer.from_pretrained("model")
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=tokenizer,
    train_dataset=nectar.map(to_chat, remove_columns=nectar.column_names),
    args=SFTConfig(
        output_dir="nectar-sft",
        max_steps=1,
        per_device_train_batch_size=4,
        learning_rate=2e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
trained = tokenizer.decode(batch["input_ids"][batch["labels"] != -100])
print("turns of the user that are trained:", trained.count("Hello!"))
"""
REPORTS = (
    Report(
        "siyan-zhao/OPSD#32",
        "current",
        "the problems are trained: True",
        "completion_only_loss|prompts?.{0,80}(train|loss|label)|(train|loss|label).{0,80}prompt",
        {
            "train.py": FULL_SEQUENCE,
            "problems.jsonl": PROBLEMS,
            "sft_baseline.yaml": BASELINE_CONFIG,
        },
        changed(
            FULL_SEQUENCE,
            (
                'return {"text": prompt + example["solution"] + "<|im_end|>"}',
                'return {"prompt": prompt, "completion": example["solution"] + "<|im_end|>"}',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#1282",
        "current",
        "turns of the user that are trained: 4",
        "assistant_only_loss|completion_only_loss|turns? of the user|user.{0,30}train",
        {"train.py": NECTAR, "nectar.jsonl": NECTAR_ROWS},
        changed(
            NECTAR,
            (
                'return {"messages": row["prompt"] + [{"role": "assistant", "content": '
                'best["answer"]}]}',
                'answer = {"role": "assistant", "content": best["answer"]}\n'
                '    return {"prompt": row["prompt"], "completion": [answer]}',
            ),
        ),
        level="",
    ),
)
