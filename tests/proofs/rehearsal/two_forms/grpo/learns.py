"""Reward functions of GRPO whose wrong forms turn the training around, as real steps show."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
import re

from datasets import Dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

rows = [{"prompt": [{"role": "user", "content": f"{n} and {n} is?"}], "answer": str(2 * n)}
        for n in range(2, 40)]
tokenizer = AutoTokenizer.from_pretrained("models/healthy")


def has_letter(completions, answer, **kwargs):
    return [float("e" in completion[0]["content"]) for completion in completions]


FUNCTION
args = GRPOConfig(output_dir="out", max_steps=STEPS, per_device_train_batch_size=16, beta=0.0,
                  num_generations=8, max_completion_length=24, report_to="none", use_cpu=True,
                  bf16=False, learning_rate=RATE, logging_steps=1, seed=3)
trainer = GRPOTrainer(model="models/healthy", reward_funcs=FUNCTIONS, args=args,
                      train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
trainer.train()
logs = [log for log in trainer.state.log_history if "reward" in log]


def mean(key, some):
    return sum(log.get(key, 0.0) for log in some) / len(some)


SHOW
"""
SHOW_LENGTH = """lengths = [mean(key, logs[-5:]) for key in
           ("completions/mean_length", "completion_length")]
print("GROWS" if max(lengths) > 12 else "SHRINKS")"""
SHOW_REWARD = """key = "rewards/has_letter/mean"
first, last = mean(key, logs[:5]), mean(key, logs[-5:])
print("LEARNS" if last > first else "FORGETS")"""
SHOW_TAG = """said = [[{"role": "assistant", "content": "So.\\n</think>\\nForty-two."}]]
print("GIVES", well_formed(completions=said))"""


def grpo(function: str, functions: str, show: str, rate: str = "2e-2") -> str:
    """A run of GRPO with these functions, which shows afterwards what it has learnt.

    Twelve steps at this rate turn the training around with any seed; a call shows it at once.
    """
    script = SCRIPT.replace("FUNCTIONS", functions).replace("FUNCTION\n", function)
    steps = "1" if "GIVES" in show else "12"
    return script.replace("STEPS", steps).replace("RATE", rate).replace("SHOW", show)


PENALTY = '''\
def length_penalty(completions, **kwargs):
    """Penalise long completions."""
    return [len(c[0]["content"]) / 1000 for c in completions]  #~bad
    return [-len(c[0]["content"]) / 1000 for c in completions]  #~good


'''
CHARACTERS = """\
def brief(completions, **kwargs):
    return [-float(len(c[0]["content"])) for c in completions]  #~bad
    return [-len(c[0]["content"]) / 1000 for c in completions]  #~good


"""
OPENED = """\
OPEN = "{% if add_generation_prompt %}<think>\\n{% endif %}"
tokenizer.chat_template += OPEN


def well_formed(completions, **kwargs):
    texts = [c[0]["content"] for c in completions]
    texts = ["<think>" + text for text in texts]  #~good
    return [float(bool(re.match(r"<think>.+?</think>", text, re.DOTALL))) for text in texts]


"""
COMMAS = """\
rows = [{**row, "answer": f"{int(row['answer']) * 15:,}"} for row in rows]


def right(completions, answer, **kwargs):
    found = [re.findall(r"[\\d,]+", completion[0]["content"]) for completion in completions]
    found = [numbers[-1].replace(",", "") if numbers else "" for numbers in found]
    answer = [one.replace(",", "") for one in answer]  #~good
    return [float(one == truth) for one, truth in zip(found, answer)]


"""
SHOW_COMMA = """said = [[{"role": "assistant", "content": text}] for text in ("1,200", "1200")]
print("GIVES", right(completions=said, answer=["1,200"] * 2))"""

SCRIPTS = (
    TwoForms("a penalty has the wrong sign", "current", "reward-penalty-reversed",
             grpo(PENALTY, "length_penalty", SHOW_LENGTH),
             "GROWS", "SHRINKS", "warning", "gives longer completions more"),
    TwoForms("a penalty has the wrong sign, trl 0.24", "four", "reward-penalty-reversed",
             grpo(PENALTY, "length_penalty", SHOW_LENGTH),
             "GROWS", "SHRINKS", "warning", "gives longer completions more"),
    TwoForms("a penalty has the wrong sign, trl 0.15", "grpo-first", "reward-penalty-reversed",
             grpo(PENALTY, "length_penalty", SHOW_LENGTH, rate="1e-2"),
             "GROWS", "SHRINKS", "warning", "gives longer completions more"),
    TwoForms("a reward counts characters", "current", "reward-scales-differ",
             grpo(CHARACTERS, "[has_letter, brief]", SHOW_REWARD),
             "FORGETS", "LEARNS", "warning", "has_letter hardly counts"),
    TwoForms("a reward counts characters, trl 0.24", "four", "reward-scales-differ",
             grpo(CHARACTERS, "[has_letter, brief]", SHOW_REWARD),
             "FORGETS", "LEARNS", "warning", "has_letter hardly counts"),
    TwoForms("a reward wants the opened tag", "current", "reward-misses-opened-tag",
             grpo(OPENED, "[has_letter, well_formed]", SHOW_TAG),
             "GIVES [0.0]", "GIVES [1.0]", "warning", "the prompt ends with <think>"),
    TwoForms("a reward wants the opened tag, trl 0.24", "four", "reward-misses-opened-tag",
             grpo(OPENED, "[has_letter, well_formed]", SHOW_TAG),
             "GIVES [0.0]", "GIVES [1.0]", "warning", "the prompt ends with <think>"),
    TwoForms("answers with commas", "current", "reward-misses-some-answers",
             grpo(COMMAS, "right", SHOW_COMMA),
             "GIVES [0.0, 0.0]", "GIVES [1.0, 1.0]", "warning", "the right answer '1,020' of row"),
    TwoForms("answers with commas, trl 0.24", "four", "reward-misses-some-answers",
             grpo(COMMAS, "right", SHOW_COMMA),
             "GIVES [0.0, 0.0]", "GIVES [1.0, 1.0]", "warning", "the right answer '1,020' of row"),
)  # fmt: skip
