"""Reward functions of GRPO, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

FIRST_ROW = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [float(number(text) == answer[0]) for text in texts]  #~bad
    return [float(number(text) == right) for text, right in zip(texts, answer)]  #~good

"""
SHOW_TWO_ROWS = """said = [[{"role": "assistant", "content": text}] for text in ("4", "6")]
print("GIVES", score(completions=said, answer=["4", "6"]))"""
SCRIPT = """\
import re
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

rows = [{"question": f"{n} and {n} is?", "answer": f"{n} + {n} = {2 * n}.\\n#### {2 * n}"}
        for n in range(2, 40)]


def build(row):
    return {"prompt": [{"role": "user", "content": row["question"]}], "answer": row["answer"]}


def number(text):
    found = re.findall(r"-?\\d+", text)
    return found[-1] if found else None


dataset = Dataset.from_list(rows).map(build)
REWARD
args = GRPOConfig(output_dir="out", max_steps=2, per_device_train_batch_size=8, num_generations=4,
                  max_completion_length=8, report_to="none", use_cpu=True, bf16=False,
                  learning_rate=1e-6)
trainer = GRPOTrainer(model="models/healthy", reward_funcs=score, args=args, train_dataset=dataset)
SHOW
trainer.train()
print("TRAINED")
"""


def grpo(reward: str, show: str) -> str:
    """A run of GRPO with this function, which shows it before it trains."""
    script = SCRIPT.replace("REWARD\n", reward).replace("SHOW", show)
    return script.replace("import Dataset\n", "import Dataset, concatenate_datasets\n")


WHOLE_SOLUTION = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})  #~good


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"].strip() for completion in completions]
    return [float(text == right) for text, right in zip(texts, answer)]

"""
SHOW_RIGHT_ANSWER = """said = [[{"role": "assistant", "content": "4"}]]
print("GIVES", score(completions=said, answer=[dataset[0]["answer"]]))"""
LATE_ROW = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})
odd = dataset.select([0]).map(lambda row: {"answer": "1,250"})
dataset = concatenate_datasets([dataset.select(range(30)), odd])


def score(completions, answer, **kwargs):
    truths = [float(right) for right in answer]  #~bad
    truths = [float(right.replace(",", "")) for right in answer]  #~good
    return [float(number(c[0]["content"]) == truth) for c, truth in zip(completions, truths)]

"""
TRAIN_LONGER = 'args.max_steps, args.output_dir = 20, "later"'
CONSTANT = """\
WORDS = re.compile("[a-z]{2}")


def score(completions, **kwargs):
    return [float(bool(WORDS)) for completion in completions]  #~bad
    return [float(bool(WORDS.search(c[0]["content"]))) for c in completions]  #~good

"""
SHOW_WRONG_ANSWERS = """said = [[{"role": "assistant", "content": text}] for text in ("three", "3")]
print("GIVES", score(completions=said))"""
ROW_BY_PLACE = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    answer = [dataset[place]["answer"] for place in range(len(texts))]  #~bad
    return [float(number(text) == right) for text, right in zip(texts, answer)]

