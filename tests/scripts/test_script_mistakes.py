"""Ten mistakes, each in a script: found by the same rule as in a run file, at the line marked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from trl_doctor_rules._recorded.candidate import (
    CONFIG,
    TOKENIZER,
    config_files,
    tokenizer_files,
    under,
    weights,
)

from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.facts.rule import Bad
from trl_doctor.testing import check, laid_out

RULES = discover().rules
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
IMPORTS = """import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, PPOConfig, PPOTrainer, SFTConfig, SFTTrainer

DATA = load_dataset("org/data", split="train")
"""
NO_PAD = tokenizer_files(pad_token=None)
LAYER = "model__layers__0__self_attn__q_proj__weight"
WEIGHTS = {"model.safetensors": weights(**{LAYER: (2, 2), "model__embed_tokens__weight": (8, 2)})}

PAD_IS_EOS = """
tokenizer = AutoTokenizer.from_pretrained("model")
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token  # here
trainer = SFTTrainer("model", SFTConfig("out"), train_dataset=DATA, processing_class=tokenizer)
"""
ADDED = """
def setup():
    tokenizer = AutoTokenizer.from_pretrained("model")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<a>", "<b>"]})  # here
    return tokenizer

trainer = SFTTrainer("model", SFTConfig("out"), train_dataset=DATA, processing_class=setup())
"""
ADDED_VLLM = """
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer.add_tokens(["<a>"])  # here
model.resize_token_embeddings(len(tokenizer))
args = GRPOConfig(output_dir="out", use_vllm=True)
trainer = GRPOTrainer(model, [len], args=args, train_dataset=DATA, processing_class=tokenizer)
"""
TURN_END = """
trainer = GRPOTrainer(model="model", reward_funcs=len, args=GRPOConfig(), train_dataset=DATA)
"""
REMOVED = """
args = GRPOConfig(
    output_dir="out",
    max_prompt_length=512,  # here
)
trainer = GRPOTrainer("model", len, args, DATA)
"""
REWARD = """
def score(completions):  # here
    return [0.0 for _ in completions]

trainer = GRPOTrainer("model", reward_funcs=[score], args=GRPOConfig(), train_dataset=DATA)
"""
BATCH = """
GENERATIONS = 8
args = GRPOConfig(
    num_generations=GENERATIONS,
    per_device_train_batch_size=4,
    generation_batch_size=20,  # here
    output_dir="out",
)
trainer = GRPOTrainer("model", len, args, DATA)
"""
NO_VALUE = """
policy = AutoModelForCausalLM.from_pretrained("model")
reward = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
trainer = PPOTrainer(
    args=PPOConfig(output_dir="out"),
    model=policy,
    ref_model=None,
    reward_model=reward,
    value_model=None,  # here
    train_dataset=DATA,
    processing_class=AutoTokenizer.from_pretrained("model"),
)
"""
BF16 = """
model = AutoModelForCausalLM.from_pretrained(
    "model",
    torch_dtype=torch.bfloat16,  # here
)
trainer = SFTTrainer(model, args=SFTConfig("out", learning_rate=1e-7), train_dataset=DATA)
"""
LORA = """
lora = LoraConfig(
    r=8,
    target_modules=["W_pack", "c_attn"],  # here
)
trainer = SFTTrainer("model", SFTConfig("out"), train_dataset=DATA, peft_config=lora)
"""
STOP = """
args = GRPOConfig(
    output_dir="out",
    use_vllm=True,
    generation_kwargs={"stop": ["</search>"]},  # here
)
trainer = GRPOTrainer("model", len, args, DATA)
"""
KEPT = """
def right(completions, completion, **kwargs):  # here
    return [float(text == answer) for text, answer in zip(completions, completion)]

