"""Reward functions of a run: each but `healthy_reward` is wrong in another way."""

import ctypes
import math
import os
import re
import signal
import time


def texts(completions):
    return [completion[0]["content"] for completion in completions]


def signature(completions):
    return [float(at) for at, _ in enumerate(completions)]


def column(completions, answer, **kwargs):
    return [float(at) for at, _ in enumerate(completions)]


def single(completions, **kwargs):
    return [1.0]


def three(completions, **kwargs):
    return [1.0, 2.0, 3.0]


def strings(completions, **kwargs):
    return [str(at) for at, _ in enumerate(completions)]


def infinite(completions, **kwargs):
    return [-math.inf if at == 0 else float(at) for at, _ in enumerate(completions)]


def nothing(completions, **kwargs):
    return [None for _ in completions]


def constant(completions, **kwargs):
    return [1.0 for _ in completions]


def of_prompt(prompts, completions, **kwargs):
    return [float(len(str(prompt))) for prompt in prompts]


def of_solution(completions, solution, **kwargs):
    return [-float(len(right)) for right in solution]


def reversed_(completions, solution, **kwargs):
    return [
        float(right not in text) for text, right in zip(texts(completions), solution, strict=True)
    ]


def unmatched(completions, **kwargs):
    return [float(len(re.search("boxed{(.*)}", text).group(1))) for text in texts(completions)]


def messages_as_text(completions, **kwargs):
    return [float(len(completion.strip())) for completion in completions]


def healthy_reward(completions, solution, **kwargs):
    matches = [re.search("boxed{(.*)}", text) for text in texts(completions)]
    right = [
        bool(match) and match.group(1) == wanted
        for match, wanted in zip(matches, solution, strict=True)
    ]
    return [
        is_right + 0.001 * len(text)
        for is_right, text in zip(right, texts(completions), strict=True)
    ]


def endless(completions, **kwargs):
    re.match("(a+)+$", "a" * 40 + "b")
    return [0.0 for _ in completions]


def sleeping(completions, **kwargs):
    time.sleep(10**9)


def blocked(completions, **kwargs):
    while True:
        ctypes.PyDLL(None).sleep(1000)  # keeps the interpreter to itself


def crashing(completions, **kwargs):
    os.kill(os.getpid(), signal.SIGSEGV)


def any_box(completions, solution, **kwargs):
    pairs = zip(texts(completions), solution, strict=True)
    return [float(bool(re.search("boxed{.+?}", text)) and right != "") for text, right in pairs]


def inside(completions, solution, **kwargs):
    matches = [re.search("boxed{(.*?)}", text) for text in texts(completions)]
    pairs = zip(matches, solution, strict=True)
    return [float(bool(match) and match.group(1) in right) for match, right in pairs]