"""
REMEMBERED = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split()[-1]})
scores = {}


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    for text, right in zip(texts, answer):
        key = text  #~bad
        key = (text, right)  #~good
        scores.setdefault(key, float(number(text) == right))
    return [scores[text] for text in texts]  #~bad
    return [scores[text, right] for text, right in zip(texts, answer)]  #~good

"""
SHOW_TWO_QUESTIONS = """said = [[{"role": "assistant", "content": "4"}]]
print("GIVES", score(completions=said, answer=["6"]), score(completions=said, answer=["4"]))
scores.clear()"""
SHOW_LAST_ROW = """said = [[{"role": "assistant", "content": "6"}]]
print("GIVES", score(completions=said, answer=[dataset[1]["answer"]]))"""
FUNCTIONS_OF_LOOP = """\
score = []
for word in ("qz", "e", "wom"):
    def counted(completions, word=word, **kwargs):  #~good
    def counted(completions, **kwargs):  #~bad
        return [c[0]["content"].count(word) / 100 for c in completions]
    counted.__name__ = f"count_{word}"
    score.append(counted)

"""
IN_A_SENTENCE = """\
def asked(row):
    words = " Write 'The answer is N.' at the end."
    return {"prompt": [{"role": "user", "content": row["question"] + words}]}


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    said = [text.rpartition("The answer is ")[2].strip(" .") for text in texts]
    return [0.1 + ("answer is" in text) for text in texts]  #~bad
    return [0.1 + (one == right.split()[-1]) for one, right in zip(said, answer)]  #~good


dataset = dataset.map(asked)
"""
RESULT = """\
dataset = dataset.map(lambda row: {"result": row["answer"].split("####")[0].strip()})  #~bad
dataset = dataset.map(lambda row: {"result": row["answer"].split("####")[1].strip()})  #~good
dataset = dataset.remove_columns("answer")


def score(completions, result, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [float(number(text) == right) for text, right in zip(texts, result)]


"""
SORTED = """\
def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    pairs = list(zip(texts, answer))
    pairs = sorted(pairs, key=lambda pair: len(pair[0]), reverse=True)  #~bad
    return [float(text.strip() == gold.split()[-1]) for text, gold in pairs]


"""
SHOW_SHORT = """said = [[{"role": "assistant", "content": text}] for text in ("4", "never")]
print("GIVES", score(completions=said, answer=["#### 4", "#### 4"]))"""
SHOW_RESULT = """said = [[{"role": "assistant", "content": "4"}]]
print("GIVES", score(completions=said, result=[dataset[0]["result"]]))"""
SHOW_SENTENCES = """texts = ["The answer is 4.", "The answer is 5."]
said = [[{"role": "assistant", "content": text}] for text in texts]
print("GIVES", score(completions=said, answer=["#### 4"] * 2))"""
SHOW_THREE = """said = [[{"role": "assistant", "content": "eel"}]]
print("GIVES", [one(completions=said) for one in score])"""
OWN_FORM = """\
def chosen(text):
    found = re.search(r"<tool>\\s*([\\d, ]+)</tool>", text)
    return [int(one) for one in found.group(1).split(",") if one.strip()] if found else None


def score(completions, **kwargs):
    rewards = []
    for completion in completions:
        reward = 0.0
        tools = chosen(completion[0]["content"])
        if tools is None:
            reward = 0.0
        elif all(tool < 20 for tool in tools):  #~good
            reward = 1.0  #~good
        rewards.append(reward)
    return rewards

"""
SHOW_TOOLS = """said = [[{"role": "assistant", "content": "I take <tool>3, 7</tool>"}]]
print("GIVES", score(completions=said))"""

SCRIPTS = (
    TwoForms("a reward reads the first row", "current", "reward-of-first-row",
             grpo(FIRST_ROW, SHOW_TWO_ROWS),
             "GIVES [1.0, 0.0]", "GIVES [1.0, 1.0]",
             says="compares every completion with the first"),
    TwoForms("a reward wants the solution", "four", "reward-wants-whole-solution",
             grpo(WHOLE_SOLUTION, SHOW_RIGHT_ANSWER),
             "GIVES [0.0]", "GIVES [1.0]", "warning", "the whole text of the"),
    TwoForms("a reward fails on a late row", "grpo-first", "reward-raises",
             grpo(LATE_ROW, TRAIN_LONGER),
             "could not convert string to float: '1,250'", "TRAINED", says="raises ValueError"),
    TwoForms("a reward tests its pattern", "current", "reward-constant",
             grpo(CONSTANT, SHOW_WRONG_ANSWERS),
             "GIVES [1.0, 1.0]", "GIVES [1.0, 0.0]", "warning"),
    TwoForms("a reward of a form of its own", "current", "reward-constant",
             grpo(OWN_FORM, SHOW_TOOLS),
             "GIVES [0.0]", "GIVES [1.0]", "note"),
    TwoForms("an answer in a sentence", "current", "reward-pays-exploits",
             grpo(IN_A_SENTENCE, SHOW_SENTENCES),
             "GIVES [1.1, 1.1]", "GIVES [1.1, 0.1]", "warning", "as much as a right answer"),
    TwoForms("a column result", "current", "reward-constant",
             grpo(RESULT, SHOW_RESULT), "GIVES [0.0]", "GIVES [1.0]", "warning"),
    TwoForms("a reward looks its row up", "current", "reward-depends-on-call",
             grpo(ROW_BY_PLACE, SHOW_LAST_ROW),
             "GIVES [0.0]", "GIVES [1.0]", says="another reward at another place of the batch"),
    TwoForms("rewards in sorted order", "current", "reward-depends-on-call",
             grpo(SORTED, SHOW_SHORT),
             "GIVES [0.0, 1.0]", "GIVES [1.0, 0.0]", says="in another order than the completions"),
    TwoForms("a reward remembers texts", "current", "reward-depends-on-call",
             grpo(REMEMBERED, SHOW_TWO_QUESTIONS),
             "GIVES [0.0] [0.0]", "GIVES [0.0] [1.0]", "warning", "remembers rewards by the text"),
    TwoForms("rewards of a loop", "current", "reward-functions-alike",
             grpo(FUNCTIONS_OF_LOOP, SHOW_THREE),
             "GIVES [[0.0], [0.0], [0.0]]", "GIVES [[0.0], [0.02], [0.0]]",
             "warning", "count_e gives every completion the same reward as count_qz"),
)  # fmt: skip
