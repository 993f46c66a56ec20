"""Kinds of death that a stranger's runs had: found in the files, gone with the remedy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import checks, died, ran
from laid import Interpreter
from run_with_rows import GROUPS, Rows, laid, prompts, texts

SCHEDULE = {"lr_scheduler_type": "cosine_with_min_lr", "learning_rate": "1e-5"}
OPEN = "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endfor %}"
TALK: Rows = [{"messages": [{"role": "user", "content": "Why?"},
                            {"role": "assistant", "content": "So."}]}] * 4  # fmt: skip
SAVE = (
    "from datasets import load_dataset as load;import shutil;rows = load('data', split='train');"
    "shutil.rmtree('data');rows.save_to_disk('data')"
)
PAIRS: Rows = [{"chosen": "One two.", "rejected": "Three."}] * 4
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], Rows, str, str, str]] = {
    "a number that YAML reads as a text": (
        "sft", {**SCHEDULE, "lr_scheduler_kwargs": {"min_lr": "1e-6"}},
        {"lr_scheduler_kwargs": {"min_lr": 0.0001}}, texts(),
        "'str' and 'float'", "argument-schedule-refused",
        "min_lr in lr_scheduler_kwargs is the text",
    ),
    "no, which YAML reads as false": (
        "sft", {"save_strategy": False}, {"save_strategy": "no"}, texts(),
        "False is not a valid SaveStrategy", "argument-not-a-choice", "save_strategy is False",
    ),
    "a short name of a type": (
        "sft", {"dtype": "bf16"}, {"dtype": "bfloat16"}, texts(),
        "Error", "argument-loading-value-unknown", "dtype is 'bf16', which is not a dtype of torch",
    ),
    "a template that does not parse": (
        "sft", {"chat_template_path": "open.jinja"}, {"chat_template_path": "closed.jinja"}, TALK,
        "TemplateSyntaxError", "chat-template-refuses-rows", "does not parse at line 1",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("name", CASES)
def test_an_argument_is_reported(
    name: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    trainer, bad, good, rows, dies, rule, says = CASES[name]
    flags = ("--trainer", trainer, "--select", rule, "--level", "files")
    file = laid(tmp_path / "job", bad, rows)
    (file.parent / "open.jinja").write_text(OPEN)
    (file.parent / "closed.jinja").write_text(OPEN.replace("{% endfor", "{% endif %}{% endfor"))
    assert dies in died(python, file.parent, trainer)
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert says in finding["message"]
    file.write_text(json.dumps({**json.loads(file.read_text()), **good}))
    assert died(python, file.parent, trainer) == ""
    assert checks(file, python, *flags, statuses=(0, 3))[rule]["findings"] == []


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_a_folder_that_save_to_disk_wrote(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "data-saved-to-disk"
    file = laid(tmp_path / "job", {}, texts())
    assert ran(python, "-c", SAVE, cwd=file.parent).returncode == 0
    assert "saved using `save_to_disk`" in died(python, file.parent, "sft")
    (finding,) = checks(file, python, "--trainer", "sft", "--level", "files")[rule]["findings"]
    assert "load_dataset refuses such a folder" in finding["message"]
    parts = SAVE.replace("rows.save", "__import__('datasets').DatasetDict(train=rows).save")
    file = laid(tmp_path / "job", {}, texts())
    assert ran(python, "-c", parts, cwd=file.parent).returncode == 0
    assert died(python, file.parent, "sft") == ""
    outcomes = checks(file, python, "--trainer", "sft", "--level", "files", statuses=(0, 3))
    assert not [outcome for outcome in outcomes.values() if outcome["findings"]]


ROPE = {"rope_type": "yarn", "factor": 2.0}
CONFIGS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "checkpoint-vocabulary-differs": ("vocab_size", lambda config: config["vocab_size"] + 64),
    "config-lacks-rope-keys": ("rope_scaling", lambda _: {"rope_type": "yarn"}),
    "config-refused-by-transformers": ("torch_dtype", lambda _: "torch.bfloat16"),
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("rule", CONFIGS)
def test_a_config_that_is_refused(
    rule: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, (key, change) = interpreter(environment), CONFIGS[rule]
    file = laid(tmp_path / "job", {}, texts())
    _edit(file.parent / "model/config.json", change, key)
    assert died(python, file.parent, "sft")
    flags = ("--trainer", "sft", "--level", "files", "--select", rule)
    assert len(checks(file, python, *flags)[rule]["findings"]) == 1
    if rule == "config-lacks-rope-keys":
        _edit(file.parent / "model/config.json", lambda _: ROPE, key)
    checks(file, python, *flags, "--fix", "--unsafe-fixes", statuses=(0, 1, 3))
    assert died(python, file.parent, "sft") == ""


@pytest.mark.slow
def test_an_adapter_of_a_reward_model(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule = interpreter("current"), "adapter-of-wrong-task"
    file = laid(tmp_path / "job", {"use_peft": True}, PAIRS)
    assert "prepare_inputs_for_generation" in died(python, file.parent, "reward")
    flags = ("--trainer", "reward", "--level", "files", "--select", rule)
    assert len(checks(file, python, *flags)[rule]["findings"]) == 1
    checks(file, python, *flags, "--fix", statuses=(0, 1, 3))
    assert died(python, file.parent, "reward") == ""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_a_reward_model_without_eos(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "tokenizer-eos-missing"
    file = laid(tmp_path / "job", {}, PAIRS)
    options = file.parent / "model/tokenizer_config.json"
    written = options.read_text()
    options.write_text(json.dumps({**json.loads(written), "eos_token": None}))
    (file.parent / "model/special_tokens_map.json").unlink(missing_ok=True)
    assert "endswith first arg must be str" in died(python, file.parent, "reward")
    flags = ("--trainer", "reward", "--level", "files", "--select", rule)
    assert len(checks(file, python, *flags)[rule]["findings"]) == 1
    options.write_text(written)
    assert died(python, file.parent, "reward") == ""


SHORT = (
    "from transformers import AutoModelForCausalLM as Model, GPT2Config as Config;"
    "ids = dict(bos_token_id=298, eos_token_id=298, pad_token_id=299);"
    "config = Config(vocab_size=320, n_positions=16, n_embd=32, n_layer=1, n_head=2, **ids);"
    "Model.from_config(config).save_pretrained('model')"
)


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_rows_that_are_longer_than_the_positions(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "data-longer-than-positions"
    file = laid(tmp_path / "job", {}, [{"text": "One two three. " * 8}] * 4)
    assert ran(python, "-c", SHORT, cwd=file.parent).returncode == 0
    assert "index out of range in self" in died(python, file.parent, "sft")
    flags = ("--trainer", "sft", "--level", "files", "--select", rule)
    (finding,) = checks(file, python, *flags)[rule]["findings"]
    assert "4 of the first 4 rows have more words" in finding["message"]
    checks(file, python, *flags, "--fix", "--unsafe-fixes", statuses=(0, 1, 3))
    assert died(python, file.parent, "sft") == ""


@pytest.mark.slow
def test_a_model_that_returns_tuples(tmp_path: Path, interpreter: Interpreter) -> None:
    """The small model fails as the real one does: that is no reason to take no step."""
    python, rule = interpreter("current"), "step-raises"
    file = laid(tmp_path / "job", {}, texts())
    _edit(file.parent / "model/config.json", lambda _: False, "return_dict")
    assert "has no attribute 'last_hidden_state'" in died(python, file.parent, "sft")
    (finding,) = checks(file, python, "--trainer", "sft")[rule]["findings"]
    assert "has no attribute 'last_hidden_state'" in finding["message"]


@pytest.mark.slow
def test_prompts_of_two_kinds_that_do_not_meet(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    talk = [{"prompt": [{"role": "user", "content": "Why?"}], "answer": "So."}]
    file = laid(tmp_path / "job", GROUPS, [*prompts()[:4], *talk * 4])
    assert died(python, file.parent, "grpo") == ""
    assert not checks(file, python, "--trainer", "grpo", statuses=(0, 1, 3))["step-raises"][
        "findings"
    ]


def _edit(file: Path, change: Callable[[dict[str, Any]], Any], key: str) -> None:
    config = {
        name: value for name, value in json.loads(file.read_text()).items() if name != "dtype"
    }
    file.write_text(json.dumps({**config, key: change(config)}))


LAST_TOKEN = """
from datasets import Dataset
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", report_to=[], use_cpu=True, bf16=False)
rows = Dataset.from_dict({"text": ["One two."]})
trainer = SFTTrainer("model", args, train_dataset=rows)
ids = trainer.train_dataset[0]["input_ids"]
print("ENDS WITH", trainer.processing_class.convert_ids_to_tokens(ids)[-1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_an_eos_with_a_typing_mistake(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "tokenizer-token-not-in-vocabulary"
    file = laid(tmp_path / "job", {}, texts())
    _edit(file.parent / "model/tokenizer_config.json", lambda _: "<|imend|>", "eos_token")
    done = ran(python, "-c", LAST_TOKEN, cwd=file.parent)
    assert "ENDS WITH <|imend|>" in done.stdout, done.stderr
    flags = ("--trainer", "sft", "--level", "files", "--select", rule)
    (finding,) = checks(file, python, *flags, statuses=(0,))[rule]["findings"]
    assert "eos_token is <|imend|>, which no file of the tokenizer lists" in finding["message"]
    checks(file, python, *flags, "--fix", statuses=(0, 3))
    assert "ENDS WITH <|im_end|>" in ran(python, "-c", LAST_TOKEN, cwd=file.parent).stdout
