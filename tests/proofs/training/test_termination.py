"""A model that only ends its turn: where generation stops, and what the doctor reports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import make
import pytest
from commands import checks
from laid import ROOT, Interpreter

Real: TypeAlias = Callable[..., dict[str, Any]]
RULE, LENGTH = "generation-runs-to-the-limit", 12
END, TURN = "<|endoftext|>", "<|im_end|>"
END_ID, TURN_ID = (make.tokenizer().token_to_id(name) for name in (END, TURN))
RUN = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "num_processes": 1,
    "per_device_train_batch_size": 2,
    "num_generations": 2,
    "max_completion_length": LENGTH,
    "bf16": False,
}


@dataclass(frozen=True)
class Ends:
    """The eos of the tokenizer and of generation_config.json, and whether generation stops."""

    environment: str
    tokenizer: str
    listed: list[int]
    stops: bool

    @property
    def name(self) -> str:
        return f"{self.environment}-{self.tokenizer}-{'+'.join(map(str, self.listed))}"


BOTH, OTHER = [TURN_ID, END_ID], [END_ID]
CASES = (
    Ends("current", TURN, BOTH, stops=True),
    Ends("current", END, BOTH, stops=True),
    Ends("current", END, OTHER, stops=False),
    Ends("four", END, BOTH, stops=False),
    Ends("four", TURN, OTHER, stops=True),
    Ends("grpo-first", END, BOTH, stops=True),
    Ends("grpo-first", TURN, OTHER, stops=False),
    Ends("grpo-first", END, OTHER, stops=False),
)


@pytest.mark.slow
@pytest.mark.parametrize("ends", CASES, ids=[case.name for case in CASES])
def test_the_report_shows_where_generation_stops(
    ends: Ends, tmp_path: Path, interpreter: Interpreter, real: Real
) -> None:
    python = interpreter(ends.environment)
    candidate(tmp_path, ends)
    trained = real(python, tmp_path, ask="train", run=RUN, say=TURN)
    width = 1 if ends.stops else LENGTH
    assert (trained["error"], set(trained["generated"])) == (None, {width})
    check = finding(python, tmp_path)
    assert check["state"] == ("clear" if ends.stops else "found"), check
    if not ends.stops:
        (entry,) = check["findings"]
        assert (
            f"generates only {TURN} ({TURN_ID}): it wrote 12 of at most 12 tokens"
            in entry["message"]
        )
        assert entry["severity"] == "error"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four", "grpo-shapes"])
def test_a_least_length_is_no_fault_of_the_ends(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    candidate(tmp_path, Ends(environment, TURN, BOTH, stops=True))
    bounds = {"min_new_tokens": LENGTH + 4, "stop_strings": ["x"], "max_time": 60.0}
    (tmp_path / "run.json").write_text(json.dumps({**RUN, "generation_kwargs": bounds}))
    listed = tmp_path / "model/generation_config.json"
    listed.write_text(json.dumps({**json.loads(listed.read_text()), "min_length": 40}))
    check = finding(interpreter(environment), tmp_path)
    assert (check["state"], check["findings"]) == ("clear", []), check


def candidate(folder: Path, ends: Ends) -> None:
    """The healthy fixture with these ends."""
    model = folder / "model"
    shutil.copytree(ROOT / "fixtures/models/healthy", model)
    eos = make.tokenizer().token_to_id(ends.tokenizer)
    for name, keys in (
        ("tokenizer_config.json", {"eos_token": ends.tokenizer}),
        ("generation_config.json", {"eos_token_id": ends.listed}),
        ("config.json", {"eos_token_id": eos}),
    ):
        path = model / name
        path.write_text(json.dumps({**json.loads(path.read_text()), **keys}))
    (folder / "run.json").write_text(json.dumps(RUN))


def finding(python: Path, folder: Path) -> dict[str, Any]:
    """What became of the rule."""
    selected = ("--level", "tiny", "--select", RULE)
    return checks(folder / "run.json", python, *selected, statuses=(0, 1, 3))[RULE]
