"""What a script's functions need is taken out of it, each statement on its own line."""

from __future__ import annotations

import pytest

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.script.syntax.parts import needed

HEAD = """\
import re
from transformers import AutoTokenizer, pipeline
from mine import words

try:
    import math_verify
except ImportError:
    math_verify = None
PATTERN = re.compile("<a>(.*)</a>")
WEIGHTS = {"right": 1.0}
WEIGHTS["wrong"] = 0.0
tokenizer = AutoTokenizer.from_pretrained("org/model")
judge = pipeline("text-classification")
if True:
    FACTOR = 2


def found(text, pattern=PATTERN):
    return pattern.search(text)


class Scale:
    factor = len(WEIGHTS)

    def of(self, text):
        return words(text)


"""


def lines_kept(body: str) -> list[str]:
    """The lines that `score` needs, of a script with it at its end."""
    text = needed(f"{HEAD}{body}\ntrain()\n", ["score"])
    assert len(text.split("\n")) == len(f"{HEAD}{body}\ntrain()\n".split("\n"))
    compile(text, "train.py", "exec")
    return [line for line in text.split("\n") if line and not line.startswith(" ")]


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        ("def score(completions):\n    return [0.0 for _ in completions]", ["def score"]),
        ("def score(completions, tokenizer=None):\n    return tokenizer", ["def score"]),
        (
            "def score(completions):\n    return [WEIGHTS[found(c)] for c in completions]",
            ["import re", "PATTERN", "WEIGHTS = ", "WEIGHTS[", "def found", "def score"],
        ),
        (
            "def score(completions):\n    return [Scale().of(c) for c in completions]",
            ["from mine", "WEIGHTS = ", "WEIGHTS[", "class Scale", "def score"],
        ),
        (
            "def score(completions):\n    def inner(c):\n        return math_verify.parse(c)\n"
            "    return [inner(c) for c in completions]",
            ["try:", "except", "def score"],
        ),
    ],
)
def test_what_is_needed_and_nothing_else(body: str, begins: list[str]) -> None:
    kept = lines_kept(body)
    assert len(kept) == len(begins)
    assert all(line.startswith(start) for line, start in zip(kept, begins, strict=True))


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        ("tokenizer.decode", r"tokenizer is needed, and line 12 calls AutoTokenizer.from_pretr"),
        ("judge", "judge is needed, and line 13 calls pipeline"),
        ("FACTOR", "FACTOR is needed, and line 14 is no plain definition"),
    ],
)
def test_what_does_more_than_define_is_refused(needs: str, says: str) -> None:
    with pytest.raises(Unavailable, match=says):
        lines_kept(f"def score(completions):\n    return [{needs}(c) for c in completions]")
