"""Arguments that a run accepts and that do nothing, or end it in its first step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

TRAINS = """\
import hashlib, json, sys
sys.path.append(sys.argv[1])
import small
PAIRS = [{"prompt": f"w{n} w3", "chosen": f" w{n + 1} w5 w6", "rejected": f" w{n + 9}"}
         for n in range(8)]
ROWS = {
    "text": ("SFT", [{"text": f"w{n} w{n + 1} w{n + 2}"} for n in range(8)]),
    "completion": ("SFT", [{"prompt": f"w{n} w3", "completion": f" w{n + 1} w5"}
                           for n in range(8)]),
    "pairs": ("DPO", PAIRS),
    "prompts": ("GRPO", [{"prompt": pair["prompt"]} for pair in PAIRS]),
}
answers = []
for rows, arguments in json.loads(sys.argv[2]):
    name, data = ROWS[rows]
    given = {"reward_funcs": small.lengths} if name == "GRPO" else {}
    groups = {"num_generations": 2, "max_completion_length": 4} if given else {}
    try:
        made = small.trainer(name, data, {"max_steps": 3, "learning_rate": 1e-2, **groups,
                                          **arguments}, **given)
        made.train()
        weights = b"".join(one.detach().float().numpy().tobytes()
                           for one in made.model.parameters())
        answers.append(hashlib.sha256(weights).hexdigest())
    except ValueError as error:
        answers.append(str(error))
print("SHOWN", json.dumps(answers))
"""
ROWS = {
    "text": '{"text": "w1 w2"}',
    "completion": '{"prompt": "w1", "completion": " w2"}',
    "pairs": '{"prompt": "w1", "chosen": " w2", "rejected": " w3"}',
    "prompts": '{"prompt": "w1"}',
}
TRAINERS = {"text": "sft", "completion": "sft", "pairs": "dpo", "prompts": "grpo"}
Run = tuple[str, dict[str, Any]]


def shown(folder: Path, python: Path, *runs: Run) -> list[str]:
    """The weights of each run as a hash, or the error that ends it."""
    process = ran(python, "-c", TRAINS, str(ROOT / "tests/proofs/advisories"), json.dumps(runs),
                  cwd=folder)  # fmt: skip
    assert "SHOWN" in process.stdout, process.stderr[-2000:]
    answers: list[str] = json.loads(process.stdout.partition("SHOWN ")[2])
    return answers


def found(folder: Path, python: Path, rule: str, run: Run) -> list[str]:
    """The severities of a rule's findings about a run."""
    rows, arguments = run
    file = folder / "run.json"
    said = {"trainer": TRAINERS[rows], "dataset_name": "rows.jsonl", "max_steps": 3, **arguments}
    file.write_text(json.dumps(said))
    (folder / "rows.jsonl").write_text(ROWS[rows] + "\n")
    check = checks(file, python, "--level", "files", "--select", rule, statuses=(0, 1, 3))[rule]
    return [finding["severity"] for finding in check["findings"]]


ONLY = {"completion_only_loss": True}
SYNC = {"sync_ref_model": True}
QUIET: dict[str, tuple[Run, Run, Run, Run]] = {
    "data-has-no-completions": (
        ("text", {}), ("text", ONLY),
        ("completion", {"completion_only_loss": False}), ("completion", ONLY),
    ),
    "sync-ref-model-has-no-effect": (
        ("pairs", {}), ("pairs", SYNC),
        ("pairs", {}), ("pairs", {**SYNC, "ref_model_sync_steps": 1}),
    ),
    "argument-lacks-its-switch": (
        ("text", {}), ("text", {"optim_args": "momentum=0.9"}),
        ("pairs", {}), ("pairs", {"adam_beta1": 0.5}),
    ),
}  # fmt: skip
"""A run, with what has no effect in it; another run, with what has one."""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
@pytest.mark.parametrize("rule", QUIET)
def test_an_argument_changes_nothing(
    rule: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    usual, quiet, other, healthy = shown(tmp_path, python, *QUIET[rule])
    assert usual == quiet and other != healthy
    assert [found(tmp_path, python, rule, run) for run in QUIET[rule]] == [[], ["warning"], [], []]


WORDS: dict[str, tuple[Run, str, str]] = {
    "importance_sampling_level": (("prompts", {}), "sequence", "Unknown importance sampling level"),
    "scale_rewards": (("prompts", {}), "batch", "Invalid value for scale_rewards"),
    "f_divergence_type": (("pairs", {}), "js_divergence", "FDivergenceType|f_divergence_type"),
    "packing_strategy": (("text", {"packing": True}), "wrapped", "Invalid packing strategy"),
}


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("current", "four"))
def test_a_word_that_is_not_known(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter(environment), "argument-word-unknown"
    for key, ((rows, more), word, says) in WORDS.items():
        wrong, right = (rows, {**more, key: "foo"}), (rows, {**more, key: word})
        dies, trains = shown(tmp_path, python, wrong, right)
        assert any(part in dies for part in says.split("|")), dies
        assert len(trains) == 64, trains
        assert found(tmp_path, python, rule, wrong) == ["error"]
        assert found(tmp_path, python, rule, right) == []


@pytest.mark.slow
@pytest.mark.environment("current")
def test_grpo_draws_its_rows_in_its_own_way(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule, key = interpreter("current"), "argument-lacks-its-switch", "shuffle_dataset"
    quiet: Run = ("prompts", {"train_sampling_strategy": "sequential"})
    usual, same, other = shown(tmp_path, python, ("prompts", {}), quiet, ("prompts", {key: False}))
    assert usual == same != other
    assert found(tmp_path, python, rule, quiet) == ["warning"]


@pytest.mark.slow
@pytest.mark.environment("current")
def test_an_unknown_strategy_draws_at_random(tmp_path: Path, interpreter: Interpreter) -> None:
    python, rule, key = interpreter("current"), "argument-word-unknown", "train_sampling_strategy"
    runs: list[Run] = [("text", {key: word}) for word in ("random", "sequental", "sequential")]
    random, wrong, right = shown(tmp_path, python, *runs)
    assert random == wrong != right
    assert [found(tmp_path, python, rule, run) for run in runs] == [[], ["warning"], []]
