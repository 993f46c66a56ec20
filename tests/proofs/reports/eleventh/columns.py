"""Threads that searches for trainers with a symptom found: what rows have and lose."""

from reports.report import PAIRS, Report, changed, rows, turn

ALPACA = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def normalized(row):
    question = row["instruction"] + ("\\n" + row["input"] if row["input"] else "")
    return {
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": row["output"]},
        ]
    }


def prompted(row):
    return {"prompt": [turn for turn in row["messages"] if turn["role"] != "assistant"]}


def verifiable(completions, **kwargs):
    gold = kwargs.get("answer", [])
    texts = [completion[0]["content"] for completion in completions]
    return [float(a in text) + len(text) / 100 for text, a in zip(texts, gold)]


rows = load_dataset("json", data_files="train.jsonl", split="train")
rows = rows.map(normalized, remove_columns=rows.column_names)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[verifiable],
    args=GRPOConfig(
        output_dir="soup-grpo",
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-4,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=rows.map(prompted, remove_columns=["messages"]),
)
trainer.train()
"""
TOOLS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = DPOTrainer(
    model=model,
    args=DPOConfig(
        output_dir="dpo-tools",
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=load_dataset("json", data_files="weather.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""


def weather(role: str) -> str:
    """Pairs of answers to what a tool said, in a turn of this role."""
    asked = [turn("user", "Is it warm in Paris?"), turn("assistant", "I ask the weather tool.")]
    return rows(
        *(
            {
                "prompt": [*asked, turn(role, f"Paris: {degrees} degrees")],
                "chosen": [turn("assistant", f"It has {degrees} degrees.")],
                "rejected": [turn("assistant", "I do not know.")],
            }
            for degrees in (4, 12, 21, 30)
        )
    )


INSTRUCTIONS = rows(*({"instruction": a, "input": "", "output": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "MakazhanAlpamys/Soup#565",
        "four",
        "expanded size of the tensor",
        "looks up answer",
        {"train.py": ALPACA, "train.jsonl": INSTRUCTIONS},
        changed(
            ALPACA,
            (
                '    return {\n        "messages"',
                '    return {\n        "answer": row["output"],\n        "messages"',
            ),
        ),
    ),
    Report(
        "huggingface/trl#3529",
        "grpo-shapes",
        "Invalid role in the last message: tool",
        "tool.{0,60}(role|turn|message)|(role|turn|message).{0,60}tool",
        {"train.py": TOOLS, "weather.jsonl": weather("tool")},
        {"weather.jsonl": weather("user")},
    ),
)
