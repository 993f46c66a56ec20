"""What model classes do with what trainers pass: the real step, and what the doctor reports."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from commands import answered, checks
from laid import ROOT, Interpreter

SWALLOWS, REFUSES, BARE, OTHER = RULES = (
    "model-swallows-logits-keyword",
    "model-refuses-logits-keyword",
    "model-without-backbone",
    "model-logprobs-differ",
)
RUN = {
    "trainer": "grpo",
    "model_name_or_path": "model",
    "dataset_format": "conversational",
    "num_processes": 1,
    "per_device_train_batch_size": 8,
    "bf16": False,
}
QWEN2 = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
GPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "n_embd": 32,
    "n_head": 2,
    "n_layer": 2,
    "n_positions": 2048,
}
CAPPED = {
    "model_type": "recurrent_gemma",
    "architectures": ["RecurrentGemmaForCausalLM"],
    "lru_width": 32,
    "num_hidden_layers": 3,
    "logits_soft_cap": 30.0,
}
LLAMA4 = {"model_type": "llama4_text", "architectures": ["Llama4ForCausalLM"]}
OWN = {
    "model_type": "own",
    "architectures": ["OwnForCausalLM"],
    "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"},
}
CODE = """
import torch
from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, CausalLMOutput


class OwnConfig(PretrainedConfig):
    model_type = "own"

    def __init__(
        self, vocab_size=320, hidden_size=32, num_hidden_layers=2, use_cache=False, **more
    ):
        self.vocab_size, self.hidden_size, self.use_cache = vocab_size, hidden_size, use_cache
        self.num_hidden_layers = num_hidden_layers
        super().__init__(**more)


