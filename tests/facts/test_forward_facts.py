"""The forward pass and the termination as facts, from recorded answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version
from trl_doctor_rules._recorded.runs import recorded

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.forward import forward, logits, trainer_named
from trl_doctor.facts.measured.termination import termination
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.probes.answers.forward import ForwardAnswer, TrainerForward
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.termination import Generation, TerminationAnswer, TrainerGeneration
from trl_doctor.testing import answered, laid_out

RUN = {"trainer": "grpo", "model_name_or_path": "model"}
SWALLOWED = replace(
    recorded("grpo", "forward", ForwardAnswer),
    architecture="Qwen2ForCausalLM",
    layers=2,
    vocabulary=151936,
    trainer=TrainerForward(
        "GRPOTrainer._get_per_token_logps",
        wanted=5,
        passed="logits_to_keep",
        kept=6,
        returned=12,
        got=5,
        wrong_by=0.0,
    ),
)
TALKED = TerminationAnswer(
    architecture="Qwen2ForCausalLM",
    turn_end=6,
    turn_end_probability=0.999,
    limit=12,
    files=Generation((4,), (6,) * 12, stopped=False),
    trainer=TrainerGeneration((6,), (6,), stopped=True, counted=(6,)),
)


def other(**changed: Any) -> ForwardAnswer:
    """The same, where the trainer's own pass was otherwise."""
    assert SWALLOWED.trainer
    return replace(SWALLOWED, trainer=replace(SWALLOWED.trainer, **changed))


def facts(folder: Path, trl: str = "0.15.2", **answers: Any) -> Facts:
    """The facts of the run in a folder, with these answers of probes."""
    world = Environment(Path("python"), (), {"trl": Version(trl)})
    all_answers = {"libraries": LibrariesAnswer({}), **answers}
    by_probe = {probe: answered(probe, answer) for probe, answer in all_answers.items()}
    run = open_run(target(str(folder / "run.json"), offline=True), world, Options(offline=True))
    return Facts(run, world, ExampleOracle(by_probe))


def test_a_model_with_too_many_logits_has_swallowed_the_keyword() -> None:
    with laid_out({"run.json": RUN, "model/config.json": {}}) as folder:
        result = facts(folder, forward=SWALLOWED)[forward]
    assert result.swallowed
    assert result.line == "2-layer Qwen2ForCausalLM: logits_to_keep ignored, all 12 positions"


def test_a_model_with_the_expected_logits_has_not_swallowed_the_keyword() -> None:
    with laid_out({"run.json": RUN, "model/config.json": {}}) as folder:
        result = facts(folder, forward=other(returned=6))[forward]
    assert not result.swallowed
    assert result.line == "2-layer Qwen2ForCausalLM: logits_to_keep kept 6 of 12 positions"


def test_no_logits_at_all_are_not_swallowed() -> None:
    with laid_out({"run.json": RUN, "model/config.json": {}}) as folder:
        result = facts(folder, forward=other(passed=None, kept=None, returned=None))[forward]
    assert not result.swallowed
    assert result.line == "2-layer Qwen2ForCausalLM: log-probabilities as the model's own"


@pytest.mark.parametrize(
    ("more", "every", "needed"),
    [
        ({}, 8 * 768 * 151936 * 4, 8 * 256 * 151936 * 4),
        (
            {"per_device_train_batch_size": 2, "max_prompt_length": 10, "max_completion_length": 5},
            2 * 15 * 151936 * 4,
            2 * 5 * 151936 * 4,
        ),
        ({"max_prompt_length": None}, 8 * 768 * 151936 * 4, 8 * 256 * 151936 * 4),
    ],
)
def test_logits_take_rows_times_tokens_times_vocabulary(
    more: dict[str, Any], every: int, needed: int
) -> None:
    with laid_out({"run.json": {**RUN, **more}, "model/config.json": {}}) as folder:
        size = facts(folder, forward=SWALLOWED)[logits]
    assert (size.all, size.of_completions) == (every, needed)


def test_a_trainer_whose_probe_failed_is_unavailable() -> None:
    refused = replace(SWALLOWED, trainer=None, refused="GRPOTrainer cannot be built")
    with (
        laid_out({"run.json": RUN, "model/config.json": {}}) as folder,
        pytest.raises(Unavailable, match="cannot be built"),
    ):
        facts(folder, forward=refused)[forward]


@pytest.mark.parametrize(
    ("trainer", "trl"), [("ppo", "0.15.2"), ("sft", "1.3.0"), ("rloo", "0.21.0")]
)
def test_trainers_that_use_all_logits_are_not_concerned(trainer: str, trl: str) -> None:
    with (
        laid_out({"run.json": {**RUN, "trainer": trainer}, "model/config.json": {}}) as folder,
        pytest.raises(NotConcerned),
    ):
        facts(folder, trl, forward=SWALLOWED)[forward]


def test_the_trainer_is_named_with_its_release() -> None:
    with laid_out({"run.json": RUN, "model/config.json": {}}) as folder:
        assert trainer_named(facts(folder)) == "GRPOTrainer of trl 0.15.2"


def test_generation_that_stops_is_reported_in_a_line() -> None:
    with laid_out({"run.json": RUN, "model/config.json": {}}) as folder:
        result = facts(folder, termination=TALKED)[termination]
    line = "Qwen2ForCausalLM that only ends its turn: stops at its turn end, 1 of 12 tokens"
    assert (result.line, result.files.stopped, result.trainer.counted) == (line, False, (6,))


def test_trainers_that_do_not_generate_are_not_concerned() -> None:
    with (
        laid_out({"run.json": {**RUN, "trainer": "dpo"}, "model/config.json": {}}) as folder,
        pytest.raises(NotConcerned),
    ):
        facts(folder, termination=TALKED)[termination]
