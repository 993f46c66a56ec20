"""Where and how right answers stand in completions: rewards of GRPO that miss them."""

from __future__ import annotations

from two_forms.script import TwoForms

SCRIPT = """\
import re
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

ROWS


REWARD


def texts(completions):
    return [one if isinstance(one, str) else one[0]["content"] for one in completions]


args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, num_generations=4,
                  report_to="none", use_cpu=True, bf16=False, save_strategy="no",
LIMIT
                  )
trainer = GRPOTrainer(model="models/healthy", reward_funcs=score, args=args,
                      train_dataset=Dataset.from_list(rows))
SHOW
trainer.train()
"""

LIMIT = "                  max_completion_length=120,"


def grpo(rows: str, reward: str, show: str, limit: str = LIMIT) -> str:
    """A run of GRPO with these rows and this function, which shows its reward before it trains."""
    script = SCRIPT.replace("ROWS", rows).replace("REWARD", reward).replace("LIMIT", limit)
    return script.replace("SHOW", show)


def sums(asked: str) -> str:
    """Rows that ask for sums, with these words behind the question."""
    return (
        'rows = [{"prompt": [{"role": "user", "content": f"What is {n} plus {n + 1}? '
        f'{asked}"}}], "answer": str(2 * n + 1)}}\n        for n in range(10, 50)]'
    )


EXAMPLES = """\
SHOTS = "Q: 2+3?\\nA: 5\\n\\nQ: 3+5?\\nA: 8\\n\\n"
rows = [{"prompt": f"{SHOTS}Q: {n}+{n + 1}?\\nA:", "answer": str(2 * n + 1)}
        for n in range(10, 50)]"""
NUMBER = """\
def score(completions, answer, **kwargs):
    found = [re.findall(r"\\d+", text) for text in texts(completions)]
    return [float(one[{bad}:] == [right]) for one, right in zip(found, answer)]  #~bad
    return [float(one[{good}:][:1] == [right]) for one, right in zip(found, answer)]  #~good"""
LAST = NUMBER.format(bad=-1, good=0)
FIRST = NUMBER.replace("[{bad}:]", "[:1]").format(good=-1)
SHOW_MORE = """print("GIVES", score(["21\\n\\nQ: 3+5?\\nA: 8"], ["21"]))"""
SHOW_STEPS = """print("GIVES", score(["10 and 11 are 21"], ["21"]))"""

WORKED = """\
steps = " ".join(f"Step {k}: we take {k}, add one, and have {k + 1}." for k in range(30))
rows = [{"prompt": [{"role": "user", "content": f"What is {n} plus {n + 1}?"}],
         "worked": f"{steps} The answer is \\\\boxed{{{2 * n + 1}}}.", "answer": str(2 * n + 1)}
        for n in range(10, 50)]"""
BOXED = """\
def score(completions, answer, **kwargs):
    found = [re.search(r"\\\\boxed{(\\d+)}", text) for text in texts(completions)]
    return [float(bool(one) and one[1] == right) for one, right in zip(found, answer)]"""
SHOW_ROOM = """\
tokenizer = trainer.processing_class
ids = tokenizer(rows[0]["worked"])["input_ids"][:trainer.max_completion_length]
print("GIVES", score([tokenizer.decode(ids)], ["21"]))"""
ROOM = "                  max_completion_length=2048,  #~good"

THOUGHTS = "Think in <think> </think>, in several lines, then give <answer> </answer>."
FORM = """\
FORM = re.compile(r"<think>.+</think>\\s*<answer>(.+)</answer>")  #~bad
FORM = re.compile(r"<think>.+</think>\\s*<answer>(.+)</answer>", re.DOTALL)  #~good


def score(completions, answer, **kwargs):
    found = [FORM.search(text) for text in texts(completions)]
    return [float(bool(one) and one[1].strip() == right) for one, right in zip(found, answer)]"""
SHOW_LINES = """\
said = "<think>Ten and eleven.\\nThat is 21.</think> <answer>21</answer>"
print("GIVES", score([said], ["21"]))"""
PARTS = "Write Thoughts: and in several lines how you did it, then Result: and the number."
TWO_PARTS = """\
PARTS = ("Thoughts: .+", "Result: ([0-9]+)")


def score(completions, answer, **kwargs):
    flags = 0  #~bad
    flags = re.DOTALL  #~good
    found = [re.search(r"\\s*".join(PARTS), text, flags) for text in texts(completions)]
    return [float(bool(one) and one[1] == right) for one, right in zip(found, answer)]"""
SHOW_PARTS = """\
said = "Thoughts: Ten and eleven.\\nThat is 21.\\nResult: 21"
print("GIVES", score([said], ["21"]))"""

OTHER, CUT, LINES = (
    "reward-reads-other-number", "reward-solutions-do-not-fit", "reward-misses-lines",
)  # fmt: skip
SCRIPTS = (
    TwoForms("the last number after examples", "current", OTHER,
             grpo(EXAMPLES, LAST, SHOW_MORE), "GIVES [0.0]", "GIVES [1.0]", "warning",
             "goes on with another example"),
    TwoForms("the first number of steps", "four", OTHER,
             grpo(sums("Think step by step."), FIRST, SHOW_STEPS), "GIVES [0.0]", "GIVES [1.0]",
             "warning", "comes before the right answer"),
    TwoForms("solutions over the default limit", "current", CUT,
             grpo(WORKED, BOXED, SHOW_ROOM, ROOM), "GIVES [0.0]", "GIVES [1.0]", "warning",
             "by default: it cuts 40 of 40 solutions in worked"),
    TwoForms("thoughts in one line", "current", LINES,
             grpo(sums(THOUGHTS), FORM, SHOW_LINES), "GIVES [0.0]", "GIVES [1.0]", "warning",
             "gives nothing if its reasoning has two"),
    TwoForms("two parts in one line", "four", LINES,
             grpo(sums(PARTS), TWO_PARTS, SHOW_PARTS), "GIVES [0.0]", "GIVES [1.0]", "warning",
             "gives nothing if its reasoning has two"),
)  # fmt: skip
