"""What the engine's probes and rules make of answers, without an engine."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.checkup import examine
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.question import Answer, Question
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment, Version
from trl_doctor.probes import engine_tokenizer
from trl_doctor.probes.answers.engine import EngineAnswer, EngineStart, StartError
from trl_doctor.probes.answers.engine_sampling import Factor
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.refusal import Refused
from trl_doctor.probes.vllm_engine import logprobs as engine_logprobs
from trl_doctor.probes.vllm_engine import start as engine_start
from trl_doctor.probes.vllm_engine import stops as engine_stops
from trl_doctor.testing import answered

ENGINE_RULES = {
    "vllm-engine-does-not-start",
    "vllm-logprobs-differ",
    "vllm-refuses-sampling-arguments",
    "vllm-refuses-trainer-weights",
    "vllm-runs-past-turn-end",
}
ASKED = Question("engine", "the vLLM engine", {}, EngineAnswer)


@dataclass
class Words:
    """A tokenizer of whole words, with what was added to it."""

    words: dict[str, int]
    added: dict[str, int] = field(default_factory=dict)
    eos_token_id: int | None = None
    chat_template: str | None = None

    def get_added_vocab(self) -> dict[str, int]:
        return self.added

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        words = {**self.words, **self.added}
        return [words.get(word, 0) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        words = {id: word for word, id in {**self.words, **self.added}.items()}
        return " ".join(words.get(id, "") for id in ids)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(ASKED, "refused", reason="vLLM is not installed"), "vLLM is not installed"),
        (Answer(ASKED, "timed out", reason="it took more than 300 s"), "took more than 300 s"),
        (Answer(ASKED, "out of memory", reason="it took 20 GiB"), "it took 20 GiB"),
    ],
)
def test_rules_are_skipped_where_no_engine_answers(
    answer: Answer, why: str, tmp_path: Path
) -> None:
    outcomes = examined(tmp_path, {"engine": answer}, use_vllm=True)
    assert {name: outcome.state for name, outcome in outcomes.items()} == dict.fromkeys(
        ENGINE_RULES, "skipped"
    )
    assert all(why in outcome.reason for outcome in outcomes.values())


def test_an_engine_that_dies_is_reported_once(tmp_path: Path) -> None:
    died = Answer(ASKED, "died", reason="it was killed by SIGSEGV", tail=("a", "b", "c", "d"))
    outcomes = examined(tmp_path, {"engine": died}, use_vllm=True)
    (finding,) = outcomes.pop("vllm-engine-does-not-start").findings
    assert finding.message == "starting the vLLM engine, it was killed by SIGSEGV"
    assert (finding.severity, finding.evidence) == ("warning", ("b", "c", "d"))
    assert {outcome.state for outcome in outcomes.values()} == {"skipped"}


def test_an_engine_that_does_not_start_is_reported_once(tmp_path: Path) -> None:
    error = StartError("RuntimeError", "", stage="start", cause="other")
    answer = EngineAnswer(EngineStart(error))
    outcomes = examined(tmp_path, {"engine": answer}, use_vllm=True)
    (finding,) = outcomes.pop("vllm-engine-does-not-start").findings
    assert finding.message == "vLLM does not start: RuntimeError: "
    reasons = {outcome.reason for outcome in outcomes.values()}
    assert reasons == {"the vLLM engine does not start: RuntimeError"}


def test_a_run_without_vllm_starts_no_engine(tmp_path: Path) -> None:
    outcomes = examined(tmp_path, {}, use_vllm=False)
    assert {outcome.state for outcome in outcomes.values()} == {"not concerned"}


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ValueError("Model architectures ['X'] are not supported for now."), "architecture"),
        (RuntimeError("Unsupported CPU attention configuration: head_dim=16"), "head size"),
        (RuntimeError("operator torchvision::nms does not exist"), "toolchain"),
        (ModuleNotFoundError("Could not import module 'Qwen2ForCausalLM'."), "toolchain"),
        (OSError("libcudart.so.12: cannot open shared object file"), "toolchain"),
        (RuntimeError("something else"), "other"),
    ],
)
def test_why_an_engine_does_not_start(error: Exception, cause: str) -> None:
    assert engine_start.cause(error) == cause


def test_what_a_missing_module_means() -> None:
    absent = engine_start.absent
    assert isinstance(absent(ModuleNotFoundError(name="vllm")), Refused)
    assert isinstance(absent(ModuleNotFoundError(name="trl.generation")), Refused)
    broken = absent(ModuleNotFoundError("No module named 'numba'", name="numba"))
    assert isinstance(broken, engine_start.NotStarted)
    assert (broken.why.cause, broken.why.stage) == ("toolchain", "import")


def test_an_engine_that_breaks_in_a_step_differs_from_one_that_refuses() -> None:
    """After a step that failed in the middle the real engine would never answer again."""
    llm = SimpleNamespace(llm_engine=SimpleNamespace(has_unfinished_requests=lambda: broken))

    def generate(prompts: Any, sampling_params: Any, **_: Any) -> list[str]:
        if sampling_params == "bad":
            raise ValueError("no such token")
        return ["out"]

    llm.generate = generate
    records = engine_start.listen(llm)
    assert llm.generate(["in"], sampling_params="good") == ["out"]
    assert records == [("good", ["out"])]
    broken = False
    with pytest.raises(ValueError, match="no such token"):
        llm.generate(["in"], sampling_params="bad")
    broken = True
    with pytest.raises(engine_start.Broken, match="ValueError: no such token"):
        llm.generate(["in"], sampling_params="bad")


def test_tokens_at_which_a_run_means_to_stop(tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [7, 6, "x", true]}')
    tokenizer = Words({"a": 1, "b": 2, "<end>": 7})
    engine: Any = SimpleNamespace(folder=tmp_path, tokenizer=tokenizer)
    request = {"ends": {"turn_end": 7, "eos": None}}
    given = {"stop": ["<end>", "a b"], "stop_token_ids": 5}
    assert engine_stops.intended(request, engine, given) == {
        7: ["turn end", "generation_config", "stop string"],
        6: ["generation_config"],
        5: ["stop id"],
    }


@pytest.mark.parametrize("text", ["{", "[1]", "7", '{"eos_token_id": null}', ""])
def test_a_generation_config_without_eos(text: str, tmp_path: Path) -> None:
    (tmp_path / "generation_config.json").write_text(text)
    assert engine_stops.listed(tmp_path) == []


def test_distances_between_engine_and_trainer() -> None:
    trainer: Any = engine_logprobs.Trainer.__new__(engine_logprobs.Trainer)
    trainer.precision = "bfloat16"
    trainer.logprobs = lambda completions: [[-1.0] * len(answer) for _, answer, _ in completions]
    cut = -1.0 - math.log(0.8)
    result = trainer.distances([([0], [1, 2], [-1.0, cut]), ([0], [3], [None])])
    assert result.tokens == 2
    assert result.factor == Factor(most=pytest.approx(1.25), mean=pytest.approx(1.125))
    assert result.ratio == pytest.approx((1 + 0.8) / 2)
    assert result.quantiles["0.99"] == pytest.approx(0.2231, abs=1e-4)
    assert trainer.distances([]) is None


@pytest.mark.parametrize(
    ("arguments", "precision"),
    [
        ({}, "bfloat16"),
        ({"bf16": False}, None),
        ({"bf16": "false"}, None),
        ({"fp16": True}, "float16"),
        ({"fp16": False, "bf16": True}, "bfloat16"),
    ],
)
def test_what_the_trainer_computes_in(arguments: dict[str, Any], precision: str | None) -> None:
    assert engine_logprobs.precision(arguments) == precision


@pytest.mark.parametrize("value", [None, "x", [], {}, float("nan"), float("inf")])
def test_a_sampling_value_that_is_no_number(value: Any) -> None:
    assert engine_logprobs.number(value, 1.0) == 1.0
    assert engine_logprobs.number("5e-1", 1.0) == 0.5


def test_two_tokenizers_side_by_side() -> None:
    ours = Words({"a": 1, "b": 2}, {"<s>": 5})
    theirs = Words({"a": 1, "b": 3})
    assert engine_tokenizer.compared("a a", ours, theirs).same
    comparison = engine_tokenizer.compared("a b <s>", ours, theirs)
    assert (comparison.same, comparison.at, comparison.trained, comparison.loaded) == (
        False,
        1,
        (2, 5),
        (3, 0),
    )
    assert engine_tokenizer.decoded(theirs, 5) == ""
    assert engine_tokenizer.texts(ours) == [engine_tokenizer.TEXT]


def examined(folder: Path, answers: dict[str, Any], **arguments: Any) -> dict[str, Outcome]:
    """What the engine's rules make of these answers."""
    model = folder / "model"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "llama"}')
    run = {"trainer": "grpo", "model_name_or_path": "model", **arguments}
    (folder / "run.json").write_text(json.dumps(run))
    world = Environment(Path("python"), (), {"trl": Version("1.16.0")})
    opened = open_run(target(str(folder / "run.json"), offline=True), world, Options(offline=True))
    by_probe = {
        name: answered(name, answer)
        for name, answer in {"libraries": LibrariesAnswer({}), **answers}.items()
    }
    rules = [rule for rule in discover().rules if rule.name in ENGINE_RULES]
    assert len(rules) == len(ENGINE_RULES)
    checkup = examine(opened, world, rules, ExampleOracle(by_probe))
    return {outcome.rule.name: outcome for outcome in checkup.outcomes}
