"""What the source of a reward function shows: completions read as texts, one reward for all."""

from __future__ import annotations

import ast

import pytest

from trl_doctor.facts.functions.texts import gives_one, text_use


def function(*lines: str) -> ast.FunctionDef:
    body = "".join(f"    {line}\n" for line in lines)
    parsed = ast.parse(f"def score(completions, answer, **kwargs):\n{body}").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    return parsed


@pytest.mark.parametrize(
    ("lines", "use"),
    [
        (["return [bool(re.search('a', one)) for one in completions]"], "re.search"),
        (["return [one.strip() == 'a' for one in completions]"], "one.strip()"),
        (["return [c.lower() == a for c, a in zip(completions, answer)]"], "c.lower()"),
        (["return [c.lower() == a for n, c in enumerate(completions)]"], "c.lower()"),
        (["return [a.lower() == c for c, a in zip(completions, answer)]"], ""),
        (["return [one[0]['content'].strip() for one in completions]"], ""),
        (
            ["texts = [c[0]['content'] for c in completions]", "return [c.strip() for c in texts]"],
            "",
        ),
        (["completions = said(completions)", "return [c.strip() for c in completions]"], ""),
        (["for c in completions:", "    c = c[0]['content']", "    c.strip()"], ""),
        (["return [c.strip() if isinstance(c, str) else '' for c in completions]"], ""),
    ],
)
def test_completions_that_are_read_as_texts(lines: list[str], use: str) -> None:
    assert text_use(function(*lines)) == use


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return [1.0]"], True),
        (["return 0.5"], True),
        (["if answer:", "    return [1.0]", "return [0.0]"], True),
        (["if not completions:", "    return [0.0]", "return list(completions)"], False),
        (["return [*completions]"], False),
        (["return [1.0, 0.0]"], False),
        (["return [1.0 for one in completions]"], False),
        (["pass"], False),
    ],
)
def test_functions_that_give_one_reward(lines: list[str], expected: bool) -> None:
    assert gives_one(function(*lines)) == expected
