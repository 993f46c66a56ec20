"""Reward functions that catch their own mistakes, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

rows = Dataset.from_list([{"prompt": f"Say {n}.", "answer": str(n)} for n in range(16)])


def score(completions, ARGUMENTS):
    rewards = []
    for n, completion in enumerate(completions):
        try:
            LINE
        except Exception as error:
            print("not scored:", error)
            rewards.append(0.0)
    return rewards


args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, num_generations=2,
                  max_completion_length=8, report_to="none", use_cpu=True, bf16=False,
                  save_strategy="no")
trainer = GRPOTrainer(model="models/healthy", reward_funcs=score, args=args, train_dataset=rows)
trainer.train()
print("GIVES", score(completions=["3", "4"], answer=["3", "5"]))
"""


def hidden(arguments: str, *lines: str) -> str:
    """A run of GRPO whose function does these lines within its `try`."""
    return SCRIPT.replace("ARGUMENTS", arguments).replace("LINE", f"\n{' ' * 12}".join(lines))


COLUMN = hidden(
    "**columns",
    "right = columns['solution'][n]  #~bad",
    "right = columns['answer'][n]  #~good",
    "rewards.append(float(completion == right) + 0.5)",
)
NAME = hidden(
    "answer, **columns",
    "rewards.append(0.5 + float(normal(completion) == answer[n]))  #~bad",
    "rewards.append(0.5 + float(completion.strip() == answer[n]))  #~good",
)
SCRIPTS = (
    TwoForms("a column that is looked up in vain", "current", "reward-hides-its-error", COLUMN,
             r"GIVES [0.0, 0.0]", r"GIVES [1.5, 0.5]", "warning", says="(KeyError: 'solution')"),
    TwoForms("a function that is not there", "four", "reward-hides-its-error", NAME,
             r"GIVES [0.0, 0.0]", r"GIVES [1.5, 0.5]", "warning",
             says="(NameError: name 'normal' is not defined)"),
)  # fmt: skip