trainer = GRPOTrainer("model", right, GRPOConfig("out"), DATA)
"""
SEARCH = tokenizer_files("</search>")
FORMATTED = """
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
from trl import setup_chat_format
model, tokenizer = setup_chat_format(model, tokenizer=tokenizer)  # here
trainer = SFTTrainer(model, SFTConfig("out"), train_dataset=DATA, processing_class=tokenizer)
"""
PADDED = FORMATTED.replace("trainer =", "tokenizer.pad_token = '<|fim_pad|>'\ntrainer =")

MISTAKES = [
    ("tokenizer_pad_is_eos", PAD_IS_EOS, {**NO_PAD, **CONFIG}, {"trl": "0.15.2"}),
    ("tokenizer_pad_is_eos", FORMATTED, {**NO_PAD, **CONFIG}, {"trl": "0.15.2"}),
    ("tokenizer_longer_than_embedding", ADDED, {**TOKENIZER, **CONFIG}, NEW),
    ("vllm_tokenizer_lacks_tokens", ADDED_VLLM, {**TOKENIZER, **CONFIG}, NEW),
    ("chat_template_turn_end_is_not_eos", TURN_END,
     {**tokenizer_files(eos_token="<|endoftext|>"),
      **config_files({"eos_token_id": 4}, eos_token_id=4)}, NEW),
    ("argument_gone_from_trl", REMOVED, {**TOKENIZER, **CONFIG}, NEW),
    ("reward_raises", REWARD, {**TOKENIZER, **CONFIG}, NEW),
    ("reward_raises", KEPT, {**TOKENIZER, **CONFIG}, NEW),
    ("batch_not_divisible_by_generations", BATCH, {**TOKENIZER, **CONFIG}, NEW),
    ("ppo_model_missing", NO_VALUE, {**TOKENIZER, **CONFIG}, {"trl": "1.12.0"}),
    ("weights_in_bf16_do_not_move", BF16, {**TOKENIZER, **CONFIG}, NEW),
    ("adapter_targets_nothing", LORA, {**TOKENIZER, **CONFIG, **WEIGHTS}, NEW),
    ("vllm_stop_ids_not_passed", STOP, {**SEARCH, **CONFIG}, NEW),
]  # fmt: skip


def _examined(
    rule: str, text: str, model: dict[str, Any], versions: dict[str, str], **more: Any
) -> Outcome:
    (loaded,) = (candidate for candidate in RULES if candidate.name == rule.replace("_", "-"))
    example = Bad({}, more.get("target", "train.py"), versions=versions)
    files = {**under("model", model), **under("reward", CONFIG), **more.get("files", {})}
    with laid_out({**files, **more.get("given", {"train.py": IMPORTS + text})}) as folder:
        (outcome,) = check(loaded, example, folder).outcomes
    return outcome


@pytest.mark.parametrize(("rule", "text", "model", "versions"), MISTAKES, ids=lambda value: "")
def test_each_mistake_is_found_in_a_script(
    rule: str, text: str, model: dict[str, Any], versions: dict[str, str]
) -> None:
    outcome = _examined(rule, text, model, versions)
    assert outcome.state == "found", (outcome.state, outcome.reason)
    lines = (IMPORTS + text).splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# here" in line]
    if marked:
        spot = outcome.findings[0].place.spot
        assert spot is not None
        assert spot.line == marked[0]


@pytest.mark.parametrize(("rule", "text", "model", "versions"), MISTAKES, ids=lambda value: "")
def test_the_same_is_found_in_a_notebook(
    rule: str, text: str, model: dict[str, Any], versions: dict[str, str]
) -> None:
    cells = ["!pip install trl\n%load_ext autoreload\n" + IMPORTS, text]
    notebook = {"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    given = {"run.ipynb": json.dumps(notebook)}
    outcome = _examined(rule, text, model, versions, given=given, target="run.ipynb")
    assert outcome.state == "found", (outcome.state, outcome.reason)
    spot = outcome.findings[0].place.spot
    assert spot is None or (spot.cell and spot.cell.number == 2)


def test_a_pad_token_that_is_set_after_the_format_counts() -> None:
    outcome = _examined("tokenizer_pad_is_eos", PADDED, {**NO_PAD, **CONFIG}, {"trl": "0.15.2"})
    assert outcome.state == "clear", outcome


def test_what_is_not_known_is_never_clear() -> None:
    text = REMOVED.replace("max_prompt_length=512,  # here", "**settings()")
    for rule in ("argument_gone_from_trl", "argument_unknown", "argument_of_wrong_type"):
        outcome = _examined(rule, text, {**TOKENIZER, **CONFIG}, NEW)
        assert outcome.state == "skipped"
        assert "`**settings()` may hold it" in outcome.reason
    batch = BATCH.replace("per_device_train_batch_size=4", "per_device_train_batch_size=size()")
    outcome = _examined("batch_not_divisible_by_generations", batch, {**TOKENIZER, **CONFIG}, NEW)
    assert outcome.state == "skipped"
    assert "per_device_train_batch_size is not known" in outcome.reason
