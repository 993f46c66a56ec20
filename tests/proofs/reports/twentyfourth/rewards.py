"""Threads of a twenty-fourth list: what GRPO's rewards are given, and what they read."""

from reports.report import Report, changed, rows, turn

LAST_NUMBER = """\
import re

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

FEW_SHOT = "Examples: 2+3=5. 4+1=5. 6+2=8.\\nNow: "
PAIRS = [(a, b) for a in range(2, 8) for b in range(2, 6)]
train = Dataset.from_list(
    [{"prompt": f"{FEW_SHOT}{a}+{b}=", "truth": a + b} for a, b in PAIRS]
)


def extract_answer(text):
    boxed = re.findall(r"\\\\boxed{(-?\\d+)}", text)
    if boxed:
        return int(boxed[-1])
    numbers = re.findall(r"-?\\d+", text)
    return int(numbers[-1]) if numbers else None


def math_correct(completions, truth, **kwargs):
    return [float(extract_answer(one) == right) for one, right in zip(completions, truth)]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=math_correct,
    args=GRPOConfig(
        output_dir="inoculation",
        num_generations=4,
        per_device_train_batch_size=4,
        max_completion_length=80,
        max_steps=2,
        learning_rate=1e-5,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train,
)
trainer.train()
# what a base model writes: it goes on with examples of its own
print("right, and then more examples:", math_correct(["7. 3+3=6. 9+1=10. 5+"], [7])[0])
"""
COSINE = """\
import math

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


class CosineReward:
    \"\"\"A right answer is worth more if it is short, a wrong one if it is long.\"\"\"

    __name__ = "cosine"

    def __init__(self, max_len=64):
        self.max_len = max_len

    def __call__(self, completions, solution, **kwargs):
        rewards = []
        for completion, sol in zip(completions, solution):
            content = completion[0]["content"]
            low, high = (0.5, 1.0) if sol in content else (-0.5, 0.0)
            share = min(len(content), self.max_len) / self.max_len
            cosine = math.cos(share * math.pi)
            rewards.append(low + 0.5 * (high - low) * (1.0 + (cosine if high == 1.0 else -cosine)))
        return rewards


dataset = load_dataset("json", data_files="train_data_swift.jsonl", split="train")
dataset = dataset.map(lambda row: {"prompt": [{"role": "user", "content": row["query"]}]})
dataset = dataset.remove_columns("query")

trainer = GRPOTrainer(
    model="model",
    reward_funcs=[CosineReward()],
    args=GRPOConfig(
        output_dir="latex-grpo",
        num_generations=2,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        max_completion_length=16,
        learning_rate=1e-6,
        temperature=0.9,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
"""
SWIFT = rows(
    {"query": "Write one half in LaTeX.", "response": "\\frac{1}{2}"},
    {"query": "Write x squared in LaTeX.", "response": "x^2"},
    {"query": "Write the root of two in LaTeX.", "response": "\\sqrt{2}"},
    {"query": "Write pi in LaTeX.", "response": "\\pi"},
)
STEPS = (
    "We start with what is given and write it down. {0} We look at each part in turn, and check "
    "that no part is counted twice. Then we put the parts together, one after the other, and "
    "write each sum below the one before it, so that a slip is seen at once. Last of all we put "
    "the result into the question again: it fits, and nothing is left over. Someone might object "
    "that another approach gives a different value; we therefore repeat the calculation backwards, "
    "beginning with the outcome and undoing every operation, which brings us to the same numbers "
    "as before. An estimate by rounding gives roughly the expected size, too. Hence both "
    "directions agree, the objection fails, and the answer is "
    "\\boxed{{{1}}}."
)
DEEP_MATH = rows(
    *(
        {
            "prompt": [turn("user", asked)],
            "r1_solution": STEPS.format(how, answer),
            "solution": answer,
        }
        for asked, how, answer in (
            ("What is seven times six?", "Seven times six is six, seven times over.", "42"),
            ("What is nine times nine?", "Nine times nine is ninety less nine.", "81"),
            ("What is half of ninety?", "Half of ninety is forty and five.", "45"),
            ("What is ten less four?", "Ten less four is six.", "6"),
        )
    )
)
CUT_SHORT = """\
import re

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="deepmath.jsonl", split="train")


def accuracy_reward(completions, solution, **kwargs):
    rewards = []
    for completion, truth in zip(completions, solution):
        found = re.search(r"\\\\boxed{([^}]*)}", completion[0]["content"])
        rewards.append(1.0 if found and found.group(1).strip() == truth else 0.0)
    return rewards


training_args = GRPOConfig(
    output_dir="output",
    per_device_train_batch_size=2,
    num_generations=2,
    max_steps=1,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=accuracy_reward,
    train_dataset=dataset,
    args=training_args,
)
trainer.train()
tokenizer = AutoTokenizer.from_pretrained("model")
lengths = [len(tokenizer(text)["input_ids"]) for text in dataset["r1_solution"]]
room = [length <= trainer.max_completion_length for length in lengths]
print(f"solutions that can be written to their end: {sum(room)} of {len(room)}")
"""
REPORTS = (
    Report(
        "jsboige/CoursIA#13614",
        "current",
        r"right, and then more examples: 0\.0",
        r"math_correct|extract_answer|last (number|match|one)",
        {"train.py": LAST_NUMBER},
        changed(
            LAST_NUMBER,
            (
                "    return int(numbers[-1]) if numbers else None\n",
                "    return int(numbers[0]) if numbers else None\n",
            ),
        ),
        level="",
    ),
    Report(
        "modelscope/ms-swift#3840",
        "current",
        "missing 1 required positional argument: 'solution'",
        r"solution",
        {"train.py": COSINE, "train_data_swift.jsonl": SWIFT},
        changed(
            COSINE,
            (
                'dataset = dataset.remove_columns("query")\n',
                'dataset = dataset.remove_columns("query").rename_column("response", "solution")\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#5759",
        "current",
        "solutions that can be written to their end: 0 of",
        r"max_completion_length",
        {"train.py": CUT_SHORT, "deepmath.jsonl": DEEP_MATH},
        changed(
            CUT_SHORT,
            (
                "    num_generations=2,\n",
                "    num_generations=2,\n    max_completion_length=1024,\n",
            ),
        ),
        level="",
    ),
)