class Body(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = torch.nn.Embedding(config.vocab_size, config.hidden_size)

    def forward(self, input_ids=None, **more):
        return BaseModelOutput(last_hidden_state=self.embed(input_ids))


class OwnForCausalLM(PreTrainedModel, GenerationMixin):
    config_class = OwnConfig
    base_model_prefix = "PREFIX"

    def __init__(self, config):
        super().__init__(config)
        self.body = Body(config)
        self.lm_head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    def get_input_embeddings(self):
        return self.body.embed

    def get_output_embeddings(self):
        return self.lm_head

    def prepare_inputs_for_generation(self, input_ids, attention_mask=None, **more):
        return {"input_ids": input_ids, "attention_mask": attention_mask}

    def forward(self, input_ids=None, attention_mask=None, KEYWORDS):
        return CausalLMOutput(logits=self.lm_head(self.body(input_ids).last_hidden_state))
"""


@dataclass(frozen=True)
class Pairing:
    """A model under a release: what its real step raises, and what the doctor says.

    `raises` is "" where the step runs through; `rule` is "" where the pairing is healthy.
    """

    name: str
    environment: str
    config: dict[str, Any]
    rule: str = ""
    severity: str = "error"
    says: str = ""
    raises: str = ""
    code: str = ""
    run: dict[str, Any] = field(default_factory=dict)

    @property
    def marks(self) -> tuple[pytest.MarkDecorator, ...]:
        return (pytest.mark.founding,) if self.name == "sizes differ" else ()


def code(prefix: str, keywords: str) -> str:
    """A model's own code, with this base_model_prefix and these further keywords of forward."""
    return CODE.replace("PREFIX", prefix).replace("KEYWORDS", keywords)


PAIRINGS = (
    Pairing(
        "silently wrong",
        "grpo-silent",
        QWEN2,
        SWALLOWS,
        says="GRPOTrainer of trl 0.14.0 trains on log-probabilities of the wrong tokens",
    ),
    Pairing(
        "sizes differ",
        "grpo-shapes",
        GPT2,
        SWALLOWS,
        says="ignores logits_to_keep=6 and returns all positions: GRPOTrainer of trl 0.19.1 fails",
        raises="RuntimeError: The size of tensor a",
    ),
    Pairing(
        "cut again at a cost",
        "grpo-first",
        QWEN2,
        SWALLOWS,
        severity="warning",
        says="cuts off again: 2.5 GiB more",
        run={"per_device_train_batch_size": 64, "max_prompt_length": 32768},
    ),
    Pairing(
        "refused",
        "grpo-first",
        OWN,
        REFUSES,
        says="OwnForCausalLM does not accept logits_to_keep",
        raises="got an unexpected keyword argument 'logits_to_keep'",
        code=code("body", "labels=None, return_dict=None"),
    ),
    Pairing(
        "no backbone",
        "current",
        OWN,
        BARE,
        says="OwnForCausalLM has no backbone at 'trunk'",
        raises="'CausalLMOutput' object has no attribute 'last_hidden_state'",
        code=code("trunk", "labels=None, **more"),
    ),
    Pairing(
        "no backbone in llama 4",
        "current",
        LLAMA4,
        BARE,
        says="Llama4ForCausalLM has no backbone at 'language_model'",
        raises="'MoeCausalLMOutputWithPast' object has no attribute 'last_hidden_state'",
    ),
    Pairing(
        "a cap that trl does not know",
        "current",
        CAPPED,
        OTHER,
        says="GRPOTrainer of trl 1.16.0 computes other log-probabilities than Recurrent",
    ),
    Pairing("the cap earlier", "ppo-last", CAPPED),
    Pairing("a backbone", "current", OWN, code=code("body", "labels=None, **more")),
    Pairing("qwen2 now", "current", QWEN2),
    Pairing("gpt2 later", "four", GPT2),
    Pairing("qwen2 with 0.19.1", "grpo-shapes", QWEN2),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pairing", [pytest.param(pairing, id=pairing.name, marks=pairing.marks) for pairing in PAIRINGS]
)
def test_the_report_agrees_with_the_step(
    pairing: Pairing, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(pairing.environment)
    candidate(tmp_path, pairing)
    raised = step(python, tmp_path)
    assert pairing.raises in (raised or "") if pairing.raises else raised is None, raised
    results = findings(python, tmp_path)
    by_rule = {rule: results[rule] for rule in RULES if results[rule]["findings"]}
    assert set(by_rule) == ({pairing.rule} if pairing.rule else set()), by_rule
    states = {results[rule]["state"] for rule in RULES}
    assert states <= {"found", "clear"}, results
    for finding in (finding for check in by_rule.values() for finding in check["findings"]):
        assert (finding["severity"], pairing.says in finding["message"]) == (
            pairing.severity,
            True,
        ), finding


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "ppo-last"])
def test_the_loss_is_of_another_distribution(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    candidate(tmp_path, Pairing("", "", CAPPED, run={"trainer": "sft"}))
    trained, own = losses(python, tmp_path)
    assert trained > 2 * own, (trained, own)
    (results,) = findings(python, tmp_path)[OTHER]["findings"]
    assert bool(results["fix"]) == (environment == "ppo-last")
    if results["fix"]:
        checks(tmp_path / "run.json", python, "--fix", "--select", OTHER)
        trained, own = losses(python, tmp_path)
        assert trained == pytest.approx(own)
        assert findings(python, tmp_path)[OTHER]["state"] == "clear"


@pytest.mark.slow
def test_code_of_the_model_is_not_run_unasked(tmp_path: Path, interpreter: Interpreter) -> None:
    candidate(tmp_path, Pairing("", "", OWN, code="raise SystemExit('this was run')"))
    results = findings(interpreter("current"), tmp_path, trust=False)
    assert results[BARE]["state"] == "skipped"
    assert "--trust-remote-code" in results[BARE]["reason"]


def candidate(folder: Path, pairing: Pairing) -> None:
    """The healthy fixture with another config, without weights."""
    model = folder / "model"
    shutil.copytree(ROOT / "fixtures/models/healthy", model)
    (model / "model.safetensors").unlink()
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, **pairing.config}))
    if pairing.code:
        (model / "own.py").write_text(pairing.code)
    (folder / "run.json").write_text(json.dumps({**RUN, **pairing.run}))


def losses(python: Path, folder: Path) -> list[float]:
    """The loss of an SFT batch by the trainer, with the run's loss_type, and the true one."""
    script = Path(__file__).parents[1] / "real_forward.py"
    run = json.loads((folder / "run.json").read_text())
    more = {name: run[name] for name in ("loss_type",) if name in run}
    values: list[float] = answered(python, script, "losses", request=more, cwd=folder, noisy=True)
    return values


def step(python: Path, folder: Path) -> str | None:
    """What one real GRPO step raises."""
    script = Path(__file__).parents[1] / "real_forward.py"
    raised: str | None = answered(python, script, cwd=folder, noisy=True)
    return raised


def findings(python: Path, folder: Path, *, trust: bool = True) -> dict[str, dict[str, Any]]:
    """What became of every rule, by its name."""
    selected = ("--level", "tiny", "--select", "model-*")
    trusted = ("--trust-remote-code",) if trust else ()
    return checks(folder / "run.json", python, *selected, *trusted, statuses=(0, 1, 3))
