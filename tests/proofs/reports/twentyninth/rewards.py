"""Threads of a twenty-ninth list: rewards, and what is sampled for them."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed
from reports.twentyninth.data import MATHS

ARGUMENTS = """\
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
"""
SAMPLED = f"""\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

seen = []


def distinct_words(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    seen.append(texts)
    return [len(set(text.split())) / 10 for text in texts]


model = AutoModelForCausalLM.from_pretrained("model")
trainer = GRPOTrainer(
    model=model,
    processing_class=AutoTokenizer.from_pretrained("model"),
    reward_funcs=distinct_words,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    args=GRPOConfig(
{ARGUMENTS}        temperature=1.0,
    ),
)
trainer.train()
print(f"different answers in a group of 4: {{len(set(seen[0]))}}")
"""
STRICT = f"""\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = '''
Respond in the following format:
<reasoning>
...
</reasoning>
<answer>
...
</answer>
'''


def prepare(row):
    return {{
        "prompt": [
            {{"role": "system", "content": SYSTEM_PROMPT}},
            {{"role": "user", "content": row["question"]}},
        ],
        "answer": row["answer"].split("####")[1].strip(),
    }}


def strict_format_reward_func(completions, **kwargs):
    pattern = r"^<reasoning>\\n.*?\\n</reasoning>\\n<answer>\\n.*?\\n</answer>\\n$"
    responses = [completion[0]["content"] for completion in completions]
    return [0.5 if re.match(pattern, one, re.DOTALL) else 0.0 for one in responses]


def correctness_reward_func(completions, answer, **kwargs):
    responses = [completion[0]["content"] for completion in completions]
    found = [one.split("<answer>")[-1].split("</answer>")[0].strip() for one in responses]
    return [2.0 if a == b else 0.0 for a, b in zip(found, answer)]


dataset = load_dataset("json", data_files="gsm8k.jsonl", split="train").map(prepare)
trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", dtype="float32"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    reward_funcs=[strict_format_reward_func, correctness_reward_func],
    train_dataset=dataset,
    args=GRPOConfig(
{ARGUMENTS}    ),
)
trainer.train()
text = "<reasoning>\\n2 x 2 is 4.\\n</reasoning>\\n<answer>\\n4\\n</answer>"
good = [[{{"role": "assistant", "content": text}}]]
print("for an answer as it was asked for:", strict_format_reward_func(good)[0])
"""
FAR = f"""\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


# rewards completions that are close to 20 characters
def reward_len(completions, **kwargs):
    return [abs(20 - len(completion)) for completion in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    args=GRPOConfig(
{ARGUMENTS}    ),
)
trainer.train()
near, far = reward_len(["x" * 20, "x" * 200])
print(f"20 characters get {{near}}, 200 characters get {{far}}")
"""
REPORTS = (
    Report(
        "huggingface/trl#5783",
        "four",
        "in a group of 4: 1\n",
        r"generation_config|generation config|greedy"
        r"|temperature.{0,80}(model|1e-0?6|default|file|0\.0)",
        {"train.py": SAMPLED, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            SAMPLED,
            (
                'from_pretrained("model")\ntrainer',
                'from_pretrained("model")\nmodel.generation_config.temperature = None\ntrainer',
            ),
        ),
        model={"generation_config.json": {"do_sample": True, "temperature": 1e-06}},
    ),
    Report(
        "ZHZisZZ/dllm#118",
        "current",
        r"as it was asked for: 0\.0",
        r"newline|line (break|end|feed)|\\n|end of (the )?(line|text|answer)|trailing"
        r"|(pattern|regex|regular).{0,80}(never|no |not |only|end)",
        {"train.py": STRICT, "gsm8k.jsonl": MATHS},
        changed(STRICT, (r"\n</answer>\n$", r"\n</answer>\s*$")),
    ),
    Report(
        "huggingface/trl#2777",
        "current",
        "20 characters get 0, 200 characters get 180",
        r"\babs\(|distance|far\w*.{0,80}(reward|score|more)|(wrong|opposite).{0,20}(sign|way|direction)"
        r"|\bsign\b|invert|revers|penal|punish|(reward|score)\w*.{0,60}(far|grows? with)",
        {"train.py": FAR, "prompts.jsonl": PROMPTS},
        changed(
            FAR,
            (
                "[abs(20 - len(completion)) for",
                "[1 / (1 + abs(20 - len(completion))) for",
            ),
        ),
    ),
)
