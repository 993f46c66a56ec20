"""Rewards of GRPO that read a part of a number: of a judge's verdict, and of a right answer."""

from __future__ import annotations

from two_forms.grpo.answers import grpo
from two_forms.script import TwoForms

QUESTIONS = """\
rows = [{"prompt": f"Write about the number {n}."} for n in range(8)]"""
JUDGED = """\
def judge(text):
    return f"It is long enough. Score: {min(10, 2 + len(text) // 4)}/10"


def read(verdict):
    found = re.search(r"Score: ([0-9](?:\\.\\d)?)", verdict)  #~bad
    found = re.search(r"Score: (\\d+(?:\\.\\d)?)", verdict)  #~good
    return float(found[1])


def score(completions, **kwargs):
    return [read(judge(text)) for text in texts(completions)]"""
VERDICT = """print("GIVES", [read("Score: 10/10")])"""
YEARS = """\
rows = [{"prompt": f"Which year comes after {n}?", "answer": str(n + 1)}
        for n in range(990, 1010)]"""
SHORT = """\
YEAR = re.compile(r"(\\d{1,3})")  #~bad
YEAR = re.compile(r"(\\d{1,4})")  #~good


def score(completions, answer, **kwargs):
    found = [YEAR.search(text) for text in texts(completions)]
    return [float(bool(one) and one[1] == right) for one, right in zip(found, answer)]"""
YEAR = """print("GIVES", score(["It is 1005."], ["1005"]))"""

SCRIPTS = tuple(
    TwoForms(f"{name}, {environment}", environment, "reward-cuts-numbers",
             grpo(*parts), bad, good, "warning", says)
    for environment in ("current", "four")
    for name, parts, bad, good, says in (
        ("a verdict of ten", (QUESTIONS, JUDGED, VERDICT), "GIVES [1.0]", "GIVES [10.0]",
         "score reads '1' of the number '10'"),
        ("a year of four digits", (YEARS, SHORT, YEAR), "GIVES [0.0]", "GIVES [1.0]",
         "score reads '100' of the number '1000'"),
    )
)  # fmt: skip
