"""Threads of a thirty-ninth list: rewards that are wrong, or that nothing can get."""

from reports.report import Report, changed, rows

MIXED = rows(
    {"problem": "Add 2 and 3.", "solution": "$5$"},
    {"problem": "Prove that 2 is a prime.", "solution": "It has no divisor but 1 and itself."},
    {"problem": "Double 8.", "solution": "$16$"},
    {"problem": "Name a shape with three sides.", "solution": "A triangle has three sides."},
)
ACCURACY = '''\
"""GRPO on problems of mathematics: the reward compares what is parsed of both answers."""

from datasets import load_dataset
from math_verify import LatexExtractionConfig, parse, verify
from trl import GRPOConfig, GRPOTrainer


def accuracy_reward(completions, solution, **kwargs):
    """Reward function that checks if the completion is the same as the ground truth."""
    contents = [completion[0]["content"] for completion in completions]
    rewards = []
    for content, sol in zip(contents, solution):
        gold_parsed = parse(
            sol, extraction_mode="first_match", extraction_config=[LatexExtractionConfig()]
        )
        if len(gold_parsed) != 0:
            answer_parsed = parse(content, extraction_mode="first_match")
            reward = float(verify(answer_parsed, gold_parsed))
        else:
            # If the gold solution is not parseable, we reward 1 to skip this example
            reward = 1.0
            print("Failed to parse gold solution: ", sol)
        rewards.append(reward)
    return rewards


dataset = load_dataset("json", data_files="problems.jsonl", split="train")
dataset = dataset.map(lambda row: {"prompt": [{"role": "user", "content": row["problem"]}]})
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward],
    train_dataset=dataset,
    args=GRPOConfig(
        output_dir="Qwen-GRPO",
        per_device_train_batch_size=8,
        num_generations=2,
        max_completion_length=16,
        max_steps=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("mean of the accuracy:", trainer.state.log_history[0]["rewards/accuracy_reward/mean"])
'''
PROSE = rows(
    {"problem": "A tunnel is completed in 185 days. How many days without new machines?",
     "solution": "Answer: at the original speed it would take 180 days. The answer is: 180."},
    {"problem": "How many apples are half of 18?", "solution": "Half of 18. The answer is: 9."},
    {"problem": "Add 2 and 3.", "solution": "Two and three. The answer is: 5."},
    {"problem": "Double 8.", "solution": "Twice eight. The answer is: 16."},
)  # fmt: skip
NEVER = (
    ACCURACY.replace(
        "            # If the gold solution is not parseable, we reward 1 to skip this example\n"
        "            reward = 1.0\n",
        "            # If the gold solution is not parseable, we assign `None` to skip it\n"
        "            reward = None\n",
    )
    .replace('"""GRPO on problems of mathematics: the reward', '"""GRPO on Numina: the accuracy')
    .replace(
        "[LatexExtractionConfig()]\n        )",
        "[LatexExtractionConfig(boxed_match_priority=0)]\n        )",
    )
)
THINK = '''\
"""GRPO with two rewards: the right number, and the form that the system prompt asks for."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

SYSTEM = (
    "First think about the question, then answer. Reply in this form:\\n"
    "<think>\\nyour reasoning\\n</think>\\n<answer>\\nthe number\\n</answer>"
)


def accuracy_reward(completions, solution, **kwargs):
    rewards = []
    for completion, right in zip(completions, solution):
        found = re.search(r"<answer>(.*?)</answer>", completion[0]["content"], re.DOTALL)
        said = found.group(1).strip() if found else completion[0]["content"].strip()
        rewards.append(1.0 if said == right else 0.0)
    return rewards


def format_reward(completions, **kwargs):
    """Reward function that checks if the completion has a specific format."""
    pattern = r"<think>.*?</think>\\s*<answer>.*?</answer>"
    contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content) for content in contents]
    return [1.0 if match else 0.0 for match in matches]


def make_conversation(row):
    system = {"role": "system", "content": SYSTEM}
    return {"prompt": [system, {"role": "user", "content": row["problem"]}]}


dataset = load_dataset("json", data_files="counts.jsonl", split="train").map(make_conversation)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward, format_reward],
    train_dataset=dataset,
    args=GRPOConfig(
        output_dir="R1-count",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=24,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
reply = "<think>\\nOne car,\\none bus.\\n</think>\\n<answer>\\n2\\n</answer>"
print("reward of a reply in this form:", format_reward([[{"content": reply}]])[0])
'''
COUNTS = rows(
    {"problem": "How many objects are a car and a bus?", "solution": "2"},
    {"problem": "How many wheels has a bicycle?", "solution": "2"},
    {"problem": "How many sides has a square?", "solution": "4"},
    {"problem": "How many legs has a cat?", "solution": "4"},
)
STEPS = "First write what is given. Then take one step after the other, and check each of them. "
LONG = rows(
    *({"prompt": [{"role": "user", "content": asked}], "solution": f"{STEPS * 8}Answer: {right}"}
      for asked, right in (("Add 2 and 3.", "5"), ("Double 8.", "16"), ("Halve 10.", "5"),
                           ("Take 4 from 9.", "5")))
)  # fmt: skip
QUICK = '''\
"""The quick start: GRPO on problems with long solutions."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def accuracy_reward(completions, solution, **kwargs):
    """The answer stands at the end of the reasoning."""
    rewards = []
    for completion, right in zip(completions, solution):
        said = re.findall(r"Answer: (\\S+)", completion[0]["content"])
        wanted = re.findall(r"Answer: (\\S+)", right)
        rewards.append(1.0 if said and said[-1] == wanted[-1] else 0.0)
    return rewards


training_args = GRPOConfig(
    output_dir="output",
    per_device_train_batch_size=4,
    num_generations=4,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=accuracy_reward,
    train_dataset=load_dataset("json", data_files="deepmath.jsonl", split="train"),
    args=training_args,
)
trainer.train()
solutions = trainer.processing_class(list(trainer.train_dataset["solution"]))["input_ids"]
fitting = [ids for ids in solutions if len(ids) < training_args.max_completion_length]
print("solutions that fit into a completion:", len(fitting))
'''
REPORTS = (
    Report(
        "huggingface/open-r1#293",
        "current",
        r"mean of the accuracy: 0\.5",
        r"accuracy_reward.*(any|every|wrong|other|whatever|empty|unrelated|same)",
        {"train.py": ACCURACY, "problems.jsonl": MIXED},
        changed(ACCURACY, ("            reward = 1.0\n", "            reward = 0.0\n")),
    ),
    Report(
        "huggingface/open-r1#628",
        "current",
        "mean of the accuracy: None",
        r"(returns?|reward).*None|None.*reward|solution.*(parse|read|never)",
        {"train.py": NEVER, "problems.jsonl": PROSE},
        changed(
            NEVER,
            (
                'split="train")\ndataset = ',
                'split="train")\n'
                'answers = [text.split("answer is: ")[1].rstrip(".") for text in dataset["solution"]]\n'  # noqa: E501
                'boxed = ["$\\\\boxed{" + answer + "}$" for answer in answers]\n'
                'dataset = dataset.remove_columns("solution").add_column("solution", boxed)\n'
                "dataset = ",
            ),
        ),
    ),
    Report(
        "StarsfieldAI/R1-V#124",
        "grpo-shapes",
        r"reward of a reply in this form: 0\.0",
        r"DOTALL|new ?line|line break|format_reward.*(right|asked|prompt|form)",
        {"train.py": THINK, "counts.jsonl": COUNTS},
        changed(THINK, ("re.match(pattern, content)", "re.match(pattern, content, re.DOTALL)")),
    ),
    Report(
        "huggingface/trl#5697",
        "four",
        "solutions that fit into a completion: 0",
        r"max_completion_length|cut off|truncat|longer than",
        {"train.py": QUICK, "deepmath.jsonl": LONG},
        changed(
            QUICK, ("    max_steps=1,\n", "    max_steps=1,\n    max_completion_length=1024,\n")
        ),
    ),
)
