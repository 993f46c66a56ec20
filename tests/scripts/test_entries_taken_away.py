"""Entries that a script perhaps puts into its settings, or perhaps takes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import environment

WORLD = environment(None, ["trl==0.19.1", "transformers==4.57.6"], installed=False)
RULE = "argument-gone-from-trl"

SCRIPT = """\
from trl import DPOConfig, DPOTrainer, ModelConfig
settings = {"beta": 0.2, "lora_r": 8, "max_length": 512}
CHANGE
DPOTrainer("org/m", args=DPOConfig(output_dir="out", **settings))
"""
TAKES = {
    "a comprehension": "mine = {key: settings.pop(key) for key in names & set(settings)}",
    "a list": "mine = [settings.pop(key) for key in names if key in settings]",
    "a generator": "mine = dict((key, settings.pop(key)) for key in names)",
    "a loop": "for key in names:\n    settings.pop(key, None)",
    "a loop that deletes": "for key in names:\n    del settings[key]",
    "a condition": "if ask():\n    settings.pop('lora_r')",
    "all of them": "if ask():\n    settings.clear()",
}


def run_of(folder: Path, change: str) -> Run:
    script = folder / "train.py"
    script.write_text(SCRIPT.replace("CHANGE", change))
    return open_run(Target(script.name, "script", script, "a script"), WORLD, Options(offline=True))


def outcome(run: Run) -> tuple[str, list[str]]:
    """What became of the rule, and its messages."""
    rules = [rule for rule in discover().rules if rule.name == RULE]
    (result,) = examine(run, WORLD, rules).outcomes
    return result.state, [finding.message for finding in result.findings]


@pytest.mark.parametrize("change", TAKES.values(), ids=TAKES)
def test_an_entry_that_is_perhaps_taken_away_is_no_error(change: str, tmp_path: Path) -> None:
    run = run_of(tmp_path, change)
    assert outcome(run) == ("skipped", [])
    with pytest.raises(Unavailable, match="whether lora_r is set is not known"):
        run.arguments.get("lora_r")


def test_an_entry_that_is_perhaps_put_in_is_no_error(tmp_path: Path) -> None:
    run = run_of(tmp_path, "del settings['lora_r']\nif ask():\n    settings['lora_alpha'] = 8")
    assert outcome(run) == ("skipped", [])
    assert run.arguments.get("beta") == 0.2


def test_what_certainly_is_there_is_an_error_still(tmp_path: Path) -> None:
    state, messages = outcome(run_of(tmp_path, "settings.pop('beta')"))
    assert state == "found" and "has no lora_r" in messages[0]


def test_what_is_certainly_taken_away_is_clear(tmp_path: Path) -> None:
    assert outcome(run_of(tmp_path, "settings.pop('lora_r')")) == ("clear", [])
