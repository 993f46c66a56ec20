"""Threads of a thirtieth list: what sampled answers are paid for."""

from reports.report import Report, changed, rows, turn

SUMS = ((17, 5), (31, 12), (8, 46), (23, 9))
STEPS = rows(
    *(
        {
            "question": f"What is {a} + {b}?",
            "solution": f"We add {a} and {b}. First the tens, then the ones. Answer: {a + b}",
            "answer": a + b,
        }
        for a, b in SUMS
    )
)
PROBLEMS = rows(*({"prompt": [turn("user", f"What is {a} + {b}?")]} for a, b in SUMS))
BUDGET = """\
import re

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

MODEL = "model"


def verify(text, answer):
    found = re.search(r"Answer: (-?\\d+)", text)
    return 1.0 if found and int(found.group(1)) == answer else 0.0


def exact_integer(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [verify(text, number) for text, number in zip(texts, answer)]


def build_grpo_config_kwargs(max_completion_length=16, **overrides):
    return {
        "output_dir": "out",
        "max_steps": 1,
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_completion_length": max_completion_length,
        "report_to": "none",
        "save_strategy": "no",
        "use_cpu": True,
        "bf16": False,
        **overrides,
    }


def prepare(row):
    task = f"{row['question']} Think step by step and end with 'Answer: N'."
    return {"prompt": [{"role": "user", "content": task}]}


rows = load_dataset("json", data_files="sums.jsonl", split="train").map(prepare)
args = GRPOConfig(**build_grpo_config_kwargs())
trainer = GRPOTrainer(
    model=MODEL, args=args, reward_funcs=exact_integer, train_dataset=rows
)
trainer.train()

tokenizer = AutoTokenizer.from_pretrained(MODEL)
paid = 0.0
for row in rows:
    said = tokenizer(row["solution"])["input_ids"][: args.max_completion_length]
    paid += verify(tokenizer.decode(said), row["answer"])
print(f"the {len(rows)} reference solutions, said by the model, would earn {paid}")
"""
LINES = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def format_reward(completions, **kwargs):
    pattern = r"<think>.*?</think>\\s*<answer>.*?</answer>"
    contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content) for content in contents]
    return [1.0 if match else 0.0 for match in matches]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=format_reward,
    train_dataset=load_dataset("json", data_files="problems.jsonl", split="train"),
    args=GRPOConfig(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
said = "<think>\\nThere are:\\n1. a scooter\\n2. a bus\\n</think>\\n<answer>2</answer>"
message = [{"role": "assistant", "content": said}]
print("what was asked for earns", format_reward([message])[0])
"""
TWICE = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

SYSTEM = "Answer with <reasoning>...</reasoning> and then one <answer>...</answer>."
FORMAT = re.compile(
    r"^<reasoning>\\n(.*?)\\n</reasoning>\\n<answer>\\n(.*?)\\n</answer>$", re.DOTALL
)


def format_reward(completions, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if FORMAT.fullmatch(content) else 0.0 for content in contents]


def add_system(row):
    return {"prompt": [{"role": "system", "content": SYSTEM}, *row["prompt"]]}


problems = load_dataset("json", data_files="problems.jsonl", split="train")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[format_reward],
    train_dataset=problems.map(add_system),
    args=GRPOConfig(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
said = "<reasoning>\\ntest\\n</reasoning>\\n<answer>\\n333\\n</answer>\\n</answer>"
print("a stray tag at the end:", format_reward([[{"role": "assistant", "content": said}]])[0])
"""
REPORTS = (
    Report(
        "greyhaven-ai/autocontext#1067",
        "current",
        r"would earn 0\.0",
        r"max_completion_length|truncat|cut (off|short)|clipp|too short|length limit"
        r"|before (it|the|they).{0,40}end|\b16\b.{0,40}tokens",
        {"train.py": BUDGET, "sums.jsonl": STEPS},
        changed(BUDGET, ("max_completion_length=16,", "max_completion_length=128,")),
    ),
    Report(
        "huggingface/open-r1#237",
        "grpo-first",
        r"what was asked for earns 0\.0",
        r"DOTALL|newline|new line|line (break|end|feed)|multi-?line|\\n"
        r"|(pattern|regex|regular).{0,80}(never|no |not |only)",
        {"train.py": LINES, "problems.jsonl": PROBLEMS},
        changed(LINES, ("re.match(pattern, content)", "re.match(pattern, content, re.DOTALL)")),
    ),
    Report(
        "huggingface/open-r1#616",
        "grpo-shapes",
        r"a stray tag at the end: 1\.0",
        r"fullmatch|lazy|non-?greedy|twice|duplicat|repeat|more than once|second (tag|</?answer)"
        r"|stray|\(\.\*\?\)|any text|too (loose|generous)|tags? inside",
        {"train.py": TWICE, "problems.jsonl": PROBLEMS},
        changed(
            TWICE,
            (
                r"<answer>\n(.*?)\n</answer>$",
                r"<answer>\n((?:(?!</answer>).)*)\n</answer>$",
            ),
        ),
    ),
)
