"""Reward functions of GRPO that would pay if one thing were another, in two forms."""

from __future__ import annotations

from two_forms.grpo.rewards import grpo
from two_forms.script import TwoForms

OF_LISTS = """\
def score(completions, **kwargs):
    texts = [str(completion) for completion in completions]  #~bad
    texts = [completion[0]["content"] for completion in completions]  #~good
    return [float(bool(re.match("<answer>.*</answer>$", text))) for text in texts]

"""
SHOW_TAGS = """said = [[{"role": "assistant", "content": "<answer>4</answer>"}]]
print("GIVES", score(completions=said))"""
WITH_SPACE = """\
dataset = dataset.map(lambda row: {"answer": row["answer"].split("####")[1]})  #~bad
dataset = dataset.map(lambda row: {"answer": row["answer"].split("####")[1].strip()})  #~good


def score(completions, answer, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [float(number(text) == right) for text, right in zip(texts, answer)]

"""
OF_OTHER_TYPE = """\
dataset = dataset.map(lambda row: {"result": int(row["answer"].split()[-1])})  #~bad
dataset = dataset.map(lambda row: {"result": row["answer"].split()[-1]})  #~good
dataset = dataset.remove_columns("answer")


def score(completions, result, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [float(number(text) == right) for text, right in zip(texts, result)]

"""
SHOW_ANSWER = """said = [[{"role": "assistant", "content": "It is 4"}]]
print("GIVES", score(completions=said, answer=[dataset[0]["answer"]]))"""

OF_THEIR_COUNT = """\
def score(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [-len(completions) / 100 for text in texts]  #~bad
    return [-len(text) / 100 for text in texts]  #~good

"""
SHOW_LENGTHS = """texts = ("Yes.", "Yes. " * 9)
said = [[{"role": "assistant", "content": text}] for text in texts]
print("GIVES", len(set(score(completions=said))))"""

SCRIPTS = (
    TwoForms("a reward of printed messages", "current", "reward-constant",
             grpo(OF_LISTS, SHOW_TAGS), "GIVES [0.0]", "GIVES [1.0]",
             says="a completion is a list of messages, and it looks for a text"),
    TwoForms("an answer with a space", "four", "reward-constant",
             grpo(WITH_SPACE, SHOW_ANSWER), "GIVES [0.0]", "GIVES [1.0]",
             says="the right answers in the column answer begin or end with a space"),
    TwoForms("an answer that is a number", "current", "reward-constant",
             grpo(OF_OTHER_TYPE, SHOW_ANSWER.replace("answer", "result")),
             "GIVES [0.0]", "GIVES [1.0]", says="it compares them with texts"),
    TwoForms("a reward of the number of completions", "current", "reward-constant",
             grpo(OF_THEIR_COUNT, SHOW_LENGTHS), "GIVES 1", "GIVES 2",
             says="it depends on how many they are, not on what they say"),
)  # fmt: skip
